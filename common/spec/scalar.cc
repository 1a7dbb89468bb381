#include "common/spec/scalar.h"

#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"

namespace burnish::spec {
namespace {

bool IsDigits(std::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty();
}

std::string_view WithoutSign(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

// digits [. digits] [e [sign] digits], where the digits of one side of the point may lack.
bool LooksReal(std::string_view text) {
  const size_t exponent = text.find_first_of("eE");
  std::string_view mantissa = text.substr(0, exponent);
  if (exponent != text.npos && !IsDigits(WithoutSign(text.substr(exponent + 1)))) return false;
  const size_t point = mantissa.find('.');
  if (point == mantissa.npos) return IsDigits(mantissa);
  const std::string_view before = mantissa.substr(0, point);
  const std::string_view after = mantissa.substr(point + 1);
  if (before.empty() && after.empty()) return false;
  return (before.empty() || IsDigits(before)) && (after.empty() || IsDigits(after));
}

bool LooksPrefixed(std::string_view text) {
  return text.size() > 2 && text[0] == '0' &&
         std::string_view("xXoObB").find(text[1]) != text.npos &&
         absl::ascii_isxdigit(static_cast<unsigned char>(text[2]));
}

bool LooksNotFinite(std::string_view text) {
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

}  // namespace

absl::StatusOr<expr::Value> ReadPlainScalar(const std::string& text) {
  if (text == "true" || text == "True" || text == "TRUE") return expr::Value(true);
  if (text == "false" || text == "False" || text == "FALSE") return expr::Value(false);

  if (text.empty()) return expr::Value(text);
  const std::string_view digits = WithoutSign(text);
  const std::string number = (text.front() == '-' ? "-" : "") + std::string(digits);
  if (LooksNotFinite(digits)) {
    return InvalidInput("'" + text + "' is not a finite number",
                        "put it in quotes if it is meant as a string");
  }
  if (LooksPrefixed(digits)) {
    return InvalidInput("'" + text + "' is not a decimal number",
                        "write numbers in decimal, strings in quotes");
  }
  if (!LooksReal(digits)) return expr::Value(text);
  if (digits.size() > 1 && digits[0] == '0' &&
      absl::ascii_isdigit(static_cast<unsigned char>(digits[1]))) {
    return InvalidInput("the number '" + text + "' has leading zeros",
                        "write it without them; strings in quotes");
  }
  if (IsDigits(digits)) {
    const std::optional<int64_t> integer = ParseInteger(number);
    if (integer.has_value()) return expr::Value(*integer);
    return InvalidInput("the integer " + text + " does not fit 64 bits");
  }
  const std::optional<double> real = ParseReal(number);
  if (real.has_value()) return expr::Value(*real);
  return InvalidInput("the number " + text + " is out of range");
}

}  // namespace burnish::spec
