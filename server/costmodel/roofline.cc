#include "server/costmodel/roofline.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "common/base/check.h"

namespace burnish::costmodel {

std::optional<double> LeastSeconds(const work::Roofs& roofs, const work::KernelWork& work) {
  const std::optional<double> attainable = work::AttainableOperations(roofs, work);
  if (!attainable.has_value() || *attainable <= 0) return std::nullopt;
  return work.flops / *attainable / kBeyondRoof;
}

Roofline::Roofline(const space::SearchSpace& space, work::Roofs roofs, work::KernelWork work,
                   spec::WorkAmount flops, spec::WorkAmount bytes)
    : space_(space),
      roofs_(std::move(roofs)),
      work_(std::move(work)),
      flops_(AmountOf(std::move(flops))),
      bytes_(AmountOf(std::move(bytes))) {}

double Roofline::LeastSeconds(space::ConfigurationIndex index) const {
  const space::Row row = space_.RowAt(index);
  work::KernelWork work = work_;
  work.flops = Evaluate(flops_, row);
  work.bytes = Evaluate(bytes_, row);
  return costmodel::LeastSeconds(roofs_, work).value_or(0);
}

Roofline::Amount Roofline::AmountOf(spec::WorkAmount what) const {
  Amount amount{.what = std::move(what), .parameters = {}};
  const auto* expression = std::get_if<expr::Expression>(&amount.what);
  if (expression == nullptr) return amount;
  for (const std::string& name : expression->names()) {
    const auto& parameters = space_.parameters();
    const auto found = std::ranges::find(parameters, name, &space::Parameter::name);
    CHECK(found != parameters.end()) << name << " is no parameter";
    amount.parameters.push_back(found - parameters.begin());
  }
  return amount;
}

double Roofline::Evaluate(const Amount& amount, const space::Row& row) const {
  if (const auto* number = std::get_if<double>(&amount.what)) return *number;
  std::vector<expr::Value> values;
  for (const size_t p : amount.parameters) {
    values.push_back(space_.parameters()[p].values[space_.layout().Get(row.data(), p)]);
  }
  const auto value = std::get<expr::Expression>(amount.what).Evaluate(values);
  return value.ok() ? expr::RealOf(*value).value_or(0) : 0;
}

}  // namespace burnish::costmodel
