// The roofline diagram as text.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/roofline.h"

namespace burnish::cli {
namespace {

constexpr int kColumns = 64;
constexpr int kRows = 18;

class Canvas {
 public:
  explicit Canvas(const RooflineAxes& axes) : axes_(axes) {}

  int ColumnOf(double operations_per_byte) const {
    return Index(axes_.operations_per_byte.Place(operations_per_byte), kColumns);
  }
  int RowOf(double operations_per_second) const {
    return kRows - 1 - Index(axes_.operations_per_second.Place(operations_per_second), kRows);
  }
  double OperationsPerByteAt(int column) const {
    return axes_.operations_per_byte.At(static_cast<double>(column) / (kColumns - 1));
  }
  void Put(int column, int row, char mark) {
    if (row >= 0 && row < kRows && column >= 0 && column < kColumns) rows_[row][column] = mark;
  }
  // Where there is room for all of it.
  void Write(int column, int row, const std::string& text) {
    const int start = std::clamp<int>(column, 0, kColumns - static_cast<int>(text.size()));
    for (size_t i = 0; i < text.size(); ++i) Put(start + static_cast<int>(i), row, text[i]);
  }
  const std::string& row(int i) const { return rows_[i]; }

 private:
  static int Index(double place, int cells) {
    return static_cast<int>(std::lround(place * (cells - 1)));
  }
  RooflineAxes axes_;
  std::vector<std::string> rows_{kRows, std::string(kColumns, ' ')};
};

void DrawRoofs(const Roofline& roofline, Canvas& canvas) {
  const double highest = HighestPeak(roofline, roofline.threads);
  const double fastest = FastestBandwidth(roofline, roofline.threads);
  for (const work::Peak& peak : PeaksWith(roofline, roofline.threads)) {
    const int row = canvas.RowOf(peak.operations_per_second);
    for (int x = canvas.ColumnOf(peak.operations_per_second / fastest); x < kColumns; ++x) {
      canvas.Put(x, row, '-');
    }
  }
  const std::vector<work::Bandwidth> levels = BandwidthsWith(roofline, roofline.threads);
  for (const work::Bandwidth& level : levels) {
    for (int x = 0; x < kColumns; ++x) {
      const double y = canvas.OperationsPerByteAt(x) * level.bytes_per_second;
      if (y <= highest) canvas.Put(x, canvas.RowOf(y), '/');
    }
  }
  std::map<int, std::string> names;  // of the peaks in a row
  for (const work::Peak& peak : PeaksWith(roofline, roofline.threads)) {
    absl::StrAppend(&names[canvas.RowOf(peak.operations_per_second)], " ", peak.dtype);
  }
  for (const auto& [row, name] : names) canvas.Write(kColumns, row, name);
  // A level's name where its slope leaves the left edge or, if another one stands there, on it.
  for (size_t i = 0; i < levels.size(); ++i) {
    const int x = static_cast<int>(6 * (levels.size() - 1 - i));
    const double y = canvas.OperationsPerByteAt(x) * levels[i].bytes_per_second;
    canvas.Write(x, canvas.RowOf(y), levels[i].level);
  }
}

}  // namespace

std::string RooflineChart(const Roofline& roofline) {
  const RooflineAxes axes = AxesOf(roofline);
  Canvas canvas(axes);
  DrawRoofs(roofline, canvas);
  for (size_t i = roofline.points.size(); i-- > 0;) {
    const RooflinePoint& point = roofline.points[i];
    canvas.Put(canvas.ColumnOf(point.operations_per_byte),
               canvas.RowOf(point.operations_per_second),
               i < 26 ? static_cast<char>('A' + i) : '*');
  }
  std::vector<std::string> labels(kRows);
  for (const double decade : axes.operations_per_second.Decades()) {
    labels[canvas.RowOf(decade)] = DecadeText(decade);
  }
  std::string text = "operations/s\n";
  for (int row = 0; row < kRows; ++row) {
    absl::StrAppend(&text, absl::StrFormat("%6s |", labels[row]),
                    absl::StripTrailingAsciiWhitespace(canvas.row(row)), "\n");
  }
  std::string ruler(kColumns, '-');
  std::string numbers(kColumns + 8, ' ');
  for (const double decade : axes.operations_per_byte.Decades()) {
    const int column = canvas.ColumnOf(decade);
    ruler[column] = '+';
    numbers.replace(column, DecadeText(decade).size(), DecadeText(decade));
  }
  absl::StrAppend(&text, "       +", ruler, "\n        ",
                  absl::StripTrailingAsciiWhitespace(numbers), "  operations/byte\n");
  return text;
}

}  // namespace burnish::cli
