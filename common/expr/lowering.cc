// From the tree of an expression to nodes of a circuit.
#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/expr/circuit.h"
#include "common/expr/program.h"

namespace burnish::expr {

using Type = Operand::Type;
using Op = Circuit::Op;

// One expression. What circuits cannot hold makes a function return nothing.
class Lowering {
 public:
  using Result = std::optional<CircuitNode>;

  Lowering(Circuit& circuit, const Expression& expression)
      : circuit_(circuit), program_(expression.program()) {
    for (const std::string& name : expression.names()) {
      const auto& variables = circuit.variables_;
      const auto found = std::find_if(variables.begin(), variables.end(),
                                      [&](const auto& variable) { return variable.name == name; });
      CHECK(found != variables.end()) << name;
      variable_of_name_.push_back(static_cast<size_t>(found - variables.begin()));
    }
  }

  // The truths that in this order are joined by `and`.
  std::optional<std::vector<CircuitNode>> Conjuncts() {
    std::vector<CircuitNode> truths;
    if (!AddConjuncts(program_.root, truths)) return std::nullopt;
    return truths;
  }

 private:
  const Link& LinkAt(const Node& node, uint32_t i) const { return program_.links[node.first + i]; }

  bool AddConjuncts(NodeIndex index, std::vector<CircuitNode>& truths) {
    const Node& node = program_.nodes[index];
    if (node.kind == NodeKind::kAnd) {
      for (uint32_t i = 0; i < node.count; ++i) {
        if (!AddConjuncts(LinkAt(node, i).node, truths)) return false;
      }
      return true;
    }
    if (node.kind == NodeKind::kCompare) return AddComparisons(node, truths);
    const Result truth = LowerTruth(index);
    if (truth.has_value()) truths.push_back(*truth);
    return truth.has_value();
  }

  // a < b < c is a < b and b < c.
  bool AddComparisons(const Node& node, std::vector<CircuitNode>& truths) {
    Result left = LowerValue(LinkAt(node, 0).node);
    for (uint32_t i = 1; i < node.count && left.has_value(); ++i) {
      const Link& link = LinkAt(node, i);
      const Node& right_node = program_.nodes[link.node];
      const bool is_list = right_node.kind == NodeKind::kList;
      const Result right = is_list ? Result(0) : LowerValue(link.node);
      const Result truth = is_list             ? LowerMembership(*left, link.op, right_node)
                           : right.has_value() ? LowerComparison(link.op, *left, *right)
                                               : Result();
      if (!truth.has_value()) return false;
      truths.push_back(*truth);
      left = right;
    }
    return left.has_value();
  }

  Result LowerMembership(CircuitNode value, Operator op, const Node& list) {
    CircuitNode found = circuit_.Truth(false);
    for (uint32_t i = 0; i < list.count; ++i) {
      const Result element = LowerValue(LinkAt(list, i).node);
      // An element that fails shows, whichever it is.
      if (!element.has_value() || circuit_.can_fail(*element)) return std::nullopt;
      const Result equal = LowerComparison(Operator::kEqual, value, *element);
      if (!equal.has_value()) return std::nullopt;
      found = circuit_.Junction(Op::kOr, found, *equal);
    }
    if (list.count == 0 && circuit_.can_fail(value)) return std::nullopt;
    return op == Operator::kIn ? found : circuit_.Not(found);
  }

  Result LowerComparison(Operator op, CircuitNode a, CircuitNode b) {
    if (op == Operator::kIn || op == Operator::kNotIn) return std::nullopt;
    const bool strings[] = {circuit_.TypeOf(a) == Type::kString,
                            circuit_.TypeOf(b) == Type::kString};
    if (strings[0] || strings[1]) {
      if (op != Operator::kEqual && op != Operator::kNotEqual) return std::nullopt;
      if (circuit_.can_fail(a) || circuit_.can_fail(b)) return std::nullopt;
      if (strings[0] != strings[1]) return circuit_.Truth(op == Operator::kNotEqual);
    }
    return circuit_.Compare(op, a, b);
  }

  Result LowerTruth(NodeIndex index) {
    const Node& node = program_.nodes[index];
    if (node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr) return LowerJunction(node);
    const Result value = LowerValue(index);
    if (!value.has_value() || circuit_.TypeOf(*value) == Type::kBoolean) return value;
    if (circuit_.TypeOf(*value) == Type::kString) return std::nullopt;
    return circuit_.Compare(Operator::kNotEqual, *value, circuit_.Integer(0));
  }

  Result LowerJunction(const Node& node) {
    const Op op = node.kind == NodeKind::kAnd ? Op::kAnd : Op::kOr;
    Result joined = LowerTruth(LinkAt(node, node.count - 1).node);
    for (uint32_t i = node.count - 1; i-- > 0 && joined.has_value();) {
      const Result truth = LowerTruth(LinkAt(node, i).node);
      joined = truth.has_value() ? Result(circuit_.Junction(op, *truth, *joined)) : Result();
    }
    return joined;
  }

