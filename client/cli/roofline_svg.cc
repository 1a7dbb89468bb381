// The roofline diagram as SVG.
#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/roofline.h"
#include "common/base/numbers.h"
#include "common/base/utf8_text.h"

namespace burnish::cli {
namespace {

constexpr double kWidth = 960;
constexpr double kHeight = 600;
constexpr double kLeft = 90;
constexpr double kRight = 30;
constexpr double kTop = 60;
constexpr double kBottom = 70;
constexpr size_t kNamedPoints = 12;  // beyond these only the tooltips name them
constexpr std::array kColours = {"#1f77b4", "#2ca02c", "#ff7f0e", "#d62728", "#9467bd", "#8c564b"};

// XML knows no control characters at all.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : Utf8Text(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

class Drawing {
 public:
  explicit Drawing(const Roofline& roofline) : roofline_(roofline), axes_(AxesOf(roofline)) {
    absl::StrAppendFormat(&text_,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
                          "viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" font-size=\"12\">\n"
                          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                          kWidth, kHeight, kWidth, kHeight);
  }

  void Title() {
    Text(kLeft, 26, absl::StrCat("Roofline of ", roofline_.device_id),
         "font-size=\"17\" font-weight=\"bold\"");
    Text(kLeft, 45,
         roofline_.threads > 1 ? absl::StrCat(roofline_.device_name, " · ", roofline_.threads,
                                              " threads; dashed: one thread")
                               : roofline_.device_name,
         "fill=\"#555\"");
  }

  void Grid() {
    for (const double decade : axes_.operations_per_byte.Decades()) {
      Line(X(decade), kTop, X(decade), kHeight - kBottom, "stroke=\"#ddd\"");
      Text(X(decade), kHeight - kBottom + 18, DecadeText(decade), "text-anchor=\"middle\"");
    }
    for (const double decade : axes_.operations_per_second.Decades()) {
      Line(kLeft, Y(decade), kWidth - kRight, Y(decade), "stroke=\"#ddd\"");
      Text(kLeft - 8, Y(decade) + 4, absl::StrCat(DecadeText(decade), "OP/s"),
           "text-anchor=\"end\"");
    }
    Line(kLeft, kTop, kLeft, kHeight - kBottom, "stroke=\"black\"");
    Line(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, "stroke=\"black\"");
    Text((kLeft + kWidth - kRight) / 2, kHeight - 22, "arithmetic intensity (operations per byte)",
         "text-anchor=\"middle\" font-size=\"13\"");
    Text(18, kHeight / 2, "performance (operations per second)",
         absl::StrFormat("text-anchor=\"middle\" font-size=\"13\" transform=\"rotate(-90 18 %g)\"",
                         kHeight / 2));
  }

  // A line for each level and each peak, labelled if it is one of the most threads.
  void Roofs(int threads) {
    const bool whole = threads == roofline_.threads;
    const char* const style = whole ? "stroke-width=\"2\"" : "stroke-dasharray=\"5 4\"";
    const double highest = HighestPeak(roofline_, threads);
    const double fastest = FastestBandwidth(roofline_, threads);
    const LogAxis& x = axes_.operations_per_byte;
    size_t colour = 0;
    for (const work::Bandwidth& level : BandwidthsWith(roofline_, threads)) {
      const char* const stroke = kColours[colour % kColours.size()];
      const double bandwidth = level.bytes_per_second;
      const double from = std::max(x.low, axes_.operations_per_second.low / bandwidth);
      const double to = highest / bandwidth;
      const std::string label =
          absl::StrCat(level.level, " ", FormatRate(bandwidth, "B/s"), whole ? "" : ", one thread");
      Line(X(from), Y(from * bandwidth), X(to), Y(highest),
           absl::StrFormat("stroke=\"%s\" %s", stroke, style), label);
      // Along the slope, each further on than the one above it, which may be very near.
      if (whole) LevelLabel(from, bandwidth, static_cast<double>(colour), label, stroke);
      ++colour;
    }
    double label_x = 0;
    double label_y = 0;
    for (const work::Peak& peak : PeaksWith(roofline_, threads)) {
      const double y = Y(peak.operations_per_second);
      const std::string label =
          absl::StrCat(peak.dtype, " ", PeakText(peak), whole ? "" : ", one thread");
      Line(X(peak.operations_per_second / fastest), y, kWidth - kRight, y,
           absl::StrFormat("stroke=\"#333\" %s", style), label);
      // Of two peaks that are nearly the same the second one is named before the first.
      label_x = std::abs(y - label_y) < 14 ? label_x - 150 : kWidth - kRight - 4;
      label_y = y;
      if (whole) Text(label_x, y - 5, label, "text-anchor=\"end\"");
    }
  }

