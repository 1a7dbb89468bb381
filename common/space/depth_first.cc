#include "common/space/depth_first.h"

#include <algorithm>
#include <limits>

#include "common/base/limits.h"
#include "common/space/binding_order.h"

namespace burnish::space {

DepthFirst::DepthFirst(const std::vector<Parameter>& parameters,
                       std::span<const expr::Expression> constraints, const RowLayout& layout,
                       Goal goal)
    : parameters_(parameters),
      constraints_(constraints),
      layout_(layout),
      goal_(goal),
      row_(layout.words(), 0) {
  PlanSteps();
  PlanUnconstrainedEnd();
}

void DepthFirst::PlanSteps() {
  std::vector<size_t> depth_of(parameters_.size());
  for (const size_t parameter : BindingOrder(parameters_, constraints_)) {
    depth_of[parameter] = steps_.size();
    steps_.push_back({.parameter = parameter, .uses = {}, .decided = {}});
  }
  for (size_t i = 0; i < constraints_.size(); ++i) {
    const std::vector<size_t> used = ParametersOf(constraints_[i], parameters_);
    arguments_.emplace_back(used.size());
    size_t last_depth = 0;
    for (size_t argument = 0; argument < used.size(); ++argument) {
      const size_t depth = depth_of[used[argument]];
      steps_[depth].uses.push_back({i, argument});
      last_depth = std::max(last_depth, depth);
    }
    (used.empty() ? decided_at_once_ : steps_[last_depth].decided).push_back(i);
  }
}

void DepthFirst::PlanUnconstrainedEnd() {
  unconstrained_from_ = steps_.size();
  while (unconstrained_from_ > 0 && steps_[unconstrained_from_ - 1].decided.empty()) {
    --unconstrained_from_;
    const uint64_t values = parameters_[steps_[unconstrained_from_].parameter].values.size();
    if (__builtin_mul_overflow(unconstrained_size_, values, &unconstrained_size_)) {
      unconstrained_size_ = std::numeric_limits<uint64_t>::max();
    }
  }
}

DepthFirst::Outcome DepthFirst::Run() {
  if (!Removes(decided_at_once_)) Descend(0);
  return outcome_;
}

bool DepthFirst::Descend(size_t depth) {
  if (depth == unconstrained_from_ && goal_ == Goal::kAll) {
    const uint64_t room = limits::kSpaceConfigurations - rows_.size() / layout_.words();
    if (unconstrained_size_ > room) {
      outcome_ = Outcome::kTooMany;
      return false;
    }
  }
  if (depth == steps_.size()) return Collect();
  const Step& step = steps_[depth];
  const std::vector<expr::Value>& values = parameters_[step.parameter].values;
  const bool not_evaluated_above = not_evaluated_;
  for (size_t i = 0; i < values.size(); ++i) {
    if (++bindings_ > limits::kSpaceConstructionSteps) {
      outcome_ = Outcome::kTooLong;
      return false;
    }
    layout_.Set(row_.data(), step.parameter, i);
    for (const Use& use : step.uses) arguments_[use.constraint][use.argument] = values[i];
    if (!Removes(step.decided) && !Descend(depth + 1)) return false;
    not_evaluated_ = not_evaluated_above;
  }
  return true;
}

bool DepthFirst::Collect() {
  if (goal_ == Goal::kFirst) {
    outcome_ = Outcome::kFound;
    return false;
  }
  if (not_evaluated_) {
    outcome_ = Outcome::kNotEvaluated;
    return false;
  }
  rows_.insert(rows_.end(), row_.begin(), row_.end());
  return true;
}

bool DepthFirst::Removes(const std::vector<size_t>& decided) {
  for (const size_t i : decided) {
    const absl::StatusOr<bool> holds = constraints_[i].Test(arguments_[i]);
    if (!holds.ok()) {
      not_evaluated_ = true;
    } else if (!*holds) {
      return true;
    }
  }
  return false;
}

}  // namespace burnish::space
