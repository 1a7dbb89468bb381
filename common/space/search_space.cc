#include "common/space/search_space.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/space/binding_order.h"
#include "common/space/construction.h"
#include "common/space/declaration_check.h"

namespace burnish::space {
namespace {

constexpr size_t kValuesShown = 8;
constexpr uint64_t kMostIndices = std::numeric_limits<int64_t>::max();

std::string DomainText(const Parameter& parameter) {
  std::vector<std::string> values;
  for (const expr::Value& value : parameter.values) {
    if (values.size() == kValuesShown) {
      values.push_back("…");
      break;
    }
    values.push_back(expr::FormatValue(value));
  }
  return absl::StrCat("its values are ", absl::StrJoin(values, ", "));
}

}  // namespace

SearchSpace::SearchSpace(std::shared_ptr<const Construction> parts)
    : parts_(std::move(parts)), parameters_(&parts_->parameters), layout_(&parts_->layout) {}

const std::vector<expr::Expression>& SearchSpace::constraints() const {
  return parts_->constraints;
}

absl::StatusOr<SearchSpace> SearchSpace::Create(std::vector<Parameter> parameters,
                                                std::vector<expr::Expression> constraints,
                                                const ConstructionOptions& options) {
  RETURN_IF_ERROR(CheckParameters(parameters));
  RETURN_IF_ERROR(CheckConstraints(parameters, constraints));
  ASSIGN_OR_RETURN(auto parts, Construct(std::move(parameters), std::move(constraints), options));
  SearchSpace space(std::move(parts));
  RETURN_IF_ERROR(space.Measure());
  return space;
}

absl::StatusOr<SearchSpace> SearchSpace::Listed(
    std::vector<Parameter> parameters, const std::vector<std::vector<uint32_t>>& configurations) {
  RETURN_IF_ERROR(CheckParameters(parameters));
  if (configurations.empty()) return InvalidInput("the list of configurations is empty");
  auto parts = std::make_shared<Construction>();
  parts->layout = RowLayout(parameters);
  const RowLayout& layout = parts->layout;
  parts->fixed.assign(layout.words(), 0);
  std::vector<uint64_t> rows;
  for (const std::vector<uint32_t>& values : configurations) {
    CHECK(values.size() == parameters.size());
    Row row(layout.words(), 0);
    for (size_t i = 0; i < values.size(); ++i) {
      CHECK(values[i] < parameters[i].values.size());
      layout.Set(row.data(), i, values[i]);
    }
    rows.insert(rows.end(), row.begin(), row.end());
  }
  parts->parameters = std::move(parameters);
  parts->components.push_back(Component::Enumerated(
      0, layout.words(), std::move(rows), std::vector<uint64_t>(layout.words(), ~uint64_t{0})));
  SearchSpace space(std::move(parts));
  RETURN_IF_ERROR(space.Measure());
  for (ConfigurationIndex i = 1; i < space.size(); ++i) {
    if (space.RowAt(i - 1) != space.RowAt(i)) continue;
    return InvalidInput(absl::StrCat("configuration ", ToJson(space.At(i)), " is listed twice"));
  }
  return space;
}

absl::Status SearchSpace::Measure() {
  double estimate = 1;
  for (const Component& component : parts_->components) {
    is_enumerable_ = is_enumerable_ && component.is_enumerated();
    estimate *= component.size();
  }
  bool fits = true;
  const auto multiply = [&](uint64_t factor) {
    fits = fits && !__builtin_mul_overflow(index_end_, factor, &index_end_) &&
           index_end_ <= kMostIndices;
  };
  if (is_enumerable_) {
    for (const Component& component : parts_->components) multiply(component.rows());
  } else {
    for (const Parameter& parameter : parameters()) multiply(parameter.values.size());
  }
  if (!fits) {
    Diagnostic diagnostic;
    diagnostic.message =
        is_enumerable_ ? absl::StrFormat(
                             "the search space has about %.2g configurations; at most 9.2e18 can "
                             "be numbered",
                             estimate)
                       : absl::StrCat("the search space is too large to list, and its product of ",
                                      CartesianSize(), " combinations too large to number (2^63)");
    diagnostic.hint = "add constraints, or remove parameters or values";
    return DiagnosticStatus(absl::StatusCode::kResourceExhausted, diagnostic);
  }
  size_ = is_enumerable_ ? index_end_ : static_cast<uint64_t>(estimate);
  return absl::OkStatus();
}

std::string SearchSpace::CartesianSize() const {
  constexpr uint64_t kBase = 1'000'000'000;
  std::vector<uint64_t> digits = {1};  // in base 10^9, lowest first
  for (const Parameter& parameter : parameters()) {
    uint64_t carry = 0;
    for (uint64_t& digit : digits) {
      carry += digit * parameter.values.size();
      digit = carry % kBase;
      carry /= kBase;
    }
    if (carry > 0) digits.push_back(carry);
  }
  std::string text = absl::StrCat(digits.back());
  for (size_t i = digits.size() - 1; i-- > 0;) absl::StrAppendFormat(&text, "%09d", digits[i]);
  return text;
}

uint64_t SearchSpace::Bytes() const {
  uint64_t bytes = 0;
  for (const Component& component : parts_->components) bytes += component.bytes();
  return bytes;
}

Configuration SearchSpace::At(ConfigurationIndex index) const {
  const Row row = RowAt(index);
  Configuration configuration;
  configuration.reserve(parameters().size());
  for (size_t i = 0; i < parameters().size(); ++i) {
    const Parameter& parameter = parameters()[i];
    configuration.push_back({parameter.name, parameter.values[layout().Get(row.data(), i)]});
  }
  return configuration;
}

Row SearchSpace::RowAt(ConfigurationIndex index) const {
  CHECK(index < index_end_) << "configuration " << index << " of " << index_end_;
  if (!is_enumerable_) return CartesianRow(index);
  Row row = parts_->fixed;
  for (size_t i = parts_->components.size(); i-- > 0;) {
    const Component& component = parts_->components[i];
    component.Put(i == 0 ? index : index % component.rows(), row.data());
    if (i > 0) index /= component.rows();
  }
  return row;
}

Row SearchSpace::CartesianRow(ConfigurationIndex index) const {
  Row row(layout().words(), 0);
  for (size_t p = parameters().size(); p-- > 0;) {
    const uint64_t values = parameters()[p].values.size();
    layout().Set(row.data(), p, index % values);
    index /= values;
  }
  return row;
}

ConfigurationIndex SearchSpace::CartesianIndex(const uint64_t* row) const {
  ConfigurationIndex index = 0;
  for (size_t p = 0; p < parameters().size(); ++p) {
    index = index * parameters()[p].values.size() + layout().Get(row, p);
  }
  return index;
}

bool SearchSpace::Contains(ConfigurationIndex index) const {
  if (index >= index_end_ || is_enumerable_) return index < index_end_;
  return IndexOfRow(CartesianRow(index).data()).has_value();
}

ConfigurationIndex SearchSpace::Sample(RandomStream& random) const {
  if (is_enumerable_) return random.UniformBelow(size_);
  Row row = parts_->fixed;
  for (const Component& component : parts_->components) component.PutRandom(random, row.data());
  return CartesianIndex(row.data());
}

std::optional<ConfigurationIndex> SearchSpace::IndexOf(const Configuration& configuration) const {
  const absl::StatusOr<std::vector<size_t>> indices = ValueIndices(configuration);
  if (!indices.ok()) return std::nullopt;
  Row row(layout().words(), 0);
  for (size_t i = 0; i < indices->size(); ++i) layout().Set(row.data(), i, (*indices)[i]);
  return IndexOfRow(row.data());
}

std::optional<ConfigurationIndex> SearchSpace::IndexOfRow(const uint64_t* row) const {
  for (const size_t p : parts_->fixed_parameters) {
    if (layout().Get(row, p) != layout().Get(parts_->fixed.data(), p)) return std::nullopt;
  }
  ConfigurationIndex index = 0;
  for (const Component& component : parts_->components) {
    if (!is_enumerable_) {
      if (!component.Holds(row)) return std::nullopt;
      continue;
    }
    const std::optional<uint64_t> rank = component.RankOf(row);
    if (!rank.has_value()) return std::nullopt;
    index = index * component.rows() + *rank;
  }
  return is_enumerable_ ? index : CartesianIndex(row);
}

absl::StatusOr<std::optional<size_t>> SearchSpace::BrokenConstraint(
    const Configuration& configuration) const {
  ASSIGN_OR_RETURN(const std::vector<size_t> indices, ValueIndices(configuration));
  absl::Status not_evaluated;
  for (size_t i = 0; i < constraints().size(); ++i) {
    std::vector<expr::Value> arguments;
    for (const size_t parameter : ParametersOf(constraints()[i], parameters())) {
      arguments.push_back(parameters()[parameter].values[indices[parameter]]);
    }
    const absl::StatusOr<bool> holds = constraints()[i].Test(arguments);
    if (!holds.ok()) {
      not_evaluated.Update(holds.status());
    } else if (!*holds) {
      return i;
    }
  }
  RETURN_IF_ERROR(not_evaluated);
  return std::nullopt;
}

absl::StatusOr<std::vector<size_t>> SearchSpace::ValueIndices(
    const Configuration& configuration) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters()) names.push_back(parameter.name);
  std::vector<std::optional<size_t>> found(parameters().size());
  for (const Setting& setting : configuration) {
    const auto place = std::find(names.begin(), names.end(), setting.name);
    if (place == names.end()) {
      return InvalidInput(absl::StrCat("unknown parameter '", setting.name, "'"),
                          NameHint(setting.name, names));
    }
    const auto parameter = static_cast<size_t>(place - names.begin());
    if (found[parameter].has_value()) {
      return InvalidInput(absl::StrCat("parameter '", setting.name, "' is set twice"));
    }
    const std::vector<expr::Value>& values = parameters()[parameter].values;
    const auto value = std::find_if(
        values.begin(), values.end(),
        [&setting](const auto& candidate) { return expr::Equal(candidate, setting.value); });
    if (value == values.end()) {
      return InvalidInput(absl::StrCat(expr::FormatValue(setting.value),
                                       " is not a value of parameter '", setting.name, "'"),
                          DomainText(parameters()[parameter]));
    }
    found[parameter] = static_cast<size_t>(value - values.begin());
  }
  std::vector<size_t> indices;
  for (size_t i = 0; i < parameters().size(); ++i) {
    if (!found[i].has_value()) {
      return InvalidInput(absl::StrCat("parameter '", names[i], "' is missing"));
    }
    indices.push_back(*found[i]);
  }
  return indices;
}

}  // namespace burnish::space
