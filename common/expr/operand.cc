#include "common/expr/operand.h"

#include <cmath>

#include "common/base/check.h"

namespace burnish::expr {
namespace {

// 2^63 is the first double above every int64_t.
constexpr double kIntegerEnd = 9223372036854775808.0;

std::partial_ordering CompareIntegerToReal(int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= kIntegerEnd) return std::partial_ordering::less;
  if (b < -kIntegerEnd) return std::partial_ordering::greater;
  const double whole = std::trunc(b);
  const auto integer = static_cast<int64_t>(whole);
  if (a != integer) return a <=> integer;
  return whole <=> b;
}

std::partial_ordering Reversed(std::partial_ordering order) { return 0 <=> order; }

bool EqualLists(const List& a, const List& b) {
  if (a->size() != b->size()) return false;
  for (size_t i = 0; i < a->size(); ++i) {
    if (!Equal((*a)[i], (*b)[i])) return false;
  }
  return true;
}

}  // namespace

Value ToValue(const Operand& operand) {
  switch (operand.type) {
    case Operand::Type::kBoolean:
      return operand.payload.integer != 0;
    case Operand::Type::kInteger:
      return operand.payload.integer;
    case Operand::Type::kReal:
      return operand.payload.real;
    case Operand::Type::kString:
      return *operand.payload.string;
    case Operand::Type::kList:
      return *operand.payload.list;
    case Operand::Type::kFault:
      break;
  }
  CHECK(false) << "a fault has no value";
  return false;
}

const char* TypeName(const Operand& operand) {
  static constexpr const char* kNames[] = {"boolean", "integer", "real", "string", "list", "fault"};
  return kNames[static_cast<size_t>(operand.type)];
}

bool Truth(const Operand& operand) {
  switch (operand.type) {
    case Operand::Type::kReal:
      return operand.payload.real != 0;
    case Operand::Type::kString:
      return !operand.payload.string->empty();
    case Operand::Type::kList:
      return !(*operand.payload.list)->empty();
    default:
      return operand.payload.integer != 0;
  }
}

bool Equal(const Operand& a, const Operand& b) {
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == 0;
  if (a.type != b.type) return false;
  if (a.type == Operand::Type::kString) return *a.payload.string == *b.payload.string;
  return EqualLists(*a.payload.list, *b.payload.list);
}

std::partial_ordering CompareNumbers(const Operand& a, const Operand& b) {
  if (a.is_integral()) {
    if (b.is_integral()) return a.payload.integer <=> b.payload.integer;
    return CompareIntegerToReal(a.payload.integer, b.payload.real);
  }
  if (b.is_integral()) return Reversed(CompareIntegerToReal(b.payload.integer, a.payload.real));
  return a.payload.real <=> b.payload.real;
}

}  // namespace burnish::expr
