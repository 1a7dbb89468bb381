// The roofline diagram as SVG.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/roofline.h"
#include "client/cli/svg.h"
#include "common/base/numbers.h"

namespace burnish::cli {
namespace {

constexpr double kWidth = 960;
constexpr double kHeight = 600;
constexpr double kLeft = 90;
constexpr double kRight = 30;
constexpr double kTop = 60;
constexpr double kBottom = 70;
constexpr size_t kNamedPoints = 12;  // beyond these only the tooltips name them

class Drawing : public Svg {
 public:
  explicit Drawing(const Roofline& roofline)
      : Svg(kWidth, kHeight), roofline_(roofline), axes_(AxesOf(roofline)) {}

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
      const char* const stroke = SvgColour(colour);
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
      Append(
          absl::StrFormat("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#e377c2\" "
                          "stroke=\"black\"><title>%s</title></circle>\n",
                          x, y, XmlText(title)));
      if (drawn++ < kNamedPoints) Text(x + 8, y + 14, point.name, "font-size=\"11\"");
    }
  }

 private:
  double X(double operations_per_byte) const {
    return kLeft + axes_.operations_per_byte.Place(operations_per_byte) * (kWidth - kLeft - kRight);
  }
  double Y(double operations_per_second) const {
    return kHeight - kBottom -
           axes_.operations_per_second.Place(operations_per_second) * (kHeight - kTop - kBottom);
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
