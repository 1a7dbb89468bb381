#include "agent/verify/compare.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "agent/verify/poison.h"
#include "agent/verify/tolerance.h"
#include "common/base/check.h"
#include "common/base/elements.h"

namespace burnish::verify {
namespace {

constexpr double kHugeError = std::numeric_limits<double>::max();

template <typename T>
T ElementAt(std::span<const std::byte> buffer, int64_t index) {
  T element;
  std::memcpy(&element, buffer.data() + index * sizeof(T), sizeof(T));
  return element;
}

// "c[1, 3]"
std::string ElementName(const spec::Argument& argument, int64_t index) {
  std::vector<int64_t> indices(argument.shape.size());
  for (size_t axis = argument.shape.size(); axis-- > 0;) {
    indices[axis] = index % argument.shape[axis];
    index /= argument.shape[axis];
  }
  return absl::StrCat(argument.name, "[", absl::StrJoin(indices, ", "), "]");
}

template <typename T>
std::string ElementText(T element) {
  if constexpr (std::integral<T>) {
    return absl::StrCat(
        static_cast<std::conditional_t<std::signed_integral<T>, int64_t, uint64_t>>(element));
  } else {
    return absl::StrFormat("%.7g", ElementToDouble(element));
  }
}

template <typename T>
double RootMeanSquareOf(std::span<const std::byte> buffer) {
  const auto count = static_cast<int64_t>(buffer.size() / sizeof(T));
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = ElementToDouble(ElementAt<T>(buffer, i));
    if (std::isfinite(value)) squares += value * value;
  }
  return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
}

struct ElementError {
  double difference = 0;
  double relative = 0;
  bool wrong = false;
};
constexpr ElementError kNotANumber = {kHugeError, kHugeError, true};

template <typename T>
bool SameNonFinite(T output, T expected) {
  const double value = ElementToDouble(output);
  const double reference = ElementToDouble(expected);
  return std::isnan(reference) ? std::isnan(value) : value == reference;
}

// The reference is finite.
template <typename T>
ElementError CompareElement(T output, T expected, const Tolerance& tolerance, double floor) {
  const double value = ElementToDouble(output);
  const double reference = ElementToDouble(expected);
  if (std::integral<T> && std::memcmp(&output, &expected, sizeof(T)) == 0) return {};
  if (!std::isfinite(value)) return kNotANumber;
  ElementError error;
  error.difference = std::abs(value - reference);
  const double scale = std::abs(reference) + floor;
  if (error.difference > 0) error.relative = scale > 0 ? error.difference / scale : kHugeError;
  error.wrong = std::integral<T> || error.relative > tolerance.relative;
  return error;
}

template <typename T>
bool Untouched(std::span<const std::byte> buffer, int64_t index) {
  const size_t at = index * sizeof(T);
  return FirstUnpoisoned(buffer.subspan(at, sizeof(T)), at) == sizeof(T);
}

// `place(i)` is where in the output the i-th of `count` expected values belongs.
template <typename T, typename Place>
OutputCheck Compare(const spec::Argument& argument, std::span<const std::byte> output,
                    std::span<const std::byte> expected, const ReferenceFacts& facts,
                    const Place& place) {
  const auto count = static_cast<int64_t>(expected.size() / sizeof(T));
  const Tolerance tolerance = ToleranceOf(argument.dtype, facts.reduction_length);
  const double rms = std::max(RootMeanSquareOf<T>(expected), facts.least_rms);
  // Below it elements are too small, beside the others, to be held to a relative error.
  const double floor = tolerance.relative > 0 ? rms * tolerance.absolute / tolerance.relative : 0;

  OutputCheck check;
  double squares = 0;
  int64_t worst = -1;
  for (int64_t i = 0; i < count; ++i) {
    const T reference = ElementAt<T>(expected, i);
    ElementError error;
    if (std::isfinite(ElementToDouble(reference))) {
      error = CompareElement(ElementAt<T>(output, place(i)), reference, tolerance, floor);
    } else if (Untouched<T>(output, place(i)) ||
               !(facts.numbers_only || SameNonFinite(ElementAt<T>(output, place(i)), reference))) {
      error = kNotANumber;
    }
    if (error.wrong) ++check.wrong_elements;
    if (error.wrong && (worst < 0 || error.relative > check.max_relative_error)) worst = i;
    check.max_relative_error = std::max(check.max_relative_error, error.relative);
    if (error.difference < kHugeError) squares += error.difference * error.difference;
  }
  if (squares > 0) {
    const double norm = rms * std::sqrt(static_cast<double>(count));
    check.relative_frobenius = norm > 0 ? std::sqrt(squares) / norm : kHugeError;
  }
  if (worst >= 0) {
    const int64_t at = place(worst);
    check.worst = absl::StrFormat(
        "%s: %s, expected %s (%d of %d %selements differ)", ElementName(argument, at),
        Untouched<T>(output, at) ? "never written" : ElementText(ElementAt<T>(output, at)),
        ElementText(ElementAt<T>(expected, worst)), check.wrong_elements, count,
        count < argument.ElementCount() ? "checked " : "");
  } else if (check.relative_frobenius > tolerance.frobenius) {
    check.worst = absl::StrFormat("%s: relative Frobenius error %.2g, at most %.2g is right",
                                  argument.name, check.relative_frobenius, tolerance.frobenius);
  }
  return check;
}

// Whether each element that is not in `elements` looks like a result.
template <typename T>
void CheckOthers(const spec::Argument& argument, std::span<const std::byte> output,
                 std::span<const int64_t> elements, bool finite, OutputCheck& check) {
  int64_t first_wrong = -1;
  for (int64_t i = 0; i < argument.ElementCount(); ++i) {
    if (!elements.empty() && elements.front() == i) {
      elements = elements.subspan(1);
      continue;
    }
    // No poison is a finite number.
    if (!std::integral<T> && std::isfinite(ElementToDouble(ElementAt<T>(output, i)))) continue;
    const bool must_be_finite = !std::integral<T> && finite;
    if (!must_be_finite && !Untouched<T>(output, i)) continue;
    if (first_wrong < 0) first_wrong = i;
    ++check.wrong_elements;
  }
  if (first_wrong < 0 || !check.worst.empty()) return;
  check.max_relative_error = kHugeError;
  check.worst = absl::StrFormat("%s: %s, expected a number (the first of %d such elements)",
                                ElementName(argument, first_wrong),
                                Untouched<T>(output, first_wrong)
                                    ? "never written"
                                    : ElementText(ElementAt<T>(output, first_wrong)),
                                check.wrong_elements);
}

}  // namespace

