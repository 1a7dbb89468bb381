#include "common/expr/evaluator.h"

#include "common/base/check.h"

namespace burnish::expr {
namespace {

bool AreIntegers(const Operand& a, const Operand& b) {
  return a.type == Operand::Type::kInteger && b.type == Operand::Type::kInteger;
}

// Constraints are mostly integer arithmetic, so the common cases of it stand here, on bare
// integers: copying an Operand whose two words have just been written stalls the processor. False
// leaves the work to ApplyBinary, also that of reporting an overflow.
bool ApplyToIntegers(Operator op, int64_t left, int64_t right, int64_t& result) {
  switch (op) {
    case Operator::kAdd:
      return !__builtin_add_overflow(left, right, &result);
    case Operator::kSubtract:
      return !__builtin_sub_overflow(left, right, &result);
    case Operator::kMultiply:
      return !__builtin_mul_overflow(left, right, &result);
    case Operator::kModulo:
      if (left < 0 || right <= 0) return false;
      result = left % right;
      return true;
    case Operator::kFloorDivide:
      if (left < 0 || right <= 0) return false;
      result = left / right;
      return true;
    default:
      return false;
  }
}

// `op` must not be kIn or kNotIn.
bool CompareIntegers(Operator op, int64_t left, int64_t right) {
  switch (op) {
    case Operator::kLess:
      return left < right;
    case Operator::kLessEqual:
      return left <= right;
    case Operator::kGreater:
      return left > right;
    case Operator::kGreaterEqual:
      return left >= right;
    case Operator::kEqual:
      return left == right;
    default:
      return left != right;
  }
}

bool IsMembership(Operator op) { return op == Operator::kIn || op == Operator::kNotIn; }

}  // namespace

Operand Evaluator::EvaluateInner(const Node& node) {
  switch (node.kind) {
    case NodeKind::kChain:
      return EvaluateChain(node);
    case NodeKind::kCompare:
      return EvaluateCompare(node);
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return EvaluateJunction(node);
    case NodeKind::kUnary:
      return EvaluateUnary(node);
    default:
      CHECK(node.kind == NodeKind::kConditional);
      return EvaluateConditional(node);
  }
}

Operand Evaluator::EvaluateUnary(const Node& node) {
  const Link& link = program_.links[node.first];
  const Operand operand = Evaluate(link.node);
  if (operand.failed()) return operand;
  const Operand result = ApplyUnary(link.op, operand);
  return result.failed() ? Fail(result, link, operand, operand) : result;
}

Operand Evaluator::EvaluateChain(const Node& node) {
  const Link* const links = &program_.links[node.first];
  Operand left = Evaluate(links[0].node);
  for (uint32_t i = 1; i < node.count && !left.failed(); ++i) {
    const Operand right = Evaluate(links[i].node);
    if (right.failed()) return right;
    int64_t integer = 0;
    if (AreIntegers(left, right) &&
        ApplyToIntegers(links[i].op, left.payload.integer, right.payload.integer, integer)) {
      left.payload.integer = integer;
      continue;
    }
    const Operand result = ApplyBinary(links[i].op, left, right);
    if (result.failed()) return Fail(result, links[i], left, right);
    left = result;
  }
  return left;
}

Operand Evaluator::EvaluateCompare(const Node& node) {
  const Link* const links = &program_.links[node.first];
  Operand left = Evaluate(links[0].node);
  if (left.failed()) return left;
  for (uint32_t i = 1; i < node.count; ++i) {
    if (program_.nodes[links[i].node].kind == NodeKind::kList) {
      return EvaluateMembership(left, links[i]);  // a list ends its comparison
    }
    const Operand right = Evaluate(links[i].node);
    if (right.failed()) return right;
    if (AreIntegers(left, right) && !IsMembership(links[i].op)) {
      if (!CompareIntegers(links[i].op, left.payload.integer, right.payload.integer)) {
        return Operand::Boolean(false);
      }
    } else {
      const Operand result = ApplyComparison(links[i].op, left, right);
      if (result.failed()) return Fail(result, links[i], left, right);
      if (!Truth(result)) return result;
    }
    left = right;
  }
  return Operand::Boolean(true);
}

Operand Evaluator::EvaluateMembership(const Operand& a, const Link& link) {
  const Node& list = program_.nodes[link.node];
  bool found = false;
  // All elements are evaluated, as in Python: an error in one shows whatever `a` is.
  for (uint32_t i = 0; i < list.count; ++i) {
    const Operand element = Evaluate(program_.links[list.first + i].node);
    if (element.failed()) return element;
    found = found || Equal(a, element);
  }
  return Operand::Boolean(found == (link.op == Operator::kIn));
}

Operand Evaluator::EvaluateJunction(const Node& node) {
  const Link* const links = &program_.links[node.first];
  const bool decisive = node.kind == NodeKind::kOr;
  for (uint32_t i = 0; i + 1 < node.count; ++i) {
    const Operand operand = Evaluate(links[i].node);
    if (operand.failed() || Truth(operand) == decisive) return operand;
  }
  return Evaluate(links[node.count - 1].node);
}

Operand Evaluator::EvaluateConditional(const Node& node) {
  const Link* const links = &program_.links[node.first];
  const Operand condition = Evaluate(links[0].node);
  if (condition.failed()) return condition;
  return Evaluate(links[Truth(condition) ? 1 : 2].node);
}

Operand Evaluator::Fail(const Operand& fault, const Link& link, const Operand& a,
                        const Operand& b) {
  error_column_ = link.column;
  error_ = DescribeFault(fault.payload.fault, link.op, a, b);
  return fault;
}

}  // namespace burnish::expr
