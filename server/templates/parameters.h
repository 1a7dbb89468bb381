// A template's parameters as it makes them: domains, constraints and the two defaults side by side,
// so that one list cannot miss what another has. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/templates/schedule_template.h"

namespace burnish::templates {

class ParameterList {
 public:
  // Integers; duplicates are dropped. Both defaults must be among the values.
  void Add(std::string_view name, std::vector<int64_t> values, int64_t good, int64_t textbook);
  // Words, which the source has as enumerators.
  void AddWords(std::string_view name, std::vector<std::string> values, std::string_view good,
                std::string_view textbook);
  void Constrain(std::string constraint) { constraints_.push_back(std::move(constraint)); }

  // Into a variant without source.
  Variant Take() &&;

 private:
  void Add(std::string_view name, std::vector<expr::Value> values, expr::Value good,
           expr::Value textbook);

  std::vector<space::Parameter> parameters_;
  std::vector<std::string> constraints_;
  space::Configuration good_;
  space::Configuration textbook_;
};

// The members of `candidates` up to `limit`, and `limit` itself in front.
std::vector<int64_t> UpTo(int64_t limit, const std::vector<int64_t>& candidates);

}  // namespace burnish::templates
