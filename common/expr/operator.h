// The operators and functions of the expression language, and what each computes. A function is an
// operator that is written with a name; one with several arguments is applied from left to right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/expr/operand.h"

namespace burnish::expr {

enum class Operator : uint8_t {
  kNone,
  // Unary.
  kNegate,
  kPlus,
  kNot,
  kAbs,
  kCeil,
  kFloor,
  kLog2,
  // Binary.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
  kPow,
  kMin,
  kMax,
  kGcd,
  kCeilDiv,
  kRoundUp,
  // Comparisons: a boolean results, and they chain.
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIn,
  kNotIn,
};

struct Function {
  std::string_view name;
  Operator op;
  int min_arguments;
  int max_arguments;
};

// Nothing (null) for a name that is no function.
const Function* FindFunction(std::string_view name);
std::vector<std::string> FunctionNames();

const char* OperatorText(Operator op);

// A failed operand stands for a fault; arguments must not be faults.
Operand ApplyUnary(Operator op, const Operand& a);
Operand ApplyBinary(Operator op, const Operand& a, const Operand& b);
Operand ApplyComparison(Operator op, const Operand& a, const Operand& b);

// "division by zero in '//'"; the operands are those that op was applied to.
std::string DescribeFault(Fault fault, Operator op, const Operand& a, const Operand& b);

}  // namespace burnish::expr
