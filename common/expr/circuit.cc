#include "common/expr/circuit.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace burnish::expr {
namespace {

using Op = Circuit::Op;
using Type = Operand::Type;
using Wide = __int128;

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

bool IsIntegral(Type type) { return type <= Type::kInteger; }

bool IsFault(Type type, Slot slot) {
  return type == Type::kReal ? std::isnan(slot.real) : slot.integer == kFaultInteger;
}

Slot FaultSlot(Type type) {
  Slot slot{kFaultInteger};
  if (type == Type::kReal) slot.real = std::numeric_limits<double>::quiet_NaN();
  return slot;
}

Operand ToOperand(Type type, Slot slot) {
  if (type == Type::kReal) return Operand::Real(slot.real);
  return {type, {.integer = slot.integer}};
}

Slot ToSlot(Type type, const Operand& operand) {
  Slot slot{operand.payload.integer};
  if (type == Type::kReal) slot.real = operand.payload.real;
  const bool as_typed =
      type == Type::kReal ? operand.type == Type::kReal : IsIntegral(operand.type);
  return as_typed ? slot : FaultSlot(type);
}

struct Bounds {
  Wide least;
  Wide most;
};

// Of the operation on whole numbers from those of its operands.
Bounds BoundsOf(Op op, Bounds a, Bounds b) {
  switch (op) {
    case Op::kAdd:
      return {a.least + b.least, a.most + b.most};
    case Op::kSubtract:
      return {a.least - b.most, a.most - b.least};
    case Op::kMultiply: {
      const Wide corners[] = {a.least * b.least, a.least * b.most, a.most * b.least,
                              a.most * b.most};
      return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
    }
    case Op::kFloorDivide:
      return {a.least / b.most, a.most / b.least};
    case Op::kModulo:
      return {a.most < b.least ? a.least : 0, std::min(a.most, b.most - 1)};
    case Op::kMin:
      return {std::min(a.least, b.least), std::min(a.most, b.most)};
    default:
      CHECK(op == Op::kMax);
      return {std::max(a.least, b.least), std::max(a.most, b.most)};
  }
}

Op OpFor(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return Op::kAdd;
    case Operator::kSubtract:
      return Op::kSubtract;
    case Operator::kMultiply:
      return Op::kMultiply;
    case Operator::kFloorDivide:
      return Op::kFloorDivide;
    case Operator::kModulo:
      return Op::kModulo;
    case Operator::kMin:
      return Op::kMin;
    case Operator::kMax:
      return Op::kMax;
    default:
      return Op::kBinary;
  }
}

// The type of a binary operation's result; nothing if it depends on values, or is no number.
std::optional<Type> ResultType(Operator op, Type a, Type b, int64_t least_b) {
  if (a > Type::kReal || b > Type::kReal) return std::nullopt;
  const bool integral = IsIntegral(a) && IsIntegral(b);
  switch (op) {
    case Operator::kDivide:
      return Type::kReal;
    case Operator::kMin:
    case Operator::kMax:
      if (integral) return Type::kInteger;
      return a == b ? std::optional(Type::kReal) : std::nullopt;
    case Operator::kPower:
    case Operator::kPow:
      if (!integral) return Type::kReal;
      return least_b >= 0 ? std::optional(Type::kInteger) : std::nullopt;
    case Operator::kGcd:
    case Operator::kCeilDiv:
    case Operator::kRoundUp:
      return integral ? std::optional(Type::kInteger) : std::nullopt;
    default:
      return integral ? Type::kInteger : Type::kReal;
  }
}

}  // namespace

