// How truths change when variables grow, and what follows for those that are not bound yet.
#include <algorithm>

#include "common/expr/circuit.h"

namespace burnish::expr {
namespace {

using Trend = Circuit::Trend;
using Op = Circuit::Op;

Trend Reversed(Trend trend) {
  if (trend == Trend::kGrows) return Trend::kFalls;
  return trend == Trend::kFalls ? Trend::kGrows : trend;
}

// Of what grows with both.
Trend Both(Trend a, Trend b) {
  if (a == Trend::kConstant || a == b) return b;
  return b == Trend::kConstant ? a : Trend::kUnknown;
}

}  // namespace

Trend Circuit::TrendOf(CircuitNode node, size_t variable) const {
  const Node& at = At(node);
  if ((at.variables >> variable & 1) == 0) return Trend::kConstant;
  const Instruction& of = at.instruction;
  if (of.op == Op::kVariable) {
    return of.type <= Operand::Type::kInteger ? Trend::kGrows : Trend::kUnknown;
  }
  if (at.can_fail || of.op == Op::kUnary || of.op == Op::kCompare || of.op == Op::kSelect) {
    return Trend::kUnknown;
  }
  const Trend a = TrendOf(of.a, variable);
  const Trend b = TrendOf(of.b, variable);
  switch (of.op) {
    case Op::kAdd:
    case Op::kMin:
    case Op::kMax:
    case Op::kAnd:
    case Op::kOr:
      return Both(a, b);
    case Op::kSubtract:
    case Op::kFloorDivide:
      return Both(a, Reversed(b));
    case Op::kMultiply:
      return At(of.a).least >= 0 && At(of.b).least >= 0 ? Both(a, b) : Trend::kUnknown;
    case Op::kLess:
    case Op::kLessEqual:
      return Both(Reversed(a), b);
    case Op::kNot:
      return Reversed(a);
    case Op::kBinary:
      if (of.general == Operator::kCeilDiv) return Both(a, Reversed(b));
      return Trend::kUnknown;
    default:
      return Trend::kUnknown;
  }
}

std::optional<Circuit::Condition> Circuit::Relax(const Condition& condition, VariableSet unbound) {
  if (can_fail(condition.truth)) return std::nullopt;
  std::vector<std::optional<Slot>> best(variables_.size());
  for (size_t v = 0; v < variables_.size(); ++v) {
    if (((condition.variables & unbound) >> v & 1) == 0) continue;
    const Trend trend = TrendOf(condition.truth, v);
    if (trend == Trend::kUnknown) return std::nullopt;
    const Node& at = At(static_cast<CircuitNode>(v));
    best[v] = Slot{trend == Trend::kGrows ? at.most : at.least};
  }
  const CircuitNode truth = Replace(condition.truth, best);
  if (IsConstant(truth)) return std::nullopt;
  return Condition{truth, variables(truth)};
}

CircuitNode Circuit::Replace(CircuitNode node, const std::vector<std::optional<Slot>>& values) {
  const Instruction of = instruction(node);
  if (of.op == Op::kConstant) return node;
  if (of.op == Op::kVariable) {
    return values[node].has_value() ? Constant(of.type, *values[node]) : node;
  }
  const CircuitNode a = Replace(of.a, values);
  const CircuitNode b = of.b == of.a ? a : Replace(of.b, values);
  switch (of.op) {
    case Op::kAdd:
      return Binary(Operator::kAdd, a, b);
    case Op::kSubtract:
      return Binary(Operator::kSubtract, a, b);
    case Op::kMultiply:
      return Binary(Operator::kMultiply, a, b);
    case Op::kFloorDivide:
      return Binary(Operator::kFloorDivide, a, b);
    case Op::kModulo:
      return Binary(Operator::kModulo, a, b);
    case Op::kMin:
      return Binary(Operator::kMin, a, b);
    case Op::kMax:
      return Binary(Operator::kMax, a, b);
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kEqual:
    case Op::kNotEqual:
      return CompareIntegers(of.op, a, b);
    case Op::kNot:
      return Not(a);
    case Op::kAnd:
    case Op::kOr:
      return Junction(of.op, a, b);
    case Op::kSelect:
      return Select(a, b, Replace(of.c, values));
    case Op::kUnary:
      return of.general == Operator::kNot ? Not(a) : Unary(of.general, a);
    case Op::kBinary:
      return Binary(of.general, a, b);
    default:
      return Compare(of.general, a, b);
  }
}

}  // namespace burnish::expr