double RootMeanSquare(Dtype dtype, std::span<const std::byte> buffer) {
  return WithElementType(dtype, [&]<typename T>() { return RootMeanSquareOf<T>(buffer); });
}

double RootMeanSquare(std::span<const double> values) {
  return RootMeanSquareOf<double>(std::as_bytes(values));
}

bool HasNumbers(Dtype dtype, std::span<const std::byte> buffer) {
  return WithElementType(dtype, [&]<typename T>() {
    const auto count = static_cast<int64_t>(buffer.size() / sizeof(T));
    for (int64_t i = 0; i < count; ++i) {
      if (std::isfinite(ElementToDouble(ElementAt<T>(buffer, i)))) return true;
    }
    return false;
  });
}

OutputCheck CompareOutput(const spec::Argument& argument, std::span<const std::byte> output,
                          std::span<const std::byte> expected, const ReferenceFacts& facts) {
  CHECK(output.size() == expected.size()) << argument.name;
  return WithElementType(argument.dtype, [&]<typename T>() {
    CHECK(output.size() == argument.ElementCount() * sizeof(T)) << argument.name;
    return Compare<T>(argument, output, expected, facts, [](int64_t i) { return i; });
  });
}

OutputCheck CompareSampled(const spec::Argument& argument, std::span<const std::byte> output,
                           std::span<const int64_t> elements, std::span<const double> values,
                           const ReferenceFacts& facts) {
  CHECK(elements.size() == values.size()) << argument.name;
  return WithElementType(argument.dtype, [&]<typename T>() {
    CHECK(output.size() == argument.ElementCount() * sizeof(T)) << argument.name;
    std::vector<T> expected;
    expected.reserve(values.size());
    for (const double value : values) expected.push_back(ElementFromDouble<T>(value));
    OutputCheck check = Compare<T>(argument, output, std::as_bytes(std::span(expected)), facts,
                                   [&](int64_t i) { return elements[i]; });
    const bool finite = std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
    CheckOthers<T>(argument, output, elements, finite, check);
    return check;
  });
}

}  // namespace burnish::verify