Slot ComputeGeneral(const Circuit::Instruction& instruction, const Slot* slots) {
  const Slot a = slots[instruction.a];
  const Slot b = slots[instruction.b];
  if (IsFault(instruction.a_type, a)) return FaultSlot(instruction.type);
  if (instruction.op == Op::kSelect) return a.integer != 0 ? b : slots[instruction.c];
  const Operand left = ToOperand(instruction.a_type, a);
  if (instruction.op == Op::kUnary) {
    return ToSlot(instruction.type, ApplyUnary(instruction.general, left));
  }
  if (IsFault(instruction.b_type, b)) return FaultSlot(instruction.type);
  const Operand right = ToOperand(instruction.b_type, b);
  return ToSlot(instruction.type, instruction.op == Op::kCompare
                                      ? ApplyComparison(instruction.general, left, right)
                                      : ApplyBinary(instruction.general, left, right));
}

void Circuit::AddVariable(std::string name, std::vector<Value> domain) {
  CHECK(variables_.size() < kMaxVariables && variables_.size() == nodes_.size());
  Variable variable{.name = std::move(name), .type = std::nullopt, .slots = {}};
  std::optional<Type> type;
  bool mixed = false;
  Node node;
  node.instruction.op = Op::kVariable;
  node.variables = VariableSet{1} << variables_.size();
  node.least = kMost;
  node.most = kLeast;
  for (const Value& value : domain) {
    const Operand operand = View(value);
    Slot slot{operand.payload.integer};
    if (operand.type == Type::kReal) slot.real = operand.payload.real;
    if (operand.type == Type::kString) slot.integer = StringNumber(*operand.payload.string);
    variable.slots.push_back(slot);
    if (type.has_value() && IsIntegral(*type) && IsIntegral(operand.type)) {
      type = std::max(*type, operand.type);
    } else {
      mixed = mixed || (type.has_value() && *type != operand.type);
      type = operand.type;
    }
    node.least = std::min(node.least, slot.integer);
    node.most = std::max(node.most, slot.integer);
  }
  if (!mixed) variable.type = type;
  node.instruction.type = type.value_or(Type::kInteger);
  if (mixed || !IsIntegral(node.instruction.type)) {
    node.least = kLeast;
    node.most = kMost;
  }
  nodes_.push_back(node);
  constants_.push_back({0});
  variables_.push_back(std::move(variable));
}

