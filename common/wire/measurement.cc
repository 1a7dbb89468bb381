#include "common/wire/measurement.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/utf8_text.h"
#include "common/wire/configuration.h"
#include "common/wire/device.h"
#include "common/wire/enum_table.h"

namespace burnish::wire {
namespace {

constexpr EnumTable<work::Outcome, pb::Outcome, 13> kOutcomes = {{
    {work::Outcome::kOk, pb::OUTCOME_OK},
    {work::Outcome::kRejected, pb::OUTCOME_REJECTED},
    {work::Outcome::kCompileError, pb::OUTCOME_COMPILE_ERROR},
    {work::Outcome::kCompileTimeout, pb::OUTCOME_COMPILE_TIMEOUT},
    {work::Outcome::kLaunchRefused, pb::OUTCOME_LAUNCH_REFUSED},
    {work::Outcome::kCrash, pb::OUTCOME_CRASH},
    {work::Outcome::kTimeout, pb::OUTCOME_TIMEOUT},
    {work::Outcome::kWrongResult, pb::OUTCOME_WRONG_RESULT},
    {work::Outcome::kNondeterministic, pb::OUTCOME_NONDETERMINISTIC},
    {work::Outcome::kUnstable, pb::OUTCOME_UNSTABLE},
    {work::Outcome::kOutOfMemory, pb::OUTCOME_OUT_OF_MEMORY},
    {work::Outcome::kSandboxViolation, pb::OUTCOME_SANDBOX_VIOLATION},
    {work::Outcome::kInfrastructure, pb::OUTCOME_INFRASTRUCTURE},
}};

absl::StatusOr<std::vector<work::Sample>> SamplesFromProto(
    const google::protobuf::RepeatedPtrField<pb::Sample>& samples) {
  std::vector<work::Sample> result;
  result.reserve(samples.size());
  for (const pb::Sample& sample : samples) {
    ASSIGN_OR_RETURN(const work::Sample converted, FromProto(sample));
    result.push_back(converted);
  }
  return result;
}

// Durations that others add up: one that is no number would spoil the sum for good.
absl::Status CheckSeconds(const char* field, double seconds) {
  if (std::isfinite(seconds) && seconds >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(field, ": must be a number from 0"));
}

// The fields of both forms.
template <typename Visit>
void VisitFigures(const Visit& visit) {
  using Proto = pb::Figures;
  using Domain = work::Figures;
  visit("energy_joules", &Domain::energy_joules, &Proto::has_energy_joules, &Proto::energy_joules,
        &Proto::set_energy_joules);
  visit("power_watts", &Domain::power_watts, &Proto::has_power_watts, &Proto::power_watts,
        &Proto::set_power_watts);
  visit("memory_bytes", &Domain::memory_bytes, &Proto::has_memory_bytes, &Proto::memory_bytes,
        &Proto::set_memory_bytes);
  visit("code_bytes", &Domain::code_bytes, &Proto::has_code_bytes, &Proto::code_bytes,
        &Proto::set_code_bytes);
  visit("net_energy_joules", &Domain::net_energy_joules, &Proto::has_net_energy_joules,
        &Proto::net_energy_joules, &Proto::set_net_energy_joules);
  visit("sustained_seconds", &Domain::sustained_seconds, &Proto::has_sustained_seconds,
        &Proto::sustained_seconds, &Proto::set_sustained_seconds);
  visit("sustained_ratio", &Domain::sustained_ratio, &Proto::has_sustained_ratio,
        &Proto::sustained_ratio, &Proto::set_sustained_ratio);
}

}  // namespace

pb::Outcome ToProto(work::Outcome outcome) { return WireEnum(kOutcomes, outcome); }

absl::StatusOr<work::Outcome> FromProto(pb::Outcome outcome) {
  return DomainEnum(kOutcomes, outcome, "outcome");
}

pb::Sample ToProto(const work::Sample& sample) {
  pb::Sample proto;
  proto.set_total_ns(sample.total_ns);
  proto.set_launches(sample.launches);
  return proto;
}

absl::StatusOr<work::Sample> FromProto(const pb::Sample& sample) {
  if (sample.launches() < 1) {
    return absl::InvalidArgumentError("sample.launches: must be at least 1");
  }
  if (sample.total_ns() < 0) {
    return absl::InvalidArgumentError("sample.total_ns: must not be negative");
  }
  return work::Sample{.total_ns = sample.total_ns(), .launches = sample.launches()};
}

pb::Latency ToProto(const work::Latency& latency) {
  pb::Latency proto;
  proto.set_statistic(latency.statistic);
  proto.set_seconds(latency.seconds);
  proto.set_low_seconds(latency.interval.low);
  proto.set_high_seconds(latency.interval.high);
  proto.set_relative_mad(latency.relative_mad);
  proto.set_min_seconds(latency.min_seconds);
  return proto;
}

absl::StatusOr<work::Latency> FromProto(const pb::Latency& latency) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  if (!positive(latency.seconds())) {
    return absl::InvalidArgumentError("latency.seconds: must be a positive number");
  }
  if (!positive(latency.low_seconds()) || !positive(latency.high_seconds())) {
    return absl::InvalidArgumentError(
        "latency.low_seconds, latency.high_seconds: must be positive numbers");
  }
  if (!std::isfinite(latency.relative_mad()) || !std::isfinite(latency.min_seconds())) {
    return absl::InvalidArgumentError("latency.relative_mad, latency.min_seconds: must be finite");
  }
  return work::Latency{.statistic = latency.statistic(),
                       .seconds = latency.seconds(),
                       .interval = {.low = latency.low_seconds(), .high = latency.high_seconds()},
                       .relative_mad = latency.relative_mad(),
                       .min_seconds = latency.min_seconds()};
}

