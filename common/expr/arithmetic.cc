#include "common/expr/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace burnish::expr {
namespace {

constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
constexpr double kIntegerEnd = 9223372036854775808.0;  // 2^63

Operand Overflow() { return Operand::Failed(Fault::kIntegerOverflow); }

Operand Finite(double value) {
  return std::isfinite(value) ? Operand::Real(value) : Operand::Failed(Fault::kNotFinite);
}

Operand WholeReal(double whole) {
  if (!(whole >= -kIntegerEnd && whole < kIntegerEnd)) return Overflow();
  return Operand::Integer(static_cast<int64_t>(whole));
}

bool BothIntegral(const Operand& a, const Operand& b) { return a.is_integral() && b.is_integral(); }

uint64_t Magnitude(int64_t value) {
  return value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

int BitWidth(uint64_t value) { return static_cast<int>(std::bit_width(value)); }

// The quotient is taken with at least 62 bits and a sticky last bit, so that the one rounding, in
// the conversion to double, is the right one.
double DivideExactly(int64_t a, int64_t b) {
  const uint64_t dividend = Magnitude(a);
  const uint64_t divisor = Magnitude(b);
  const int shift = std::max(0, 62 + BitWidth(divisor) - BitWidth(dividend));
  const auto scaled = static_cast<unsigned __int128>(dividend) << shift;
  auto quotient = static_cast<uint64_t>(scaled / divisor);
  if (scaled % divisor != 0) quotient |= 1;
  const double magnitude = std::ldexp(static_cast<double>(quotient), -shift);
  return (a < 0) != (b < 0) ? -magnitude : magnitude;
}

struct RealDivision {
  double quotient;   // floor
  double remainder;  // with the divisor's sign
};

// Python's float divmod: from the exact fmod, so that quotient * b + remainder is as near as it
// can be to a.
RealDivision DivideReals(double a, double b) {
  double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder == 0) {
    remainder = std::copysign(0.0, b);
  } else if ((b < 0) != (remainder < 0)) {
    remainder += b;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), remainder};
  double whole = std::floor(quotient);
  if (quotient - whole > 0.5) whole += 1;
  return {whole, remainder};
}

std::optional<int64_t> IntegerPower(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
    exponent >>= 1;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
}

}  // namespace

Operand Negate(const Operand& a) {
  if (!a.is_integral()) return Operand::Real(-a.payload.real);
  if (a.payload.integer == kSmallest) return Overflow();
  return Operand::Integer(-a.payload.integer);
}

Operand Absolute(const Operand& a) {
  if (!a.is_integral()) return Operand::Real(std::fabs(a.payload.real));
  return a.payload.integer < 0 ? Negate(a) : Operand::Integer(a.payload.integer);
}

Operand Ceil(const Operand& a) {
  return a.is_integral() ? Operand::Integer(a.payload.integer)
                         : WholeReal(std::ceil(a.payload.real));
}

Operand Floor(const Operand& a) {
  return a.is_integral() ? Operand::Integer(a.payload.integer)
                         : WholeReal(std::floor(a.payload.real));
}

Operand Log2(const Operand& a) {
  const double value = a.AsReal();
  if (!(value > 0)) return Operand::Failed(Fault::kNotPositiveLogarithm);
  // Exact for powers of two whatever the platform's log2 does.
  int exponent = 0;
  if (std::frexp(value, &exponent) == 0.5) return Operand::Real(exponent - 1);
  return Finite(std::log2(value));
}

Operand Add(const Operand& a, const Operand& b) {
  if (!BothIntegral(a, b)) return Finite(a.AsReal() + b.AsReal());
  int64_t sum = 0;
  if (__builtin_add_overflow(a.payload.integer, b.payload.integer, &sum)) return Overflow();
  return Operand::Integer(sum);
}

Operand Subtract(const Operand& a, const Operand& b) {
  if (!BothIntegral(a, b)) return Finite(a.AsReal() - b.AsReal());
  int64_t difference = 0;
  if (__builtin_sub_overflow(a.payload.integer, b.payload.integer, &difference)) return Overflow();
  return Operand::Integer(difference);
}

Operand Multiply(const Operand& a, const Operand& b) {
  if (!BothIntegral(a, b)) return Finite(a.AsReal() * b.AsReal());
  int64_t product = 0;
  if (__builtin_mul_overflow(a.payload.integer, b.payload.integer, &product)) return Overflow();
  return Operand::Integer(product);
}

Operand Divide(const Operand& a, const Operand& b) {
  if (b.AsReal() == 0) return Operand::Failed(Fault::kDivisionByZero);
  if (!BothIntegral(a, b)) return Finite(a.AsReal() / b.AsReal());
  return Operand::Real(DivideExactly(a.payload.integer, b.payload.integer));
}

Operand FloorDivide(const Operand& a, const Operand& b) {
  if (b.AsReal() == 0) return Operand::Failed(Fault::kDivisionByZero);
  if (!BothIntegral(a, b)) return Finite(DivideReals(a.AsReal(), b.AsReal()).quotient);
  const int64_t dividend = a.payload.integer;
  const int64_t divisor = b.payload.integer;
  if (divisor == -1) return Negate(Operand::Integer(dividend));
  const int64_t quotient = dividend / divisor;
  const bool inexact = quotient * divisor != dividend;
  return Operand::Integer(inexact && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient);
}

Operand Modulo(const Operand& a, const Operand& b) {
  if (b.AsReal() == 0) return Operand::Failed(Fault::kDivisionByZero);
  if (!BothIntegral(a, b)) return Finite(DivideReals(a.AsReal(), b.AsReal()).remainder);
  const int64_t divisor = b.payload.integer;
  if (divisor == -1) return Operand::Integer(0);  // the processor traps at kSmallest % -1
  const int64_t remainder = a.payload.integer % divisor;
  const bool wrong_sign = remainder != 0 && (remainder < 0) != (divisor < 0);
  return Operand::Integer(wrong_sign ? remainder + divisor : remainder);
}

Operand Power(const Operand& a, const Operand& b) {
  if (BothIntegral(a, b) && b.payload.integer >= 0) {
    const std::optional<int64_t> power = IntegerPower(a.payload.integer, b.payload.integer);
    return power.has_value() ? Operand::Integer(*power) : Overflow();
  }
  const double base = a.AsReal();
  const double exponent = b.AsReal();
  if (base == 0 && exponent < 0) return Operand::Failed(Fault::kDivisionByZero);
  if (base < 0 && std::trunc(exponent) != exponent) {
    return Operand::Failed(Fault::kFractionalPower);
  }
  return Finite(std::pow(base, exponent));
}

Operand Gcd(int64_t a, int64_t b) {
  const uint64_t divisor = std::gcd(Magnitude(a), Magnitude(b));
  if (divisor > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return Overflow();
  return Operand::Integer(static_cast<int64_t>(divisor));
}

Operand CeilDiv(int64_t a, int64_t b) {
  if (b == 0) return Operand::Failed(Fault::kDivisionByZero);
  if (b == -1) return Negate(Operand::Integer(a));
  const int64_t quotient = a / b;
  const bool inexact = quotient * b != a;
  return Operand::Integer(inexact && (a < 0) == (b < 0) ? quotient + 1 : quotient);
}

Operand RoundUp(int64_t a, int64_t multiple) {
  if (multiple <= 0) return Operand::Failed(Fault::kNotPositiveMultiple);
  const Operand quotient = CeilDiv(a, multiple);
  return Multiply(quotient, Operand::Integer(multiple));
}

}  // namespace burnish::expr
