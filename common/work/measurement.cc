#include "common/work/measurement.h"

#include "common/base/check.h"

namespace burnish::work {
namespace {

struct NamedOutcome {
  Outcome outcome;
  const char* name;
};

constexpr NamedOutcome kOutcomes[] = {
    {Outcome::kOk, "ok"},
    {Outcome::kRejected, "rejected"},
    {Outcome::kCompileError, "compile_error"},
    {Outcome::kCompileTimeout, "compile_timeout"},
    {Outcome::kLaunchRefused, "launch_refused"},
    {Outcome::kCrash, "crash"},
    {Outcome::kTimeout, "timeout"},
    {Outcome::kWrongResult, "wrong_result"},
    {Outcome::kNondeterministic, "nondeterministic"},
    {Outcome::kUnstable, "unstable"},
    {Outcome::kOutOfMemory, "out_of_memory"},
    {Outcome::kSandboxViolation, "sandbox_violation"},
    {Outcome::kInfrastructure, "infrastructure"},
};

}  // namespace

const char* OutcomeName(Outcome outcome) {
  for (const NamedOutcome& named : kOutcomes) {
    if (named.outcome == outcome) return named.name;
  }
  CHECK(false) << "outcome " << static_cast<int>(outcome);
  return "";
}

std::optional<Outcome> ParseOutcome(std::string_view name) {
  for (const NamedOutcome& named : kOutcomes) {
    if (named.name == name) return named.outcome;
  }
  return std::nullopt;
}

std::vector<Outcome> AllOutcomes() {
  std::vector<Outcome> outcomes;
  for (const NamedOutcome& named : kOutcomes) outcomes.push_back(named.outcome);
  return outcomes;
}

}  // namespace burnish::work