pb::Correctness ToProto(const work::Correctness& correctness) {
  pb::Correctness proto;
  proto.set_verified(correctness.verified);
  proto.set_max_relative_error(correctness.max_relative_error);
  proto.set_relative_frobenius(correctness.relative_frobenius);
  proto.set_worst(Utf8Text(correctness.worst));
  return proto;
}

work::Correctness FromProto(const pb::Correctness& correctness) {
  return {.verified = correctness.verified(),
          .max_relative_error = correctness.max_relative_error(),
          .relative_frobenius = correctness.relative_frobenius(),
          .worst = correctness.worst()};
}

pb::Figures ToProto(const work::Figures& figures) {
  pb::Figures proto;
  VisitFigures([&](const char*, auto field, auto, auto, auto set) {
    if (figures.*field) (proto.*set)(*(figures.*field));
  });
  return proto;
}

absl::StatusOr<work::Figures> FromProto(const pb::Figures& figures) {
  work::Figures result;
  absl::Status status;
  VisitFigures([&](const char* name, auto field, auto has, auto get, auto) {
    if (!(figures.*has)()) return;
    const double value = (figures.*get)();
    result.*field = value;
    if (std::isfinite(value) && value >= 0) return;
    status =
        absl::InvalidArgumentError(absl::StrCat("figures.", name, ": must be a number from 0"));
  });
  RETURN_IF_ERROR(status);
  return result;
}

pb::Measurement ToProto(const work::Measurement& measurement) {
  pb::Measurement proto;
  proto.set_outcome(ToProto(measurement.outcome));
  proto.set_message(Utf8Text(measurement.message));
  for (const work::Sample& sample : measurement.samples) *proto.add_samples() = ToProto(sample);
  if (measurement.latency) *proto.mutable_latency() = ToProto(*measurement.latency);
  *proto.mutable_correctness() = ToProto(measurement.correctness);
  for (const std::string& flag : measurement.flags) proto.add_flags(flag);
  proto.set_compile_seconds(measurement.compile_seconds);
  proto.set_run_seconds(measurement.run_seconds);
  proto.set_control_seconds(measurement.control_seconds);
  if (measurement.figures != work::Figures()) {
    *proto.mutable_figures() = ToProto(measurement.figures);
  }
  *proto.mutable_environment() = EnvironmentToProto(measurement.environment);
  return proto;
}

