// A small job that uses every section, for tests that change one thing of it.
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

inline JobText SampleJob(std::string text = std::string(kSampleJob)) {
  return {"job.yaml", std::move(text), {{"add.cc", "// add"}, {"reference.cc", "// reference"}}};
}

// The sample with `from`, which must occur exactly once, replaced.
inline std::string SampleWith(std::string_view from, std::string_view to) {
  std::string text(kSampleJob);
  const size_t at = text.find(from);
  CHECK(at != text.npos && text.find(from, at + 1) == text.npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace burnish::spec
