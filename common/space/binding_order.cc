#include "common/space/binding_order.h"

#include <algorithm>
#include <string>

#include "common/base/check.h"

namespace burnish::space {

using VariableSet = expr::Circuit::VariableSet;

std::vector<size_t> BindingOrder(const std::vector<size_t>& component,
                                 const std::vector<size_t>& domain_sizes,
                                 std::vector<VariableSet> conditions) {
  std::vector<size_t> by_size = component;
  std::ranges::stable_sort(by_size, {}, [&](size_t p) { return domain_sizes[p]; });
  std::vector<size_t> order;
  VariableSet bound = 0;
  const auto bind = [&](VariableSet variables) {
    for (const size_t p : by_size) {
      if (((variables & ~bound) >> p & 1) != 0) order.push_back(p);
    }
    bound |= variables;
  };
  // A double suffices for an estimate and cannot overflow: 4096^64 is below 1e232.
  const auto combinations = [&](VariableSet variables) {
    double product = 1;
    for (const size_t p : component) {
      if (((variables & ~bound) >> p & 1) != 0) product *= static_cast<double>(domain_sizes[p]);
    }
    return product;
  };
  while (!conditions.empty()) {
    const auto cheapest = std::ranges::min_element(conditions, {}, combinations);
    bind(*cheapest);
    conditions.erase(cheapest);
  }
  for (const size_t p : by_size) bind(VariableSet{1} << p);
  return order;
}

std::vector<size_t> ParametersOf(const expr::Expression& constraint,
                                 const std::vector<Parameter>& parameters) {
  std::vector<size_t> used;
  for (const std::string& name : constraint.names()) {
    const auto parameter =
        std::find_if(parameters.begin(), parameters.end(),
                     [&name](const Parameter& candidate) { return candidate.name == name; });
    CHECK(parameter != parameters.end()) << name;
    used.push_back(static_cast<size_t>(parameter - parameters.begin()));
  }
  return used;
}

}  // namespace burnish::space