std::vector<CircuitNode> Circuit::Needed(std::vector<CircuitNode> roots) const {
  std::vector<bool> is_needed(nodes_.size(), false);
  for (const CircuitNode root : roots) is_needed[root] = true;
  std::vector<CircuitNode> needed;
  for (size_t i = nodes_.size(); i-- > 0;) {  // operands stand before what uses them
    const Instruction& of = nodes_[i].instruction;
    if (!is_needed[i] || of.op == Op::kConstant || of.op == Op::kVariable) continue;
    for (const CircuitNode operand : {of.a, of.b, of.c}) is_needed[operand] = true;
    needed.push_back(static_cast<CircuitNode>(i));
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

int64_t Circuit::StringNumber(const std::string& text) {
  return strings_.emplace(text, static_cast<int64_t>(strings_.size())).first->second;
}

CircuitNode Circuit::Constant(Type type, Slot value) {
  const std::string key = absl::StrCat("constant ", type == Type::kReal, " ", type == Type::kString,
                                       " ", type == Type::kBoolean, " ", value.integer);
  const auto [found, added] = interned_.emplace(key, static_cast<CircuitNode>(nodes_.size()));
  if (!added) return found->second;
  Node node;
  node.instruction.type = type;
  node.least = IsIntegral(type) ? value.integer : kLeast;
  node.most = IsIntegral(type) ? value.integer : kMost;
  nodes_.push_back(node);
  constants_.push_back(value);
  return found->second;
}

CircuitNode Circuit::Intern(Instruction instruction, int64_t least, int64_t most, bool can_fail) {
  const Node* operands[] = {&nodes_[instruction.a], &nodes_[instruction.b], &nodes_[instruction.c]};
  instruction.a_type = operands[0]->instruction.type;
  instruction.b_type = operands[1]->instruction.type;
  Node node{.instruction = instruction, .least = least, .most = most, .can_fail = can_fail};
  bool constant = true;
  for (const CircuitNode operand : {instruction.a, instruction.b, instruction.c}) {
    node.variables |= nodes_[operand].variables;
    constant = constant && IsConstant(operand);
  }
  if (IsIntegral(instruction.type) && !can_fail && least == most) {
    return Constant(instruction.type, {least});
  }
  if (constant) {
    const Slot value = Compute(instruction, constants_.data());
    if (!IsFault(instruction.type, value)) return Constant(instruction.type, value);
  }
  const std::string key =
      absl::StrCat(static_cast<int>(instruction.op), " ", static_cast<int>(instruction.general),
                   " ", instruction.a, " ", instruction.b, " ", instruction.c);
  const auto [found, added] = interned_.emplace(key, static_cast<CircuitNode>(nodes_.size()));
  if (!added) return found->second;
  nodes_.push_back(node);
  constants_.push_back({0});
  return found->second;
}

std::optional<CircuitNode> Circuit::TryBinary(Operator op, CircuitNode a, CircuitNode b) {
  if (!ResultType(op, TypeOf(a), TypeOf(b), At(b).least).has_value()) return std::nullopt;
  return Binary(op, a, b);
}

CircuitNode Circuit::Binary(Operator op, CircuitNode a, CircuitNode b) {
  const Node left = At(a);
  const Node right = At(b);
  Instruction instruction{.op = Op::kBinary, .general = op, .a = a, .b = b, .c = b};
  instruction.type = *ResultType(op, TypeOf(a), TypeOf(b), right.least);
  bool can_fail = left.can_fail || right.can_fail;
  if (!IsIntegral(left.instruction.type) || !IsIntegral(right.instruction.type)) {
    return Intern(instruction, kLeast, kMost, true);
  }
  Bounds bounds{kLeast, kMost};
  const Op fast = OpFor(op);
  const bool divides = op == Operator::kFloorDivide || op == Operator::kModulo ||
                       op == Operator::kCeilDiv || op == Operator::kRoundUp;
  const bool is_safe = divides ? left.least >= 0 && right.least > 0 : fast != Op::kBinary;
  const Bounds of_left{left.least, left.most};
  const Bounds of_right{right.least, right.most};
  if (is_safe && fast != Op::kBinary) {
    bounds = BoundsOf(fast, of_left, of_right);
  } else if (is_safe && op == Operator::kCeilDiv) {
    bounds = {(of_left.least + of_right.most - 1) / of_right.most,
              (of_left.most + of_right.least - 1) / of_right.least};
  } else if (is_safe) {
    bounds = {of_left.least, of_left.most + of_right.most - 1};
  } else if (op == Operator::kGcd && left.least > kLeast && right.least > kLeast) {
    bounds = {0, kMost};
  } else {
    can_fail = true;
  }
  can_fail = can_fail || bounds.least <= kLeast || bounds.most > kMost;
  if (!can_fail && fast != Op::kBinary) {
    instruction.op = fast;
    instruction.general = Operator::kNone;
  }
  return Intern(instruction, static_cast<int64_t>(std::max<Wide>(bounds.least, kLeast)),
                static_cast<int64_t>(std::min<Wide>(bounds.most, kMost)), can_fail);
}

CircuitNode Circuit::Unary(Operator op, CircuitNode a) {
  const Node operand = At(a);
  const bool integral = IsIntegral(TypeOf(a));
  if (integral && op == Operator::kNegate) return Binary(Operator::kSubtract, Integer(0), a);
  const bool stays = op == Operator::kPlus || op == Operator::kCeil || op == Operator::kFloor ||
                     (op == Operator::kAbs && operand.least >= 0);
  if (integral && stays) return Binary(Operator::kAdd, a, Integer(0));
  Instruction instruction{.op = Op::kUnary, .general = op, .a = a, .b = a, .c = a};
  const bool whole = op == Operator::kCeil || op == Operator::kFloor;
  instruction.type = whole || (integral && op == Operator::kAbs) ? Type::kInteger : Type::kReal;
  return Intern(instruction, kLeast, kMost, true);
}

CircuitNode Circuit::CompareIntegers(Op op, CircuitNode a, CircuitNode b) {
  const Node& left = At(a);
  const Node& right = At(b);
  bool holds = false;  // always
  bool fails = false;
  if (IsIntegral(left.instruction.type)) {
    const bool apart = left.most < right.least || right.most < left.least;
    const bool same =
        left.least == left.most && left.least == right.least && left.most == right.most;
    if (op == Op::kLess) {
      holds = left.most < right.least;
      fails = left.least >= right.most;
    } else if (op == Op::kLessEqual) {
      holds = left.most <= right.least;
      fails = left.least > right.most;
    } else {
      holds = op == Op::kEqual ? same : apart;
      fails = op == Op::kEqual ? apart : same;
    }
  }
  const Instruction instruction{.op = op, .type = Type::kBoolean, .a = a, .b = b, .c = b};
  return Intern(instruction, holds ? 1 : 0, fails ? 0 : 1, false);
}

// Strings are compared as their numbers, which the caller has made sure of.
CircuitNode Circuit::Compare(Operator op, CircuitNode a, CircuitNode b) {
  const bool numbers = TypeOf(a) != Type::kString;
  const bool integers = numbers ? IsIntegral(TypeOf(a)) && IsIntegral(TypeOf(b)) : true;
  if (integers && !At(a).can_fail && !At(b).can_fail) {
    switch (op) {
      case Operator::kLess:
        return CompareIntegers(Op::kLess, a, b);
      case Operator::kLessEqual:
        return CompareIntegers(Op::kLessEqual, a, b);
      case Operator::kGreater:
        return CompareIntegers(Op::kLess, b, a);
      case Operator::kGreaterEqual:
        return CompareIntegers(Op::kLessEqual, b, a);
      case Operator::kEqual:
        return CompareIntegers(Op::kEqual, a, b);
      default:
        return CompareIntegers(Op::kNotEqual, a, b);
    }
  }
  CHECK(numbers);
  const Instruction instruction{
      .op = Op::kCompare, .general = op, .type = Type::kBoolean, .a = a, .b = b, .c = b};
  return Intern(instruction, 0, 1, At(a).can_fail || At(b).can_fail);
}

CircuitNode Circuit::Not(CircuitNode a) {
  const Node operand = At(a);
  Instruction instruction{.op = Op::kNot, .type = Type::kBoolean, .a = a, .b = a, .c = a};
  if (operand.can_fail) {
    instruction.op = Op::kUnary;
    instruction.general = Operator::kNot;
  }
  return Intern(instruction, 1 - operand.most, 1 - operand.least, operand.can_fail);
}

CircuitNode Circuit::Junction(Op op, CircuitNode a, CircuitNode b) {
  const int64_t neutral = op == Op::kAnd ? 1 : 0;
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (!IsConstant(one)) continue;
    if (constants_[one].integer == neutral) return other;
    if (one == a || !At(a).can_fail) return one;
  }
  if (a == b) return a;
  const Instruction instruction{.op = op, .type = Type::kBoolean, .a = a, .b = b, .c = b};
  return Intern(instruction, 0, 1, At(a).can_fail || At(b).can_fail);
}

CircuitNode Circuit::Select(CircuitNode a, CircuitNode b, CircuitNode c) {
  if (IsConstant(a)) return constants_[a].integer != 0 ? b : c;
  const Node& yes = At(b);
  const Node& no = At(c);
  const Instruction instruction{
      .op = Op::kSelect, .type = std::max(TypeOf(b), TypeOf(c)), .a = a, .b = b, .c = c};
  return Intern(instruction, std::min(yes.least, no.least), std::max(yes.most, no.most),
                At(a).can_fail || yes.can_fail || no.can_fail);
}

}  // namespace burnish::expr
