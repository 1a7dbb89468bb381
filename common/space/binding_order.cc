#include "common/space/binding_order.h"

#include <algorithm>

#include "common/base/check.h"

namespace burnish::space {
namespace {

// Combinations of the values of those parameters that are not bound yet. A double suffices for an
// estimate and cannot overflow: 4096^64 is below 1e232.
double Combinations(const std::vector<size_t>& used, const std::vector<bool>& is_bound,
                    const std::vector<Parameter>& parameters) {
  double combinations = 1;
  for (const size_t parameter : used) {
    if (!is_bound[parameter]) {
      combinations *= static_cast<double>(parameters[parameter].values.size());
    }
  }
  return combinations;
}

}  // namespace

std::vector<size_t> BindingOrder(const std::vector<Parameter>& parameters,
                                 std::span<const expr::Expression> constraints) {
  std::vector<size_t> order;
  std::vector<bool> is_bound(parameters.size(), false);
  const auto bind = [&](const std::vector<size_t>& used) {
    const size_t begin = order.size();
    for (const size_t parameter : used) {
      if (!is_bound[parameter]) order.push_back(parameter);
      is_bound[parameter] = true;
    }
    std::sort(order.begin() + static_cast<ptrdiff_t>(begin), order.end(), [&](size_t a, size_t b) {
      const size_t a_size = parameters[a].values.size();
      const size_t b_size = parameters[b].values.size();
      return a_size != b_size ? a_size < b_size : a < b;
    });
  };

  std::vector<std::vector<size_t>> pending;
  for (const expr::Expression& constraint : constraints) {
    pending.push_back(ParametersOf(constraint, parameters));
  }
  while (!pending.empty()) {
    const auto cheapest =
        std::min_element(pending.begin(), pending.end(), [&](const auto& a, const auto& b) {
          return Combinations(a, is_bound, parameters) < Combinations(b, is_bound, parameters);
        });
    bind(*cheapest);
    pending.erase(cheapest);
  }
  for (size_t parameter = 0; parameter < parameters.size(); ++parameter) bind({parameter});
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
