// The expression language of job files: constraints, shapes, launch sizes, device selectors.
//
// Integers (64 bit, overflow is an error), reals, strings, booleans; Python's meaning and
// precedence of + - * / // % **, chained comparisons, and/or/not (also && || !), in / not in,
// [lists], `A if C else B` and `C ? A : B`, parentheses; functions min max abs ceil floor log2 pow gcd
// ceil_div round_up. Names may have dots (label.rack). Parsed once, evaluated often; evaluation
// terminates always and allocates nothing for numbers. Immutable, so thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expr/value.h"

namespace burnish::expr {

class Expression {
 public:
  // Errors are Diagnostics (common/base/diagnostic.h) whose `column` is the place in `text`,
  // counted from 1, and whose `excerpt` is `text`.
  static absl::StatusOr<Expression> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  // Free names in order of first use; the values given to Evaluate stand in this order.
  const std::vector<std::string>& names() const { return names_; }
  // Column (from 1) of the first use of names()[i].
  int NameColumn(size_t i) const;

  // Replaces names by constants and folds what became constant. Folding never hides an error:
  // what fails to fold stays and fails when it is evaluated.
  Expression Substitute(
      const std::function<std::optional<Value>(std::string_view name)>& constant) const;
  // The value, if no free name is left.
  std::optional<absl::StatusOr<Value>> Constant() const;

  // InvalidArgument Diagnostics (division by zero, overflow, wrong types) with their column.
  // values.size() must equal names().size().
  absl::StatusOr<Value> Evaluate(std::span<const Value> values) const;
  // For predicates: the truth of the value. A string or list as the result is an error.
  absl::StatusOr<bool> Test(std::span<const Value> values) const;
  // The value as an integer; a real with an integral value is accepted, all else is an error.
  absl::StatusOr<int64_t> EvaluateInteger(std::span<const Value> values) const;

 private:
  // The implementer of expression.cc decides (a compact program is expected).
  struct Program;
  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const Program> program_;
};

// True for what may name a parameter, a constant or an argument: [A-Za-z_][A-Za-z0-9_]*, and
// neither a word of the language nor a function of it.
bool IsIdentifier(std::string_view text);
bool IsReservedWord(std::string_view text);

}  // namespace burnish::expr
