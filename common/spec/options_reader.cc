// Measuring, budget and strategy.
#include <limits>
#include <string>

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/fields.h"
#include "common/spec/section_readers.h"
#include "common/spec/vocabulary.h"

namespace burnish::spec {

namespace {

// It is one more condition on the devices, which have been read.
absl::Status ReadIsolation(const Node& node, JobSpec& spec) {
  const Vocabulary levels{IsolationLevelNames()};
  ASSIGN_OR_RETURN(const std::string level, ReadName(node, "isolation level", levels));
  spec.isolation = *ParseIsolationLevel(level);
  const std::string condition = "'" + level + "' in isolation";
  const std::string& others = spec.devices.text();
  ASSIGN_OR_RETURN(
      spec.devices,
      expr::Expression::Parse(others == "true" ? condition : "(" + others + ") and " + condition));
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadMeasure(const Node& node, JobSpec& spec) {
  RETURN_IF_ERROR(CheckKeys(node, {{"cache", "number", "repeat", "min_repeat_ms", "warmup",
                                    "timeout", "race", "inputs", "isolation"}}));
  MeasureOptions& measure = spec.measure;
  if (const Node* cache = node.Find("cache")) {
    const Vocabulary states{{"hot", "cold"}};
    ASSIGN_OR_RETURN(const std::string state, ReadName(*cache, "cache state", states));
    measure.cache = state == "cold" ? CacheState::kCold : CacheState::kHot;
  }
  if (const Node* number = node.Find("number")) {
    ASSIGN_OR_RETURN(measure.number, ReadInteger(*number, 1, limits::kMeasureExecutions));
  }
  if (const Node* repeat = node.Find("repeat")) {
    ASSIGN_OR_RETURN(measure.repeat, ReadInteger(*repeat, 1, limits::kSamplesPerMeasurement));
  }
  if (const Node* min_repeat_ms = node.Find("min_repeat_ms")) {
    ASSIGN_OR_RETURN(measure.min_repeat_ms, ReadPositive(*min_repeat_ms, limits::kSampleMs));
  }
  if (const Node* warmup = node.Find("warmup")) {
    ASSIGN_OR_RETURN(measure.warmup, ReadInteger(*warmup, 0, limits::kMeasureExecutions));
  }
  if (const Node* timeout = node.Find("timeout")) {
    ASSIGN_OR_RETURN(measure.run_timeout_seconds,
                     ReadPositive(*timeout, limits::kRunTimeoutSeconds));
  }
  if (const Node* inputs = node.Find("inputs")) {
    const Vocabulary choices{{"varied", "as_filled"}};
    ASSIGN_OR_RETURN(const std::string choice, ReadName(*inputs, "choice of inputs", choices));
    measure.varies_inputs = choice == "varied";
  }
  if (const Node* race = node.Find("race")) {
    ASSIGN_OR_RETURN(measure.race, ReadBoolean(*race));
  }
  const Node* isolation = node.Find("isolation");
  return isolation == nullptr ? absl::OkStatus() : ReadIsolation(*isolation, spec);
}

absl::Status ReadBudget(const Node& node, JobSpec& spec) {
  RETURN_IF_ERROR(CheckMapping(node, "write {trials: 100}"));
  RETURN_IF_ERROR(CheckKeys(
      node,
      {{"trials", "seconds", "device_seconds", "patience", "target", "roof_share"}, {"joules"}}));
  Budget& budget = spec.budget;
  if (const Node* trials = node.Find("trials")) {
    ASSIGN_OR_RETURN(budget.trials, ReadInteger(*trials, 1, limits::kBudgetTrials));
  }
  if (const Node* seconds = node.Find("seconds")) {
    ASSIGN_OR_RETURN(budget.seconds, ReadPositive(*seconds, limits::kBudgetSeconds));
  }
  if (const Node* seconds = node.Find("device_seconds")) {
    ASSIGN_OR_RETURN(budget.device_seconds, ReadPositive(*seconds, limits::kBudgetSeconds));
  }
  if (const Node* patience = node.Find("patience")) {
    ASSIGN_OR_RETURN(budget.patience, ReadInteger(*patience, 1, limits::kBudgetTrials));
  }
  if (const Node* target = node.Find("target")) {
    ASSIGN_OR_RETURN(budget.target_seconds, ReadPositive(*target, limits::kRunTimeoutSeconds,
                                                         "a latency in seconds: 1.2 ms is 0.0012"));
  }
  if (const Node* share = node.Find("roof_share")) {
    ASSIGN_OR_RETURN(budget.roof_share, ReadPositive(*share, 1, "80 % is 0.8"));
    if (!spec.workload && (!spec.work.flops || !spec.work.bytes)) {
      return ErrorAtKey(*share, "the job does not say how much work one execution is",
                        "add `work: {flops: …, bytes: …}` under `kernel`");
    }
  }
  return absl::OkStatus();
}

absl::Status ReadStrategy(const Node& node, JobSpec& spec) {
  const Node* name = &node;  // `strategy: random` is short for {name: random}
  if (node.kind != Node::Kind::kScalar) {
    RETURN_IF_ERROR(CheckKeys(node, {{"name", "seed", "history"}}));
    name = node.Find("name");
  }
  if (name != nullptr) {
    ASSIGN_OR_RETURN(spec.strategy.name, ReadName(*name, "strategy", Strategies()));
  }
  if (const Node* seed = node.Find("seed")) {
    ASSIGN_OR_RETURN(const int64_t number,
                     ReadInteger(*seed, 0, std::numeric_limits<int64_t>::max()));
    spec.strategy.seed = static_cast<uint64_t>(number);
  }
  if (const Node* history = node.Find("history")) {
    ASSIGN_OR_RETURN(spec.strategy.history, ReadBoolean(*history));
  }
  return absl::OkStatus();
}

}  // namespace burnish::spec
