// The expression language of job files: constraints, shapes, launch sizes, device selectors.
//
// Integers (64 bit, overflow is an error), reals, strings, booleans; Python's meaning and
// precedence of + - * / // % **, chained comparisons, and/or/not (synonyms: && || !, with the same
// precedence), in / not in, [lists] on the right of `in`, `A if C else B` and `C ? A : B`,
// parentheses; functions min max abs ceil floor log2 pow gcd ceil_div round_up. Names may have dots
// (label.rack). As in Python, and/or give one of their operands, booleans count as 0 and 1, an
// integer and a real compare exactly, and a string equals no number. Beyond Python, a real result
// that is not finite is an error too.
//
// Parsed once, evaluated often; evaluation terminates always and allocates nothing but for a string
// or list result. Immutable, so thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expr/value.h"

namespace burnish::expr {

struct Program;  // common/expr/program.h

class Expression {
 public:
  // Errors are Diagnostics (common/base/diagnostic.h) whose `column` is the place in `text`,
  // counted from 1 in bytes, and whose `excerpt` is `text`.
  static absl::StatusOr<Expression> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  // Free names in order of first use; the values given to Evaluate stand in this order.
  const std::vector<std::string>& names() const { return names_; }
  // For what evaluates it in its own way (circuit.h).
  const Program& program() const { return *program_; }
  // Column (from 1) of the first use of names()[i] in the text.
  int NameColumn(size_t i) const;

  // Replaces names by constants and folds what became constant. Folding never hides an error:
  // what fails to fold stays and fails when it is evaluated. A name that no longer matters (X in
  // `false and X`) is no longer free.
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
  Expression(std::string text, std::vector<std::string> names,
             std::shared_ptr<const Program> program);
  absl::Status Error(int column, std::string_view message, std::string_view hint = "") const;

  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const Program> program_;
};

// True for what may name a parameter, a constant or an argument: [A-Za-z_][A-Za-z0-9_]*, and
// neither a word of the language nor a function of it.
bool IsIdentifier(std::string_view text);
// The words and the functions of the language.
bool IsReservedWord(std::string_view text);

}  // namespace burnish::expr