absl::StatusOr<work::Measurement> FromProto(const pb::Measurement& measurement) {
  work::Measurement result;
  ASSIGN_OR_RETURN(result.outcome, FromProto(measurement.outcome()));
  result.message = measurement.message();
  ASSIGN_OR_RETURN(result.samples, SamplesFromProto(measurement.samples()));
  if (measurement.has_latency()) {
    ASSIGN_OR_RETURN(result.latency, FromProto(measurement.latency()));
  }
  if (result.latency.has_value() != (result.outcome == work::Outcome::kOk)) {
    return absl::InvalidArgumentError("measurement.latency: goes with the outcome ok, and only so");
  }
  result.correctness = FromProto(measurement.correctness());
  result.flags.assign(measurement.flags().begin(), measurement.flags().end());
  RETURN_IF_ERROR(CheckSeconds("measurement.compile_seconds", measurement.compile_seconds()));
  RETURN_IF_ERROR(CheckSeconds("measurement.run_seconds", measurement.run_seconds()));
  RETURN_IF_ERROR(CheckSeconds("measurement.control_seconds", measurement.control_seconds()));
  result.compile_seconds = measurement.compile_seconds();
  result.run_seconds = measurement.run_seconds();
  result.control_seconds = measurement.control_seconds();
  ASSIGN_OR_RETURN(const work::Figures figures, FromProto(measurement.figures()));
  if (result.latency) result.figures = figures;  // a failure has none that anybody would look at
  result.environment = EnvironmentFromProto(measurement.environment());
  return result;
}

pb::FinalistSamples ToProto(const work::FinalistSamples& finalist) {
  pb::FinalistSamples proto;
  *proto.mutable_configuration() = ToProto(finalist.configuration);
  proto.set_outcome(ToProto(finalist.outcome));
  proto.set_message(Utf8Text(finalist.message));
  for (const work::Sample& round : finalist.rounds) *proto.add_rounds() = ToProto(round);
  *proto.mutable_correctness() = ToProto(finalist.correctness);
  return proto;
}

absl::StatusOr<work::FinalistSamples> FromProto(const pb::FinalistSamples& finalist) {
  work::FinalistSamples result;
  ASSIGN_OR_RETURN(result.configuration, FromProto(finalist.configuration()));
  ASSIGN_OR_RETURN(result.outcome, FromProto(finalist.outcome()));
  result.message = finalist.message();
  ASSIGN_OR_RETURN(result.rounds, SamplesFromProto(finalist.rounds()));
  result.correctness = FromProto(finalist.correctness());
  return result;
}

pb::Comparison ToProto(const work::Comparison& comparison) {
  pb::Comparison proto;
  proto.set_outcome(ToProto(comparison.outcome));
  proto.set_message(Utf8Text(comparison.message));
  for (const work::FinalistSamples& finalist : comparison.finalists) {
    *proto.add_finalists() = ToProto(finalist);
  }
  proto.set_run_seconds(comparison.run_seconds);
  *proto.mutable_environment() = EnvironmentToProto(comparison.environment);
  return proto;
}

absl::StatusOr<work::Comparison> FromProto(const pb::Comparison& comparison) {
  work::Comparison result;
  ASSIGN_OR_RETURN(result.outcome, FromProto(comparison.outcome()));
  result.message = comparison.message();
  for (const pb::FinalistSamples& finalist : comparison.finalists()) {
    ASSIGN_OR_RETURN(work::FinalistSamples converted, FromProto(finalist));
    result.finalists.push_back(std::move(converted));
  }
  RETURN_IF_ERROR(CheckSeconds("comparison.run_seconds", comparison.run_seconds()));
  result.run_seconds = comparison.run_seconds();
  result.environment = EnvironmentFromProto(comparison.environment());
  return result;
}

}  // namespace burnish::wire
