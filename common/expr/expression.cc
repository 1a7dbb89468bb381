#include "common/expr/expression.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/expr/evaluator.h"
#include "common/expr/folder.h"
#include "common/expr/lexer.h"
#include "common/expr/parser.h"

namespace burnish::expr {

Expression::Expression(std::string text, std::vector<std::string> names,
                       std::shared_ptr<const Program> program)
    : text_(std::move(text)), names_(std::move(names)), program_(std::move(program)) {}

absl::StatusOr<Expression> Expression::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(ParsedExpression parsed, ParseProgram(text));
  return Expression(std::string(text), std::move(parsed.names),
                    std::make_shared<const Program>(std::move(parsed.program)));
}

int Expression::NameColumn(size_t i) const {
  CHECK(i < names_.size());
  return program_->name_columns[i];
}

Expression Expression::Substitute(
    const std::function<std::optional<Value>(std::string_view name)>& constant) const {
  std::vector<std::optional<Value>> constants;
  for (const std::string& name : names_) constants.push_back(constant(name));
  FoldedProgram folded = Fold(*program_, constants);
  std::vector<std::string> names;
  for (const uint32_t index : folded.names) names.push_back(names_[index]);
  return Expression(text_, std::move(names),
                    std::make_shared<const Program>(std::move(folded.program)));
}

std::optional<absl::StatusOr<Value>> Expression::Constant() const {
  if (!names_.empty()) return std::nullopt;
  return Evaluate({});
}

absl::StatusOr<Value> Expression::Evaluate(std::span<const Value> values) const {
  CHECK(values.size() == names_.size());
  Evaluator evaluator(*program_, values);
  const Operand result = evaluator.Evaluate(program_->root);
  if (result.failed()) return Error(evaluator.error_column(), evaluator.error());
  return ToValue(result);
}

absl::StatusOr<bool> Expression::Test(std::span<const Value> values) const {
  CHECK(values.size() == names_.size());
  Evaluator evaluator(*program_, values);
  const Operand result = evaluator.Evaluate(program_->root);
  if (result.is_number()) return Truth(result);
  if (result.failed()) return Error(evaluator.error_column(), evaluator.error());
  return Error(1, absl::StrCat("expected true or false, the result is a ", TypeName(result)),
               "compare it with '==' or 'in'");
}

absl::StatusOr<int64_t> Expression::EvaluateInteger(std::span<const Value> values) const {
  ASSIGN_OR_RETURN(const Value value, Evaluate(values));
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) {
    constexpr double kEnd = 9223372036854775808.0;  // 2^63
    if (std::trunc(*real) == *real && *real >= -kEnd && *real < kEnd) {
      return static_cast<int64_t>(*real);
    }
    return Error(1, absl::StrCat("expected an integer, the result is ", FormatValue(value)),
                 "'//' divides to an integer, ceil and floor round to one");
  }
  return Error(1, absl::StrCat("expected an integer, the result is a ", TypeName(value)));
}

absl::Status Expression::Error(int column, std::string_view message, std::string_view hint) const {
  return ErrorAt(text_, column, message, hint);
}

bool IsReservedWord(std::string_view text) {
  const std::vector<std::string>& words = LanguageWords();
  return std::find(words.begin(), words.end(), text) != words.end() ||
         FindFunction(text) != nullptr;
}

bool IsIdentifier(std::string_view text) {
  if (text.empty() || absl::ascii_isdigit(text[0]) || IsReservedWord(text)) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

}  // namespace burnish::expr