  void Points() {
    size_t drawn = 0;
    for (const RooflinePoint& point : roofline_.points) {
      const double x = X(point.operations_per_byte);
      const double y = Y(point.operations_per_second);
      std::string title = absl::StrCat(
          point.name, " (", point.task_id, "): ", FormatRate(point.operations_per_second, "OP/s"),
          absl::StrFormat(" at %.3g operations per byte", point.operations_per_byte));
      if (point.roof_share) absl::StrAppend(&title, ", ", ShareText(point.roof_share), " of roof");
      absl::StrAppend(&title, "; ", point.configuration);
      absl::StrAppendFormat(&text_,
                            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#e377c2\" "
                            "stroke=\"black\"><title>%s</title></circle>\n",
                            x, y, Escaped(title));
      if (drawn++ < kNamedPoints) Text(x + 8, y + 14, point.name, "font-size=\"11\"");
    }
  }

  std::string Finish() { return absl::StrCat(text_, "</svg>\n"); }

 private:
  double X(double operations_per_byte) const {
    return kLeft + axes_.operations_per_byte.Place(operations_per_byte) * (kWidth - kLeft - kRight);
  }
  double Y(double operations_per_second) const {
    return kHeight - kBottom -
           axes_.operations_per_second.Place(operations_per_second) * (kHeight - kTop - kBottom);
  }

  void Line(double x1, double y1, double x2, double y2, const std::string& style,
            const std::string& title = "") {
    absl::StrAppendFormat(&text_, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s", x1,
                          y1, x2, y2, style);
    if (title.empty()) {
      absl::StrAppend(&text_, "/>\n");
    } else {
      absl::StrAppend(&text_, "><title>", Escaped(title), "</title></line>\n");
    }
  }

  void Text(double x, double y, const std::string& text, const std::string& style) {
    absl::StrAppendFormat(&text_, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, style,
                          Escaped(text));
  }

  void LevelLabel(double from, double bandwidth, double place, const std::string& label,
                  const std::string& colour) {
    const double ten = Y(from * bandwidth) - Y(10 * from * bandwidth);
    const double degrees = std::atan2(ten, X(10 * from) - X(from)) * 180 / M_PI;
    const double x = X(from) + 10 + 105 * place;
    const double y =
        Y(axes_.operations_per_byte.At((x - kLeft) / (kWidth - kLeft - kRight)) * bandwidth) - 6;
    Text(x, y, label,
         absl::StrFormat("fill=\"%s\" transform=\"rotate(%.1f %.1f %.1f)\"", colour, -degrees, x,
                         y));
  }

  const Roofline& roofline_;
  const RooflineAxes axes_;
  std::string text_;
};

}  // namespace

std::string RooflineSvg(const Roofline& roofline) {
  Drawing drawing(roofline);
  drawing.Title();
  drawing.Grid();
  if (roofline.threads > 1) drawing.Roofs(1);
  drawing.Roofs(roofline.threads);
  drawing.Points();
  return drawing.Finish();
}

}  // namespace burnish::cli
