// Values of the expression language, of parameters and of constants. Python's meaning: integers
// are exact 64-bit (overflow is an error), 1 == 1.0 == true, strings equal only strings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace burnish::expr {

struct Value;
// A list occurs as the right side of `in` and as a bound name such as a device's `isa`; never null.
using List = std::shared_ptr<const std::vector<Value>>;

struct Value : std::variant<bool, int64_t, double, std::string, List> {
  using std::variant<bool, int64_t, double, std::string, List>::variant;
};

bool IsNumber(const Value& value);  // bool counts, as in Python
// An integer or a real; nothing of any other type.
std::optional<double> RealOf(const Value& value);
// Python's equality; lists compare element by element.
bool Equal(const Value& a, const Value& b);
// As written in a job file: true, 3, 2.5, 'text', [1, 2].
std::string FormatValue(const Value& value);
// As a macro or a command-line flag sees it: booleans 0 or 1, strings bare, lists with commas.
std::string FormatBare(const Value& value);
const char* TypeName(const Value& value);  // "boolean", "integer", "real", "string", "list"

}  // namespace burnish::expr
