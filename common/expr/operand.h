// What the evaluator computes with: a Value seen from outside, in two machine words. Strings and
// lists are borrowed, so that no operation allocates; they must outlive the operand.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "common/expr/value.h"

namespace burnish::expr {

enum class Fault : uint8_t {
  kIntegerOverflow,
  kNotFinite,
  kDivisionByZero,
  kNotNumbers,
  kNotIntegers,
  kNotOrdered,
  kNotContainer,
  kNotInString,
  kFractionalPower,
  kNotPositiveLogarithm,
  kNotPositiveMultiple,
};

struct Operand {
  // The order of Value's alternatives: an index converts into a type.
  enum class Type : uint64_t { kBoolean, kInteger, kReal, kString, kList, kFault };

  static Operand Boolean(bool value) { return {Type::kBoolean, {.integer = value ? 1 : 0}}; }
  static Operand Integer(int64_t value) { return {Type::kInteger, {.integer = value}}; }
  static Operand Real(double value) { return {Type::kReal, {.real = value}}; }
  static Operand Failed(Fault fault) { return {Type::kFault, {.fault = fault}}; }

  bool is_integral() const { return type <= Type::kInteger; }  // booleans count as integers
  bool is_number() const { return type <= Type::kReal; }
  bool failed() const { return type == Type::kFault; }
  double AsReal() const {
    return type == Type::kReal ? payload.real : static_cast<double>(payload.integer);
  }

  Type type;
  union {
    int64_t integer;  // of booleans, too
    double real;
    const std::string* string;
    const List* list;
    Fault fault;
  } payload;
};

inline Operand View(const Value& value) {
  const auto type = static_cast<Operand::Type>(value.index());
  switch (type) {
    case Operand::Type::kBoolean:
      return Operand::Boolean(*std::get_if<bool>(&value));
    case Operand::Type::kInteger:
      return Operand::Integer(*std::get_if<int64_t>(&value));
    case Operand::Type::kReal:
      return Operand::Real(*std::get_if<double>(&value));
    case Operand::Type::kString:
      return {type, {.string = std::get_if<std::string>(&value)}};
    default:
      return {type, {.list = std::get_if<List>(&value)}};
  }
}

// Copies what is borrowed; the operand must not be a fault.
Value ToValue(const Operand& operand);
const char* TypeName(const Operand& operand);

// Python's truth: numbers unequal 0, strings and lists with content.
bool Truth(const Operand& operand);
bool Equal(const Operand& a, const Operand& b);
// Exact, also between integers and reals beyond 2^53; unordered only with a NaN.
std::partial_ordering CompareNumbers(const Operand& a, const Operand& b);

}  // namespace burnish::expr
