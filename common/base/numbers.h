// Numbers as text, independent of the locale and exact on the way back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace burnish {

// Shortest text that reads back to the same double; integral values keep a `.0`.
std::string FormatReal(double value);
// Whole text must be a number; `inf`, `nan` and hexadecimal are refused.
std::optional<double> ParseReal(std::string_view text);
std::optional<int64_t> ParseInteger(std::string_view text);

// Figures for people: `201.0 µs`, `2.31x`, `1.34 GFLOP/s`. Four significant digits.
std::string FormatSeconds(double seconds);
// With a prefix from nano on: `20.10 mJ`.
std::string FormatFigure(double value, std::string_view unit);
std::string FormatRate(double per_second, std::string_view unit);

}  // namespace burnish
