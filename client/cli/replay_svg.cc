// The curves of a replay as SVG.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/replay_report.h"
#include "client/cli/svg.h"

namespace burnish::cli {
namespace {

constexpr double kLeft = 50;
constexpr double kRight = 16;
constexpr double kTop = 34;
constexpr double kBottom = 40;
constexpr double kHeader = 60;
constexpr size_t kColumns = 3;
constexpr int kPoints = 120;  // of a line at most

struct Size {
  double width = 0;
  double height = 0;
};
Size PanelSize(size_t panels) { return panels == 1 ? Size{800, 500} : Size{420, 280}; }

class Drawing : public Svg {
 public:
  Drawing(const ReplayResult& result, size_t panels)
      : Svg(PanelSize(panels).width * static_cast<double>(std::min(panels, kColumns)),
            kHeader + PanelSize(panels).height *
                          std::ceil(static_cast<double>(panels) / static_cast<double>(kColumns))),
        result_(result),
        panel_(PanelSize(panels)) {
    // Evenly on the logarithmic axis, whole numbers once.
    const double budget = static_cast<double>(result.budget_trials);
    for (int i = 0; i <= kPoints; ++i) {
      const int64_t count = std::llround(std::pow(budget, static_cast<double>(i) / kPoints));
      if (counts_.empty() || count > counts_.back()) counts_.push_back(count);
    }
  }

  void Header() {
    Text(kLeft, 24,
         absl::StrCat("Best possible time ÷ best found time: median of ", result_.seeds,
                      " seeds, band between the quartiles"),
         "font-size=\"14\" font-weight=\"bold\"");
    double x = kLeft;
    for (size_t i = 0; i < result_.strategies.size(); ++i) {
      Line(x, 42, x + 18, 42, absl::StrFormat("stroke=\"%s\" stroke-width=\"3\"", SvgColour(i)));
      Text(x + 24, 46, result_.strategies[i], "");
      x += 44 + 7 * static_cast<double>(result_.strategies[i].size());
    }
  }

  // Of the mean over the spaces from `first` to before `last`.
  void Panel(size_t place, const std::string& title, size_t first, size_t last) {
    left_ = panel_.width * static_cast<double>(place % kColumns);
    top_ = kHeader + panel_.height * static_cast<double>(place / kColumns);
    Text(left_ + kLeft, top_ + kTop - 10, title, "font-weight=\"bold\"");
    Axes();
    for (size_t i = 0; i < result_.strategies.size(); ++i) Curve(i, first, last);
  }

 private:
  double X(int64_t count) const {
    const double place =
        result_.budget_trials > 1 ? std::log(count) / std::log(result_.budget_trials) : 0;
    return left_ + kLeft + place * (panel_.width - kLeft - kRight);
  }
  double Y(double fraction) const {
    return top_ + panel_.height - kBottom - fraction * (panel_.height - kTop - kBottom);
  }

  void Axes() {
    for (int tenth = 0; tenth <= 10; tenth += 2) {
      const double y = Y(0.1 * tenth);
      Line(X(1), y, X(result_.budget_trials), y, "stroke=\"#ddd\"");
      Text(left_ + kLeft - 6, y + 4, absl::StrFormat("%.1f", 0.1 * tenth), "text-anchor=\"end\"");
    }
    for (int64_t decade = 1; decade <= result_.budget_trials; decade *= 10) {
      for (const int64_t tick : {decade, 2 * decade, 5 * decade}) {
        if (tick > result_.budget_trials) break;
        Line(X(tick), Y(0), X(tick), Y(1), "stroke=\"#ddd\"");
        Text(X(tick), Y(0) + 15, absl::StrCat(tick), "text-anchor=\"middle\"");
      }
    }
    Line(X(1), Y(0), X(1), Y(1), "stroke=\"black\"");
    Line(X(1), Y(0), X(result_.budget_trials), Y(0), "stroke=\"black\"");
    Text(left_ + (kLeft + panel_.width - kRight) / 2, Y(0) + 31, "distinct evaluations",
         "text-anchor=\"middle\" fill=\"#555\"");
  }

  double Height(size_t strategy, size_t first, size_t last, int64_t count, double q) const {
    double mean = 0;
    for (size_t space = first; space < last; ++space) {
      mean += result_.standings[strategy][space].Quantile(count, q);
    }
    return Y(mean / static_cast<double>(last - first));
  }

  void Curve(size_t strategy, size_t first, size_t last) {
    std::string line;
    std::string upper;
    std::string lower;
    for (const int64_t count : counts_) {
      const auto point = [&](double q) {
        return absl::StrFormat("%.1f,%.1f ", X(count), Height(strategy, first, last, count, q));
      };
      absl::StrAppend(&line, point(0.5));
      absl::StrAppend(&upper, point(0.75));
      lower = absl::StrCat(point(0.25), lower);
    }
    const char* const colour = SvgColour(strategy);
    Append(absl::StrFormat("<polygon points=\"%s%s\" fill=\"%s\" fill-opacity=\"0.15\"/>\n", upper,
                           lower, colour));
    Append(
        absl::StrFormat("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" "
                        "stroke-width=\"2\"><title>%s</title></polyline>\n",
                        line, colour, XmlText(result_.strategies[strategy])));
  }

  const ReplayResult& result_;
  const Size panel_;
  std::vector<int64_t> counts_;
  double left_ = 0;  // of the panel
  double top_ = 0;
};

}  // namespace

std::string ReplaySvg(const ReplayResult& result) {
  const size_t spaces = result.spaces.size();
  const size_t before = spaces > 1 ? 1 : 0;
  Drawing drawing(result, before + spaces);
  drawing.Header();
  if (before > 0) drawing.Panel(0, absl::StrCat("mean of ", spaces, " spaces"), 0, spaces);
  for (size_t i = 0; i < spaces; ++i) {
    drawing.Panel(before + i, result.spaces[i].table->measured().name, i, i + 1);
  }
  return drawing.Finish();
}

}  // namespace burnish::cli
