// What an attempt reports. A failed candidate is an outcome, not an error: it is stored and
// learned from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/space/search_space.h"
#include "common/stats/statistics.h"

namespace burnish::work {

enum class Outcome {
  kOk,
  kRejected,  // unfit before it ran (limits of the device, impossible figures)
  kCompileError,
  kCompileTimeout,
  kLaunchRefused,
  kCrash,
  kTimeout,
  kWrongResult,
  kNondeterministic,
  kUnstable,
  kOutOfMemory,
  kSandboxViolation,
  kInfrastructure,  // nothing to do with the candidate; the only one that is retried
};

const char* OutcomeName(Outcome outcome);  // "compile_error"
std::optional<Outcome> ParseOutcome(std::string_view name);
std::vector<Outcome> AllOutcomes();

// One timed batch of back-to-back executions.
struct Sample {
  int64_t total_ns = 0;
  int64_t launches = 0;
  double LatencySeconds() const { return static_cast<double>(total_ns) * 1e-9 / launches; }
};

// The ranking statistic over samples' latencies.
struct Latency {
  std::string statistic;  // "p20" on CPUs, "median" on GPUs
  double seconds = 0;
  stats::Interval interval;  // of the statistic, 95 %
  double relative_mad = 0;
  double min_seconds = 0;
};

struct Correctness {
  bool verified = false;  // false with `reference: none`
  double max_relative_error = 0;
  double relative_frobenius = 0;
  std::string worst;  // "c[17]: 0.5, expected 0.25"; where wrong
};

// What is measured beside the time; nothing: the device does not measure it.
struct Figures {
  std::optional<double> energy_joules;  // of one execution, idle included
  std::optional<double> power_watts;
  std::optional<double> memory_bytes;  // workspaces and the code's own buffers
  std::optional<double> code_bytes;    // machine code; for people, no objective
  // Without what idling takes; for people, no objective.
  std::optional<double> net_energy_joules = {};
  // At the end of a long run without pauses, and over that at its start, for people.
  std::optional<double> sustained_seconds = {};
  std::optional<double> sustained_ratio = {};

  bool operator==(const Figures&) const = default;
};

struct Measurement {
  Outcome outcome = Outcome::kInfrastructure;
  std::string message;  // first lines of the compiler's or the checker's words; empty if ok
  std::vector<Sample> samples;
  std::optional<Latency> latency;  // with outcome ok only
  Figures figures;                 // with outcome ok only
  Correctness correctness;
  std::vector<std::string> flags;  // "unconverged"
  double compile_seconds = 0;
  double run_seconds = 0;
  // Of the control kernel on the same device, measured last before this; 0 unknown.
  double control_seconds = 0;
  std::map<std::string, std::string> environment;  // as in force when it ran
};

// Interleaved comparison of finalists on one device.
struct FinalistSamples {
  space::Configuration configuration;
  Outcome outcome = Outcome::kInfrastructure;
  std::string message;
  std::vector<Sample> rounds;  // one sample per round, rounds aligned between finalists
  Correctness correctness;
};

struct Comparison {
  Outcome outcome = Outcome::kInfrastructure;  // ok: at least the rounds of one finalist stand
  std::string message;
  std::vector<FinalistSamples> finalists;
  double run_seconds = 0;
  std::map<std::string, std::string> environment;
};

}  // namespace burnish::work
