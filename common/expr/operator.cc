#include "common/expr/operator.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/expr/arithmetic.h"

namespace burnish::expr {
namespace {

constexpr int kAnyNumber = 1 << 20;

constexpr std::array<Function, 10> kFunctions = {{
    {"min", Operator::kMin, 2, kAnyNumber},
    {"max", Operator::kMax, 2, kAnyNumber},
    {"abs", Operator::kAbs, 1, 1},
    {"ceil", Operator::kCeil, 1, 1},
    {"floor", Operator::kFloor, 1, 1},
    {"log2", Operator::kLog2, 1, 1},
    {"pow", Operator::kPow, 2, 2},
    {"gcd", Operator::kGcd, 2, kAnyNumber},
    {"ceil_div", Operator::kCeilDiv, 2, 2},
    {"round_up", Operator::kRoundUp, 2, 2},
}};

// `unordered` stands for values that cannot be ordered, and for a NaN.
std::partial_ordering Order(const Operand& a, const Operand& b) {
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b);
  if (a.type == Operand::Type::kString && b.type == Operand::Type::kString) {
    return a.payload.string->compare(*b.payload.string) <=> 0;
  }
  return std::partial_ordering::unordered;
}

bool CanOrder(const Operand& a, const Operand& b) {
  return (a.is_number() && b.is_number()) ||
         (a.type == Operand::Type::kString && b.type == Operand::Type::kString);
}

Operand Contains(const Operand& a, const Operand& container) {
  if (container.type == Operand::Type::kList) {
    for (const Value& element : **container.payload.list) {
      if (Equal(a, View(element))) return Operand::Boolean(true);
    }
    return Operand::Boolean(false);
  }
  if (container.type != Operand::Type::kString) return Operand::Failed(Fault::kNotContainer);
  if (a.type != Operand::Type::kString) return Operand::Failed(Fault::kNotInString);
  return Operand::Boolean(container.payload.string->find(*a.payload.string) != std::string::npos);
}

std::string WithArticle(const Operand& operand) {
  return absl::StrCat(operand.type == Operand::Type::kInteger ? "an " : "a ", TypeName(operand));
}

bool IsUnary(Operator op) { return op <= Operator::kLog2; }

}  // namespace

const Function* FindFunction(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

std::vector<std::string> FunctionNames() {
  std::vector<std::string> names;
  for (const Function& function : kFunctions) names.emplace_back(function.name);
  return names;
}

const char* OperatorText(Operator op) {
  static constexpr const char* kTexts[] = {
      "",         "-", "+",  "not", "abs", "ceil", "floor", "log2", "+",     "-",
      "*",        "/", "//", "%",   "**",  "pow",  "min",   "max",  "gcd",   "ceil_div",
      "round_up", "<", "<=", ">",   ">=",  "==",   "!=",    "in",   "not in"};
  static_assert(std::size(kTexts) == static_cast<size_t>(Operator::kNotIn) + 1);
  return kTexts[static_cast<size_t>(op)];
}

Operand ApplyUnary(Operator op, const Operand& a) {
  if (op == Operator::kNot) return Operand::Boolean(!Truth(a));
  if (!a.is_number()) return Operand::Failed(Fault::kNotNumbers);
  switch (op) {
    case Operator::kNegate:
      return Negate(a);
    case Operator::kPlus:
      return a.type == Operand::Type::kBoolean ? Operand::Integer(a.payload.integer) : a;
    case Operator::kAbs:
      return Absolute(a);
    case Operator::kCeil:
      return Ceil(a);
    case Operator::kFloor:
      return Floor(a);
    default:
      CHECK(op == Operator::kLog2);
      return Log2(a);
  }
}

Operand ApplyBinary(Operator op, const Operand& a, const Operand& b) {
  if (op == Operator::kMin || op == Operator::kMax) {
    if (!CanOrder(a, b)) return Operand::Failed(Fault::kNotOrdered);
    const std::partial_ordering order = Order(b, a);
    return (op == Operator::kMin ? order < 0 : order > 0) ? b : a;
  }
  if (!a.is_number() || !b.is_number()) return Operand::Failed(Fault::kNotNumbers);
  switch (op) {
    case Operator::kAdd:
      return Add(a, b);
    case Operator::kSubtract:
      return Subtract(a, b);
    case Operator::kMultiply:
      return Multiply(a, b);
    case Operator::kDivide:
      return Divide(a, b);
    case Operator::kFloorDivide:
      return FloorDivide(a, b);
    case Operator::kModulo:
      return Modulo(a, b);
    case Operator::kPower:
    case Operator::kPow:
      return Power(a, b);
    default:
      break;
  }
  if (!a.is_integral() || !b.is_integral()) return Operand::Failed(Fault::kNotIntegers);
  if (op == Operator::kGcd) return Gcd(a.payload.integer, b.payload.integer);
  if (op == Operator::kCeilDiv) return CeilDiv(a.payload.integer, b.payload.integer);
  CHECK(op == Operator::kRoundUp);
  return RoundUp(a.payload.integer, b.payload.integer);
}

Operand ApplyComparison(Operator op, const Operand& a, const Operand& b) {
  if (op == Operator::kEqual) return Operand::Boolean(Equal(a, b));
  if (op == Operator::kNotEqual) return Operand::Boolean(!Equal(a, b));
  if (op == Operator::kIn) return Contains(a, b);
  if (op == Operator::kNotIn) {
    const Operand contains = Contains(a, b);
    return contains.failed() ? contains : Operand::Boolean(!Truth(contains));
  }
  if (!CanOrder(a, b)) return Operand::Failed(Fault::kNotOrdered);
  const std::partial_ordering order = Order(a, b);
  switch (op) {
    case Operator::kLess:
      return Operand::Boolean(order < 0);
    case Operator::kLessEqual:
      return Operand::Boolean(order <= 0);
    case Operator::kGreater:
      return Operand::Boolean(order > 0);
    default:
      CHECK(op == Operator::kGreaterEqual);
      return Operand::Boolean(order >= 0);
  }
}

std::string DescribeFault(Fault fault, Operator op, const Operand& a, const Operand& b) {
  const char* text = OperatorText(op);
  const std::string types =
      IsUnary(op) ? WithArticle(a) : absl::StrCat(WithArticle(a), " and ", WithArticle(b));
  switch (fault) {
    case Fault::kIntegerOverflow:
      return absl::StrCat("integer overflow in '", text, "'");
    case Fault::kNotFinite:
      return absl::StrCat("the result of '", text, "' is not a finite number");
    case Fault::kDivisionByZero:
      return absl::StrCat("division by zero in '", text, "'");
    case Fault::kNotNumbers:
      return absl::StrCat("'", text, "' needs numbers, not ", types);
    case Fault::kNotIntegers:
      return absl::StrCat("'", text, "' needs integers, not ", types);
    case Fault::kNotOrdered:
      return absl::StrCat("'", text, "' cannot order ", types);
    case Fault::kNotContainer:
      return absl::StrCat("'", text, "' needs a list on its right, not ", WithArticle(b));
    case Fault::kNotInString:
      return absl::StrCat("'", text, "' looks for a string in a string, not for ", WithArticle(a));
    case Fault::kFractionalPower:
      return absl::StrCat("'", text, "' of a negative number and a fraction is not a real number");
    case Fault::kNotPositiveLogarithm:
      return absl::StrCat("'", text, "' needs a positive number");
    case Fault::kNotPositiveMultiple:
      return absl::StrCat("'", text, "' needs a positive multiple");
  }
  return "";
}

}  // namespace burnish::expr
