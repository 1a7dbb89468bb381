// Arithmetic with Python's meaning on numbers (booleans count as 0 and 1): integers stay exact, and
// overflow is a fault; a real result that is not finite is a fault, too. Arguments must be numbers.
#pragma once

#include <cstdint>

#include "common/expr/operand.h"

namespace burnish::expr {

Operand Negate(const Operand& a);
Operand Absolute(const Operand& a);
Operand Ceil(const Operand& a);
Operand Floor(const Operand& a);
Operand Log2(const Operand& a);

Operand Add(const Operand& a, const Operand& b);
Operand Subtract(const Operand& a, const Operand& b);
Operand Multiply(const Operand& a, const Operand& b);
// A real, correctly rounded also for integers that no real holds.
Operand Divide(const Operand& a, const Operand& b);
// Toward minus infinity; the remainder has the sign of the divisor.
Operand FloorDivide(const Operand& a, const Operand& b);
Operand Modulo(const Operand& a, const Operand& b);
// An integer for integers, but for a negative exponent.
Operand Power(const Operand& a, const Operand& b);

Operand Gcd(int64_t a, int64_t b);
// Toward plus infinity.
Operand CeilDiv(int64_t a, int64_t b);
// The smallest multiple of `multiple` that is not below `a`.
Operand RoundUp(int64_t a, int64_t multiple);

}  // namespace burnish::expr
