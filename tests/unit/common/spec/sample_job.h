// A small job that uses every section, and one of an operator, for tests that change one thing.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "common/spec/job_reader.h"

namespace burnish::spec {

inline constexpr std::string_view kSampleJob = R"(name: vector-add
kernel:
  language: cpp
  source: {file: add.cc}
  entry: add
  arguments:
    - {name: a, dtype: f32, shape: [n], fill: uniform}
    - {name: b, dtype: f32, shape: [n, "2 * pair"], fill: 0.5}
    - {name: c, dtype: f32, shape: [n], role: output}
    - {name: count, dtype: i32, value: n}
  constants: {n: 4096, pair: 2, scale: 1.5}
  define: [pair]
  flags: ["-O{OPT}", "-march=native"]
  parameters:
    BLOCK: [32, 64, 128]
    OPT: [2, 3]
    ORDER: [forward, backward]
    FAST: [false, true]
  constraints:
    - n % BLOCK == 0
    - "BLOCK * OPT <= 256"
  default: {BLOCK: 64, OPT: 3, ORDER: forward, FAST: false}
  reference: {language: cpp, source: {file: reference.cc}, entry: add_reference}
  work: {flops: n, bytes: 12 * n}
devices: "backend == 'cpu' and cores >= 2"
objectives: [latency]
measure: {cache: cold, number: 3, repeat: 20, min_repeat_ms: 1.5, warmup: 0, timeout: 5}
budget: {trials: 50, seconds: 600}
strategy: {name: random, seed: 7}
)";

inline constexpr std::string_view kSampleWorkload = R"(name: layer
workload:
  operator: matmul
  shape: {m: 64, n: 32, k: 16}
  dtype: f32
  transpose: [b]
  constant: [b]
  epilogue: [bias, relu]
budget: {trials: 50}
)";

inline JobText SampleJob(std::string text = std::string(kSampleJob)) {
  return {"job.yaml", std::move(text), {{"add.cc", "// add"}, {"reference.cc", "// reference"}}};
}

// A sample with `from`, which must occur exactly once, replaced.
inline std::string With(std::string_view sample, std::string_view from, std::string_view to) {
  std::string text(sample);
  const size_t at = text.find(from);
  CHECK(at != text.npos && text.find(from, at + 1) == text.npos) << from;
  return text.replace(at, from.size(), to);
}
inline std::string SampleWith(std::string_view from, std::string_view to) {
  return With(kSampleJob, from, to);
}
inline std::string WorkloadWith(std::string_view from, std::string_view to) {
  return With(kSampleWorkload, from, to);
}

}  // namespace burnish::spec
