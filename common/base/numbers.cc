#include "common/base/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "absl/strings/str_cat.h"

namespace burnish {
namespace {

// Room for the longest double in fixed notation and some digits behind the point.
constexpr size_t kNumberChars = 400;

template <typename... Format>
std::string ToChars(double value, Format... format) {
  char text[kNumberChars];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value, format...);
  return std::string(text, end);
}

template <typename Number>
std::optional<Number> FromChars(std::string_view text) {
  // from_chars knows no plus sign; only one sign is allowed.
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Prefix {
  int exponent;  // of ten; a multiple of 3
  const char* symbol;
};
constexpr int kSignificantDigits = 4;

// Exponent of ten of `value` after rounding, so that 999.96 counts as 1000.
int RoundedExponent(double value) {
  const std::string text = ToChars(value, std::chars_format::scientific, kSignificantDigits - 1);
  return static_cast<int>(*FromChars<int64_t>(text.substr(text.find('e') + 1)));
}

// `value` with the largest prefix that leaves at least one digit before the point.
std::string FormatScaled(double value, std::span<const Prefix> ascending, const std::string& unit) {
  if (!std::isfinite(value)) return absl::StrCat(ToChars(value), " ", unit);
  if (value == 0) return absl::StrCat("0 ", unit);
  const int exponent = RoundedExponent(value);
  const Prefix* prefix = &ascending.front();
  for (const Prefix& candidate : ascending) {
    if (candidate.exponent <= exponent) prefix = &candidate;
  }
  const int decimals = std::clamp(kSignificantDigits - 1 - (exponent - prefix->exponent), 0, 12);
  // Powers of ten up to 22 are exact, so one operation rounds once.
  const double scaled = prefix->exponent < 0 ? value * std::pow(10.0, -prefix->exponent)
                                             : value / std::pow(10.0, prefix->exponent);
  return absl::StrCat(ToChars(scaled, std::chars_format::fixed, decimals), " ", prefix->symbol,
                      unit);
}

}  // namespace

std::string FormatReal(double value) {
  const double magnitude = std::abs(value);
  // Plain digits for everyday magnitudes (Python's range), as to_chars prefers 1e+05 to 100000.
  const bool plain = value == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  if (!plain) return ToChars(value, std::chars_format::scientific);
  const std::string text = ToChars(value, std::chars_format::fixed);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::optional<double> ParseReal(std::string_view text) {
  const std::optional<double> value = FromChars<double>(text);
  if (!value.has_value() || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseInteger(std::string_view text) { return FromChars<int64_t>(text); }

std::string FormatSeconds(double seconds) {
  static constexpr Prefix kPrefixes[] = {{-9, "n"}, {-6, "µ"}, {-3, "m"}, {0, ""}};
  return FormatScaled(seconds, kPrefixes, "s");
}

std::string FormatFigure(double value, std::string_view unit) {
  static constexpr Prefix kPrefixes[] = {{-9, "n"}, {-6, "µ"}, {-3, "m"}, {0, ""},
                                         {3, "k"},  {6, "M"},  {9, "G"},  {12, "T"}};
  return FormatScaled(value, kPrefixes, std::string(unit));
}

std::string FormatRate(double per_second, std::string_view unit) {
  static constexpr Prefix kPrefixes[] = {{0, ""},  {3, "k"},  {6, "M"},
                                         {9, "G"}, {12, "T"}, {15, "P"}};
  return FormatScaled(per_second, kPrefixes, std::string(unit));
}

}  // namespace burnish
