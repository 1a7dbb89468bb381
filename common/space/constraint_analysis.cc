// How much each constraint alone removes.
#include <vector>

#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/space/binding_order.h"
#include "common/space/declaration_check.h"
#include "common/space/search_space.h"

namespace burnish::space {
namespace {

constexpr uint64_t kSamples = 200'000;

// One constraint over the Cartesian product of its own parameters; the others do not matter.
class OwnProduct {
 public:
  OwnProduct(const expr::Expression& constraint, const std::vector<Parameter>& parameters)
      : constraint_(constraint) {
    for (const size_t parameter : ParametersOf(constraint, parameters)) {
      domains_.push_back(&parameters[parameter].values);
      arguments_.push_back(domains_.back()->front());
    }
  }

  bool HasAtMost(uint64_t bound) const {
    uint64_t size = 1;
    for (const auto* domain : domains_) {
      if (__builtin_mul_overflow(size, domain->size(), &size) || size > bound) return false;
    }
    return size <= bound;
  }

  double ExactShare() {
    std::vector<size_t> odometer(domains_.size(), 0);
    uint64_t kept = 0;
    uint64_t total = 0;
    size_t digit = 0;
    do {
      ++total;
      if (Holds()) ++kept;
      for (digit = 0; digit < domains_.size(); ++digit) {
        const bool wraps = ++odometer[digit] == domains_[digit]->size();
        if (wraps) odometer[digit] = 0;
        arguments_[digit] = (*domains_[digit])[odometer[digit]];
        if (!wraps) break;
      }
    } while (digit < domains_.size());
    return static_cast<double>(kept) / static_cast<double>(total);
  }

  double SampledShare(RandomStream& random) {
    uint64_t kept = 0;
    for (uint64_t sample = 0; sample < kSamples; ++sample) {
      for (size_t i = 0; i < domains_.size(); ++i) {
        arguments_[i] = (*domains_[i])[random.UniformBelow(domains_[i]->size())];
      }
      if (Holds()) ++kept;
    }
    return static_cast<double>(kept) / static_cast<double>(kSamples);
  }

 private:
  bool Holds() const {
    const absl::StatusOr<bool> holds = constraint_.Test(arguments_);
    return holds.ok() && *holds;
  }

  const expr::Expression& constraint_;
  std::vector<const std::vector<expr::Value>*> domains_;
  std::vector<expr::Value> arguments_;
};

}  // namespace

absl::StatusOr<std::vector<ConstraintShare>> AnalyseConstraints(
    const std::vector<Parameter>& parameters, const std::vector<expr::Expression>& constraints,
    uint64_t max_exact) {
  RETURN_IF_ERROR(CheckParameters(parameters));
  RETURN_IF_ERROR(CheckConstraints(parameters, constraints));
  std::vector<ConstraintShare> shares;
  for (size_t i = 0; i < constraints.size(); ++i) {
    OwnProduct product(constraints[i], parameters);
    ConstraintShare share{.text = constraints[i].text()};
    share.exact = product.HasAtMost(max_exact);
    RandomStream random(0, "constraint share", i);
    share.kept = share.exact ? product.ExactShare() : product.SampledShare(random);
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace burnish::space