  Result LowerValue(NodeIndex index) {
    const Node& node = program_.nodes[index];
    switch (node.kind) {
      case NodeKind::kConstant:
        return LowerConstant(program_.constants[node.first]);
      case NodeKind::kName:
        return LowerVariable(variable_of_name_[node.first]);
      case NodeKind::kUnary:
        return LowerUnary(LinkAt(node, 0));
      case NodeKind::kChain:
        return LowerChain(node);
      case NodeKind::kCompare: {
        std::vector<CircuitNode> truths;
        return AddComparisons(node, truths) ? Result(circuit_.Joined(truths)) : Result();
      }
      case NodeKind::kAnd:
      case NodeKind::kOr:
        // One of the operands, which is its truth only where all are truths.
        for (uint32_t i = 0; i < node.count; ++i) {
          const Result operand = LowerValue(LinkAt(node, i).node);
          if (!operand.has_value() || circuit_.TypeOf(*operand) != Type::kBoolean) {
            return std::nullopt;
          }
        }
        return LowerJunction(node);
      case NodeKind::kConditional:
        return LowerConditional(node);
      case NodeKind::kList:
        return std::nullopt;
    }
    return std::nullopt;
  }

  Result LowerConstant(const Value& value) {
    const Operand operand = View(value);
    if (operand.type == Type::kList) return std::nullopt;
    Slot slot{operand.payload.integer};
    if (operand.type == Type::kReal) slot.real = operand.payload.real;
    if (operand.type == Type::kString) {
      slot.integer = circuit_.StringNumber(*operand.payload.string);
    }
    if (operand.is_integral() && slot.integer == kFaultInteger) return std::nullopt;
    return circuit_.Constant(operand.type, slot);
  }

  Result LowerVariable(size_t variable) {
    const Circuit::Variable& domain = circuit_.variables_[variable];
    if (!domain.type.has_value()) return std::nullopt;
    if (domain.slots.size() == 1) return circuit_.Constant(*domain.type, domain.slots.front());
    // The smallest integer stands for a fault.
    const bool has_smallest =
        *domain.type <= Type::kInteger &&
        circuit_.At(static_cast<CircuitNode>(variable)).least == kFaultInteger;
    return has_smallest ? Result() : Result(static_cast<CircuitNode>(variable));
  }

  Result LowerUnary(const Link& link) {
    if (link.op == Operator::kNot) {
      const Result truth = LowerTruth(link.node);
      return truth.has_value() ? Result(circuit_.Not(*truth)) : truth;
    }
    const Result operand = LowerValue(link.node);
    if (!operand.has_value() || circuit_.TypeOf(*operand) > Type::kReal) return std::nullopt;
    return circuit_.Unary(link.op, *operand);
  }

  Result LowerChain(const Node& node) {
    Result left = LowerValue(LinkAt(node, 0).node);
    for (uint32_t i = 1; i < node.count && left.has_value(); ++i) {
      const Result right = LowerValue(LinkAt(node, i).node);
      left = right.has_value() ? circuit_.TryBinary(LinkAt(node, i).op, *left, *right) : right;
    }
    return left;
  }

  Result LowerConditional(const Node& node) {
    const Result condition = LowerTruth(LinkAt(node, 0).node);
    const Result yes = LowerValue(LinkAt(node, 1).node);
    const Result no = LowerValue(LinkAt(node, 2).node);
    if (!condition.has_value() || !yes.has_value() || !no.has_value()) return std::nullopt;
    const Type types[] = {circuit_.TypeOf(*yes), circuit_.TypeOf(*no)};
    const bool integral = types[0] <= Type::kInteger && types[1] <= Type::kInteger;
    if (!integral && types[0] != types[1]) return std::nullopt;
    return circuit_.Select(*condition, *yes, *no);
  }

  Circuit& circuit_;
  const Program& program_;
  std::vector<size_t> variable_of_name_;
};

CircuitNode Circuit::Joined(const std::vector<CircuitNode>& truths) {
  CircuitNode joined = Truth(true);
  for (size_t i = truths.size(); i-- > 0;) joined = Junction(Op::kAnd, truths[i], joined);
  return joined;
}

std::optional<std::vector<Circuit::Condition>> Circuit::Add(const Expression& expression) {
  std::optional<std::vector<CircuitNode>> truths = Lowering(*this, expression).Conjuncts();
  if (!truths.has_value()) return std::nullopt;
  // What follows a truth that may fail does not count where that fails, so it stays joined to it.
  const auto failing = std::find_if(truths->begin(), truths->end(),
                                    [this](CircuitNode truth) { return can_fail(truth); });
  if (failing != truths->end()) {
    const CircuitNode joined = Joined(std::vector<CircuitNode>(failing, truths->end()));
    truths->erase(failing, truths->end());
    truths->push_back(joined);
  }
  std::vector<Condition> conditions;
  for (const CircuitNode truth : *truths) {
    if (IsConstant(truth) && constants_[truth].integer == 1) continue;
    conditions.push_back({truth, variables(truth)});
  }
  return conditions;
}

}  // namespace burnish::expr
