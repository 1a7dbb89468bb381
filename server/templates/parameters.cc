#include "server/templates/parameters.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace burnish::templates {

void ParameterList::Add(std::string_view name, std::vector<expr::Value> values, expr::Value good,
                        expr::Value textbook) {
  for (const expr::Value& value : {good, textbook}) {
    CHECK(std::ranges::any_of(values,
                              [&](const expr::Value& other) { return expr::Equal(other, value); }))
        << name << " has no " << expr::FormatValue(value);
  }
  good_.push_back({std::string(name), std::move(good)});
  textbook_.push_back({std::string(name), std::move(textbook)});
  parameters_.push_back({std::string(name), std::move(values)});
}

void ParameterList::Add(std::string_view name, std::vector<int64_t> values, int64_t good,
                        int64_t textbook) {
  std::vector<expr::Value> distinct;
  for (const int64_t value : values) {
    const bool known = std::ranges::any_of(
        distinct, [value](const expr::Value& other) { return expr::Equal(other, value); });
    if (!known) distinct.emplace_back(value);
  }
  Add(name, std::move(distinct), expr::Value(good), expr::Value(textbook));
}

void ParameterList::AddWords(std::string_view name, std::vector<std::string> values,
                             std::string_view good, std::string_view textbook) {
  std::vector<expr::Value> words;
  for (std::string& value : values) words.emplace_back(std::move(value));
  Add(name, std::move(words), expr::Value(std::string(good)), expr::Value(std::string(textbook)));
}

Variant ParameterList::Take() && {
  return {.parameters = std::move(parameters_),
          .constraints = std::move(constraints_),
          .default_configuration = std::move(good_),
          .textbook_configuration = std::move(textbook_)};
}

std::vector<int64_t> UpTo(int64_t limit, const std::vector<int64_t>& candidates) {
  std::vector<int64_t> values = {limit};
  for (const int64_t candidate : candidates) {
    if (candidate < limit) values.push_back(candidate);
  }
  return values;
}

}  // namespace burnish::templates
