#include "common/space/reduction.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "common/space/binding_order.h"

namespace burnish::space {
namespace {

using expr::Circuit;
using expr::CircuitNode;
using expr::Slot;
using VariableSet = Circuit::VariableSet;

std::vector<uint32_t> WholeDomain(const Parameter& parameter) {
  std::vector<uint32_t> domain(parameter.values.size());
  std::iota(domain.begin(), domain.end(), 0u);
  if (std::ranges::all_of(parameter.values, expr::IsNumber)) {
    std::ranges::stable_sort(domain, [&](uint32_t a, uint32_t b) {
      return expr::CompareNumbers(expr::View(parameter.values[a]),
                                  expr::View(parameter.values[b])) < 0;
    });
  }
  return domain;
}

class Reducer {
 public:
  Reducer(const std::vector<Parameter>& parameters, std::span<const expr::Expression> constraints)
      : parameters_(parameters), constraints_(constraints) {
    for (const Parameter& parameter : parameters) domains_.push_back(WholeDomain(parameter));
  }

  Reduction Run() {
    do {
      Lower();
    } while (Narrow());
    if (!result_.is_empty) FindComponents();
    result_.domains = std::move(domains_);
    return std::move(result_);
  }

 private:
  // The constraints over the values that are left.
  void Lower() {
    result_ = Reduction();
    VariableSet several = 0;
    for (size_t p = 0; p < parameters_.size(); ++p) {
      std::vector<expr::Value> values;
      for (const uint32_t value : domains_[p]) values.push_back(parameters_[p].values[value]);
      if (values.size() > 1) several |= VariableSet{1} << p;
      result_.circuit.AddVariable(parameters_[p].name, std::move(values));
    }
    for (const expr::Expression& constraint : constraints_) {
      if (const auto conditions = result_.circuit.Add(constraint)) {
        result_.conditions.insert(result_.conditions.end(), conditions->begin(), conditions->end());
        continue;
      }
      ExactConstraint exact{&constraint, ParametersOf(constraint, parameters_), 0};
      for (const size_t p : exact.parameters) exact.variables |= VariableSet{1} << p & several;
      result_.exact.push_back(std::move(exact));
    }
  }

  // Removes the values that conditions on one parameter exclude, and these conditions. True if
  // there were such values: the bounds have changed then.
  bool Narrow() {
    kept_.clear();
    for (const auto& domain : domains_) kept_.emplace_back(domain.size(), true);
    std::erase_if(result_.conditions, [&](const Circuit::Condition& condition) {
      return std::popcount(condition.variables) <= 1 && Settle(condition);
    });
    std::erase_if(result_.exact, [&](const ExactConstraint& exact) {
      return std::popcount(exact.variables) <= 1 && Settle(exact);
    });
    bool narrowed = false;
    for (size_t p = 0; p < domains_.size(); ++p) {
      std::vector<uint32_t> left;
      for (size_t place = 0; place < domains_[p].size(); ++place) {
        if (kept_[p][place]) left.push_back(domains_[p][place]);
      }
      result_.is_empty = result_.is_empty || left.empty();
      narrowed = narrowed || left.size() < domains_[p].size();
      domains_[p] = std::move(left);
    }
    return narrowed && !result_.is_empty;
  }

  bool Settle(const Circuit::Condition& condition) {
    const Circuit& circuit = result_.circuit;
    const std::vector<CircuitNode> nodes = circuit.Needed({condition.truth});
    std::vector<Slot> slots = circuit.constants();
    return SettleBy(condition.variables, [&](size_t p, size_t place) -> std::optional<bool> {
      if (condition.variables != 0) slots[p] = circuit.ValueSlot(p, place);
      for (const CircuitNode node : nodes) {
        slots[node] = Compute(circuit.instruction(node), slots.data());
      }
      const int64_t truth = slots[condition.truth].integer;
      return truth == expr::kFaultInteger ? std::nullopt : std::optional(truth != 0);
    });
  }

  bool Settle(const ExactConstraint& exact) {
    return SettleBy(exact.variables, [&](size_t p, size_t place) -> std::optional<bool> {
      std::vector<expr::Value> arguments;
      for (const size_t used : exact.parameters) {
        arguments.push_back(parameters_[used].values[domains_[used][used == p ? place : 0]]);
      }
      const absl::StatusOr<bool> holds = exact.constraint->Test(arguments);
      return holds.ok() ? std::optional(*holds) : std::nullopt;
    });
  }

  // `holds` says it of the one variable's value at a place; nothing if it cannot be evaluated. True
  // if it could everywhere: what is left needs no test then.
  template <typename Holds>
  bool SettleBy(VariableSet variables, Holds holds) {
    if (variables == 0) {
      const std::optional<bool> truth = holds(parameters_.size(), 0);
      result_.is_empty = result_.is_empty || truth == false;
      result_.always_fails = result_.always_fails || !truth.has_value();
      return true;
    }
    const auto p = static_cast<size_t>(std::countr_zero(variables));
    bool settled = true;
    for (size_t place = 0; place < domains_[p].size(); ++place) {
      const std::optional<bool> truth = holds(p, place);
      if (truth == false) kept_[p][place] = false;
      settled = settled && truth.has_value();
    }
    return settled;
  }

  void FindComponents() {
    std::vector<VariableSet> sets;
    for (size_t p = 0; p < domains_.size(); ++p) {
      if (domains_[p].size() > 1) sets.push_back(VariableSet{1} << p);
    }
    const auto connect = [&](VariableSet variables) {
      VariableSet joined = variables;
      for (const VariableSet set : sets) {
        if ((set & variables) != 0) joined |= set;
      }
      std::erase_if(sets, [&](VariableSet set) { return (set & variables) != 0; });
      if (joined != 0) sets.push_back(joined);
    };
    for (const Circuit::Condition& condition : result_.conditions) connect(condition.variables);
    for (const ExactConstraint& exact : result_.exact) connect(exact.variables);
    std::ranges::sort(sets, {}, [](VariableSet set) { return std::countr_zero(set); });
    for (const VariableSet set : sets) {
      std::vector<size_t>& component = result_.components.emplace_back();
      for (size_t p = 0; p < domains_.size(); ++p) {
        if ((set >> p & 1) != 0) component.push_back(p);
      }
    }
  }

  const std::vector<Parameter>& parameters_;
  const std::span<const expr::Expression> constraints_;
  std::vector<std::vector<uint32_t>> domains_;
  std::vector<std::vector<bool>> kept_;  // by parameter and place in the domain
  Reduction result_;
};

}  // namespace

Reduction Reduce(const std::vector<Parameter>& parameters,
                 std::span<const expr::Expression> constraints) {
  return Reducer(parameters, constraints).Run();
}

}  // namespace burnish::space
