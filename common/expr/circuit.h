// Expressions over variables of known finite domains, lowered into one graph of typed operations
// for code that evaluates them millions of times.
//
// Equal sub-expressions are one node, of whatever expressions. Every node knows which variables it
// depends on, so that a search computes it when the last of them is bound and not again below. From
// the domains every node gets bounds (interval arithmetic): a truth that they decide becomes a
// constant, and an operation that they show to be safe needs no check. All other operations are
// those of operator.h, so a circuit computes exactly what Expression does, or says that it cannot
// tell: strings are compared by number, and expressions that mix types beyond that are not lowered.
//
// Not thread-safe while expressions are added; immutable afterwards.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/expr/expression.h"
#include "common/expr/operator.h"
#include "common/expr/value.h"

namespace burnish::expr {

// What a node holds while it is evaluated. A fault (division by zero, overflow) is kFaultInteger,
// or a NaN in a real; so is the integer that happens to be the smallest of all.
union Slot {
  int64_t integer;
  double real;
};
inline constexpr int64_t kFaultInteger = std::numeric_limits<int64_t>::min();

using CircuitNode = uint32_t;

class Circuit {
 public:
  static constexpr size_t kMaxVariables = 64;
  using VariableSet = uint64_t;  // bits

  enum class Op : uint8_t {
    kConstant,
    kVariable,
    // Of integers and truths that cannot fail.
    kAdd,
    kSubtract,
    kMultiply,
    kFloorDivide,  // of a >= 0 by b > 0
    kModulo,       // of a >= 0 by b > 0
    kMin,
    kMax,
    kLess,
    kLessEqual,
    kEqual,
    kNotEqual,
    kNot,
    // Of what may be a fault.
    kAnd,
    kOr,
    kSelect,  // a ? b : c
    kUnary,   // ApplyUnary, …
    kBinary,
    kCompare,
  };
  struct Instruction {
    Op op = Op::kConstant;
    Operator general = Operator::kNone;
    Operand::Type type = Operand::Type::kInteger;  // of the result, and of a and b
    Operand::Type a_type = Operand::Type::kInteger;
    Operand::Type b_type = Operand::Type::kInteger;
    CircuitNode a = 0;
    CircuitNode b = 0;
    CircuitNode c = 0;
  };

  // A condition that must hold: an expression, or a part of one that is a conjunction.
  struct Condition {
    CircuitNode truth = 0;
    VariableSet variables = 0;
  };
  // How a truth (as 0 and 1) or a number changes when a variable grows.
  enum class Trend { kConstant, kGrows, kFalls, kUnknown };

  // The values that the variable may take; it is node number `number of variables before it`.
  void AddVariable(std::string name, std::vector<Value> domain);
  // The conditions that together say what `expression` says, without those that always hold: a
  // configuration breaks none of them, and for one that cannot be evaluated some condition cannot.
  // Nothing if the expression is not of the kind that circuits can hold.
  std::optional<std::vector<Condition>> Add(const Expression& expression);

  // A condition that holds whenever `condition` does and some values of `unbound` make it hold; it
  // does not depend on them. Nothing if trends do not tell.
  std::optional<Condition> Relax(const Condition& condition, VariableSet unbound);
  // Only of conditions that cannot fail is it known.
  Trend TrendOf(CircuitNode node, size_t variable) const;

  // The nodes to compute for `roots`, operands first; neither constants nor variables.
  std::vector<CircuitNode> Needed(std::vector<CircuitNode> roots) const;

  size_t size() const { return nodes_.size(); }
  const Instruction& instruction(CircuitNode node) const { return nodes_[node].instruction; }
  VariableSet variables(CircuitNode node) const { return nodes_[node].variables; }
  bool can_fail(CircuitNode node) const { return nodes_[node].can_fail; }
  // True and false are 1 and 0.
  bool IsConstant(CircuitNode node) const { return nodes_[node].instruction.op == Op::kConstant; }
  // What nodes hold before anything is computed: the constants.
  const std::vector<Slot>& constants() const { return constants_; }
  // What the variable's node holds for its value number `value`.
  Slot ValueSlot(size_t variable, size_t value) const { return variables_[variable].slots[value]; }

 private:
  friend class Lowering;
  struct Node {
    Instruction instruction;
    VariableSet variables = 0;
    // Of integers and truths. An operation that may overflow has the widest.
    int64_t least = 0;
    int64_t most = 0;
    bool can_fail = false;
  };
  struct Variable {
    std::string name;
    std::optional<Operand::Type> type;  // nothing for a mixture
    std::vector<Slot> slots;
  };

  CircuitNode Constant(Operand::Type type, Slot value);
  CircuitNode Integer(int64_t value) { return Constant(Operand::Type::kInteger, {value}); }
  CircuitNode Truth(bool value) { return Constant(Operand::Type::kBoolean, {value ? 1 : 0}); }
  int64_t StringNumber(const std::string& text);
  // The node for an instruction: an equal one that is there, a constant if its operands are.
  CircuitNode Intern(Instruction instruction, int64_t least, int64_t most, bool can_fail);
  CircuitNode Unary(Operator op, CircuitNode a);
  CircuitNode Binary(Operator op, CircuitNode a, CircuitNode b);
  CircuitNode Compare(Operator op, CircuitNode a, CircuitNode b);
  CircuitNode CompareIntegers(Op op, CircuitNode a, CircuitNode b);
  CircuitNode Not(CircuitNode a);
  CircuitNode Junction(Op op, CircuitNode a, CircuitNode b);
  CircuitNode Select(CircuitNode a, CircuitNode b, CircuitNode c);
  CircuitNode Joined(const std::vector<CircuitNode>& truths);  // by `and`
  // Nothing if the type of the result depends on the values.
  std::optional<CircuitNode> TryBinary(Operator op, CircuitNode a, CircuitNode b);
  // The node with variables replaced by values.
  CircuitNode Replace(CircuitNode node, const std::vector<std::optional<Slot>>& values);
  Operand::Type TypeOf(CircuitNode node) const { return nodes_[node].instruction.type; }
  const Node& At(CircuitNode node) const { return nodes_[node]; }

  std::vector<Node> nodes_;
  std::vector<Slot> constants_;
  std::vector<Variable> variables_;
  absl::flat_hash_map<std::string, int64_t> strings_;
  absl::flat_hash_map<std::string, CircuitNode> interned_;
};

// Computes `instruction`, whose operands are in `slots`.
Slot ComputeGeneral(const Circuit::Instruction& instruction, const Slot* slots);
inline Slot Compute(const Circuit::Instruction& instruction, const Slot* slots) {
  using Op = Circuit::Op;
  const int64_t a = slots[instruction.a].integer;
  const int64_t b = slots[instruction.b].integer;
  switch (instruction.op) {
    case Op::kAdd:
      return {a + b};
    case Op::kSubtract:
      return {a - b};
    case Op::kMultiply:
      return {a * b};
    case Op::kFloorDivide:
      return {a / b};
    case Op::kModulo:
      return {a % b};
    case Op::kMin:
      return {a < b ? a : b};
    case Op::kMax:
      return {a < b ? b : a};
    case Op::kLess:
      return {a < b};
    case Op::kLessEqual:
      return {a <= b};
    case Op::kEqual:
      return {a == b};
    case Op::kNotEqual:
      return {a != b};
    case Op::kNot:
      return {1 - a};
    case Op::kAnd:
      return {a == 1 ? b : a};
    case Op::kOr:
      return {a == 0 ? b : a};
    default:
      return ComputeGeneral(instruction, slots);
  }
}

}  // namespace burnish::expr
