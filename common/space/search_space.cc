#include "common/space/search_space.h"

#include <algorithm>
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

absl::StatusOr<SearchSpace> SearchSpace::Create(std::vector<Parameter> parameters,
                                                std::vector<expr::Expression> constraints) {
  RETURN_IF_ERROR(CheckParameters(parameters));
  RETURN_IF_ERROR(CheckConstraints(parameters, constraints));
  SearchSpace space;
  space.layout_ = RowLayout(parameters);
  ASSIGN_OR_RETURN(space.rows_, ConstructRows(parameters, constraints, space.layout_));
  space.size_ = space.rows_.size() / space.layout_.words();
  space.parameters_ = std::move(parameters);
  space.constraints_ = std::move(constraints);
  return space;
}

absl::StatusOr<SearchSpace> SearchSpace::Listed(
    std::vector<Parameter> parameters, const std::vector<std::vector<uint32_t>>& configurations) {
  RETURN_IF_ERROR(CheckParameters(parameters));
  if (configurations.empty()) return InvalidInput("the list of configurations is empty");
  SearchSpace space;
  space.layout_ = RowLayout(parameters);
  std::vector<Row> rows;
  rows.reserve(configurations.size());
  for (const std::vector<uint32_t>& values : configurations) {
    CHECK(values.size() == parameters.size());
    Row row(space.layout_.words(), 0);
    for (size_t i = 0; i < values.size(); ++i) {
      CHECK(values[i] < parameters[i].values.size());
      space.layout_.Set(row.data(), i, values[i]);
    }
    rows.push_back(std::move(row));
  }
  std::ranges::sort(rows);
  space.parameters_ = std::move(parameters);
  space.size_ = rows.size();
  for (const Row& row : rows) space.rows_.insert(space.rows_.end(), row.begin(), row.end());
  if (const auto twice = std::ranges::adjacent_find(rows); twice != rows.end()) {
    const auto index = static_cast<ConfigurationIndex>(twice - rows.begin());
    return InvalidInput(
        absl::StrCat("configuration ", ToJson(space.At(index)), " is listed twice"));
  }
  return space;
}

std::string SearchSpace::CartesianSize() const {
  constexpr uint64_t kBase = 1'000'000'000;
  std::vector<uint64_t> digits = {1};  // in base 10^9, lowest first
  for (const Parameter& parameter : parameters_) {
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

Configuration SearchSpace::At(ConfigurationIndex index) const {
  CHECK(index < size_);
  const Row row = RowAt(index);
  Configuration configuration;
  configuration.reserve(parameters_.size());
  for (size_t i = 0; i < parameters_.size(); ++i) {
    configuration.push_back(
        {parameters_[i].name, parameters_[i].values[layout_.Get(row.data(), i)]});
  }
  return configuration;
}

std::optional<ConfigurationIndex> SearchSpace::IndexOf(const Configuration& configuration) const {
  const absl::StatusOr<std::vector<size_t>> indices = ValueIndices(configuration);
  if (!indices.ok()) return std::nullopt;
  std::vector<uint64_t> row(layout_.words(), 0);
  for (size_t i = 0; i < indices->size(); ++i) layout_.Set(row.data(), i, (*indices)[i]);
  return IndexOfRow(row.data());
}

std::optional<ConfigurationIndex> SearchSpace::IndexOfRow(const uint64_t* wanted) const {
  const size_t words = layout_.words();
  uint64_t begin = 0;
  uint64_t end = size_;
  while (begin < end) {
    const uint64_t middle = begin + (end - begin) / 2;
    const uint64_t* const row = &rows_[middle * words];
    if (std::lexicographical_compare(row, row + words, wanted, wanted + words)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin == size_) return std::nullopt;
  const bool is_there = std::equal(wanted, wanted + words, &rows_[begin * words]);
  return is_there ? std::optional<ConfigurationIndex>(begin) : std::nullopt;
}

absl::StatusOr<std::optional<size_t>> SearchSpace::BrokenConstraint(
    const Configuration& configuration) const {
  ASSIGN_OR_RETURN(const std::vector<size_t> indices, ValueIndices(configuration));
  absl::Status not_evaluated;
  for (size_t i = 0; i < constraints_.size(); ++i) {
    std::vector<expr::Value> arguments;
    for (const size_t parameter : ParametersOf(constraints_[i], parameters_)) {
      arguments.push_back(parameters_[parameter].values[indices[parameter]]);
    }
    const absl::StatusOr<bool> holds = constraints_[i].Test(arguments);
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
  for (const Parameter& parameter : parameters_) names.push_back(parameter.name);
  std::vector<std::optional<size_t>> found(parameters_.size());
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
    const std::vector<expr::Value>& values = parameters_[parameter].values;
    const auto value = std::find_if(
        values.begin(), values.end(),
        [&setting](const auto& candidate) { return expr::Equal(candidate, setting.value); });
    if (value == values.end()) {
      return InvalidInput(absl::StrCat(expr::FormatValue(setting.value),
                                       " is not a value of parameter '", setting.name, "'"),
                          DomainText(parameters_[parameter]));
    }
    found[parameter] = static_cast<size_t>(value - values.begin());
  }
  std::vector<size_t> indices;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!found[i].has_value()) {
      return InvalidInput(absl::StrCat("parameter '", names[i], "' is missing"));
    }
    indices.push_back(*found[i]);
  }
  return indices;
}

}  // namespace burnish::space
