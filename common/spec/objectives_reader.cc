// `objectives:` and `limits:`, what a job wants of a kernel beside being right.
#include <algorithm>
#include <string>

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/section_readers.h"
#include "common/spec/vocabulary.h"

namespace burnish::spec {
namespace {

// The metric is a word that Metrics() has.
absl::StatusOr<Metric> CheckedMetric(const Node& node, const std::string& name,
                                     const JobSpec& spec) {
  const Metric metric = *ParseMetric(name);
  if (metric == Metric::kError && spec.reference.kind == Reference::Kind::kNone) {
    return ErrorAt(node, "there is no error without a reference", "the job says `reference: none`");
  }
  return metric;
}

absl::StatusOr<Objective> ReadObjective(const Node& node, const JobSpec& spec) {
  const Node* name = &node;  // `throughput` is short for {metric: throughput}
  const Node* direction = nullptr;
  if (node.kind == Node::Kind::kMapping) {
    RETURN_IF_ERROR(CheckKeys(node, {{"metric", "direction"}}));
    ASSIGN_OR_RETURN(name, Require(node, "metric"));
    direction = node.Find("direction");
  }
  ASSIGN_OR_RETURN(const std::string word, ReadName(*name, "objective", Metrics()));
  Objective objective;
  ASSIGN_OR_RETURN(objective.metric, CheckedMetric(*name, word, spec));
  objective.maximise = MaximisedByDefault(objective.metric);
  if (direction != nullptr) {
    ASSIGN_OR_RETURN(const std::string wanted,
                     ReadName(*direction, "direction", {{"minimize", "maximize"}}));
    objective.maximise = wanted == "maximize";
  }
  return objective;
}

// Refuses a second objective that says nothing new.
absl::Status CheckNew(const Node& node, Metric metric, const JobSpec& spec) {
  const auto of_speed = [](Metric one) {
    return one == Metric::kLatency || one == Metric::kThroughput;
  };
  for (const Objective& other : spec.objectives) {
    if (other.metric == metric) {
      return ErrorAt(node, "'" + std::string(MetricName(metric)) + "' stands twice");
    }
    if (of_speed(other.metric) && of_speed(metric)) {
      return ErrorAt(node, "throughput is 1 / latency: they are one objective",
                     "leave one of them out");
    }
  }
  return absl::OkStatus();
}

// A value for each name: constants have theirs, metrics one that could have been measured.
absl::StatusOr<std::vector<expr::Value>> SampleValues(const Node& node,
                                                      const expr::Expression& limit,
                                                      const JobSpec& spec) {
  constexpr double kSample = 0.73681;  // unlikely to make a sound expression fail
  std::vector<expr::Value> values;
  bool any_metric = false;
  for (size_t i = 0; i < limit.names().size(); ++i) {
    const std::string& name = limit.names()[i];
    if (ParseMetric(name)) {
      RETURN_IF_ERROR(CheckedMetric(node, name, spec).status());
      any_metric = true;
      values.emplace_back(kSample);
    } else if (const auto constant = FindConstant(spec, name)) {
      values.push_back(*constant);
    } else if (std::ranges::count(spec.parameters, name, &space::Parameter::name) > 0) {
      return ErrorAtName(node, limit, i, Quoted(name) + " is a parameter: limits are of metrics",
                         "what parameters must satisfy stands under `constraints`");
    } else {
      return ErrorAtName(node, limit, i, "unknown name " + Quoted(name),
                         NameHint(name, Metrics().known));
    }
  }
  if (!any_metric) {
    return ErrorAt(node, "names no metric", NameHint("", Metrics().known));
  }
  return values;
}

absl::StatusOr<expr::Expression> ReadLimit(const Node& node, const JobSpec& spec) {
  ASSIGN_OR_RETURN(expr::Expression limit, ParseExpression(node));
  ASSIGN_OR_RETURN(const std::vector<expr::Value> values, SampleValues(node, limit, spec));
  const absl::StatusOr<expr::Value> value = limit.Evaluate(values);
  if (!value.ok()) return PlaceError(node, value.status());
  if (!std::holds_alternative<bool>(*value)) {
    return ErrorAt(node, std::string("must be true or false, not a number: ") + Quoted(node.text),
                   "compare it with something: power <= 15");
  }
  return limit;
}

}  // namespace

absl::Status ReadObjectives(const Node& objectives, JobSpec& spec) {
  RETURN_IF_ERROR(CheckList(objectives, "write [latency]"));
  if (objectives.children.empty()) {
    return ErrorAt(objectives, "has no objective", "write [latency]");
  }
  spec.objectives.clear();
  for (const Node* node : objectives.children) {
    ASSIGN_OR_RETURN(const Objective objective, ReadObjective(*node, spec));
    RETURN_IF_ERROR(CheckNew(*node, objective.metric, spec));
    spec.objectives.push_back(objective);
  }
  return absl::OkStatus();
}

absl::Status ReadLimits(const Node& limits, JobSpec& spec) {
  RETURN_IF_ERROR(CheckList(limits, "write [\"power <= 15\"]"));
  if (limits.children.size() > limits::kConstraints) {
    return ErrorAt(limits, "has more than " + std::to_string(limits::kConstraints) + " limits");
  }
  for (const Node* node : limits.children) {
    ASSIGN_OR_RETURN(expr::Expression limit, ReadLimit(*node, spec));
    spec.limits.push_back(std::move(limit));
  }
  return absl::OkStatus();
}

}  // namespace burnish::spec
