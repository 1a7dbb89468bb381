#include "common/expr/value.h"

#include "common/base/numbers.h"
#include "common/expr/operand.h"

namespace burnish::expr {
namespace {

std::string Quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string Join(const std::vector<Value>& values, const char* separator,
                 std::string (*format)(const Value&)) {
  std::string joined;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) joined += separator;
    joined += format(values[i]);
  }
  return joined;
}

}  // namespace

bool IsNumber(const Value& value) { return View(value).is_number(); }

std::optional<double> RealOf(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

bool Equal(const Value& a, const Value& b) { return Equal(View(a), View(b)); }

std::string FormatValue(const Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return FormatReal(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return Quote(*text);
  return "[" + Join(**std::get_if<List>(&value), ", ", FormatValue) + "]";
}

std::string FormatBare(const Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "1" : "0";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<List>(&value)) return Join(**list, ",", FormatBare);
  return FormatValue(value);
}

const char* TypeName(const Value& value) { return TypeName(View(value)); }

}  // namespace burnish::expr
