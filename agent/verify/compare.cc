#include "agent/verify/compare.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>

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

// Root mean square of the finite elements.
template <typename T>
double RootMeanSquare(std::span<const std::byte> buffer, int64_t count) {
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = ElementToDouble(ElementAt<T>(buffer, i));
    if (std::isfinite(value)) squares += value * value;
  }
  return std::sqrt(squares / static_cast<double>(count));
}

struct ElementError {
  double difference = 0;
  double relative = 0;
  bool wrong = false;
};

template <typename T>
ElementError CompareElement(T output, T expected, const Tolerance& tolerance, double floor) {
  const double value = ElementToDouble(output);
  const double reference = ElementToDouble(expected);
  if (std::integral<T> && std::memcmp(&output, &expected, sizeof(T)) == 0) return {};
  if (!std::isfinite(value) || !std::isfinite(reference)) {
    const bool same = std::isnan(reference) ? std::isnan(value) : value == reference;
    return same ? ElementError{} : ElementError{kHugeError, kHugeError, true};
  }
  ElementError error;
  error.difference = std::abs(value - reference);
  const double scale = std::abs(reference) + floor;
  if (error.difference > 0) error.relative = scale > 0 ? error.difference / scale : kHugeError;
  error.wrong = std::integral<T> || error.relative > tolerance.relative;
  return error;
}

template <typename T>
OutputCheck Compare(const spec::Argument& argument, std::span<const std::byte> output,
                    std::span<const std::byte> expected) {
  const int64_t count = argument.ElementCount();
  const Tolerance tolerance = ToleranceOf(argument.dtype);
  const double rms = RootMeanSquare<T>(expected, count);
  // Below it elements are too small, beside the others, to be held to a relative error.
  const double floor = tolerance.relative > 0 ? rms * tolerance.absolute / tolerance.relative : 0;

  OutputCheck check;
  double squares = 0;
  int64_t worst = -1;
  for (int64_t i = 0; i < count; ++i) {
    const ElementError error =
        CompareElement(ElementAt<T>(output, i), ElementAt<T>(expected, i), tolerance, floor);
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
    const size_t at = worst * sizeof(T);
    const bool untouched = FirstUnpoisoned(output.subspan(at, sizeof(T)), at) == sizeof(T);
    check.worst = absl::StrFormat(
        "%s: %s, expected %s (%d of %d elements differ)", ElementName(argument, worst),
        untouched ? "never written" : ElementText(ElementAt<T>(output, worst)),
        ElementText(ElementAt<T>(expected, worst)), check.wrong_elements, count);
  } else if (check.relative_frobenius > tolerance.frobenius) {
    check.worst = absl::StrFormat("%s: relative Frobenius error %.2g, at most %.2g is right",
                                  argument.name, check.relative_frobenius, tolerance.frobenius);
  }
  return check;
}

}  // namespace

OutputCheck CompareOutput(const spec::Argument& argument, std::span<const std::byte> output,
                          std::span<const std::byte> expected) {
  CHECK(output.size() == expected.size()) << argument.name;
  return WithElementType(argument.dtype, [&]<typename T>() {
    CHECK(output.size() == argument.ElementCount() * sizeof(T)) << argument.name;
    return Compare<T>(argument, output, expected);
  });
}

}  // namespace burnish::verify
