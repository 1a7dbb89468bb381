// The front as a diagram: the first two objectives, both logarithmic, the front as steps.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/pareto.h"
#include "client/cli/report.h"
#include "client/cli/roofline.h"
#include "client/cli/svg.h"

namespace burnish::cli {
namespace {

constexpr double kWidth = 960;
constexpr double kHeight = 600;
constexpr double kLeft = 100;
constexpr double kRight = 30;
constexpr double kTop = 60;
constexpr double kBottom = 70;

struct Place {
  double x = 0;
  double y = 0;
  std::string title;
};

class Drawing : public Svg {
 public:
  Drawing(const pb::JobSnapshot& job, const pb::TaskSnapshot& task, const ParetoQuestion& question)
      : Svg(kWidth, kHeight), job_(job), task_(task), question_(question) {
    const std::vector<spec::Objective> objectives = ObjectivesOf(task);
    x_objective_ = objectives[0];
    y_objective_ = objectives[1];
    std::vector<const pb::ConfigurationResult*> results;
    for (const pb::FrontPoint& point : task.front()) results.push_back(&point.result());
    if (task.has_default_result()) results.push_back(&task.default_result());
    x_ = AxisOf(x_objective_, results);
    y_ = AxisOf(y_objective_, results);
  }

  void Title() {
    Text(kLeft, 26, absl::StrCat("Front of ", job_.name(), " (", task_.task_id(), ")"),
         "font-size=\"17\" font-weight=\"bold\"");
    std::string below = absl::StrCat(task_.device_class(), " · ", task_.trials(), " trials");
    if (!question_.where.empty()) absl::StrAppend(&below, " · with ", question_.where);
    Text(kLeft, 45, below, "fill=\"#555\"");
  }

  void Grid() {
    for (const double tick : Ticks(x_)) {
      Line(X(tick), kTop, X(tick), kHeight - kBottom, "stroke=\"#ddd\"");
      Text(X(tick), kHeight - kBottom + 18, MetricText(x_objective_.metric, tick),
           "text-anchor=\"middle\"");
    }
    for (const double tick : Ticks(y_)) {
      Line(kLeft, Y(tick), kWidth - kRight, Y(tick), "stroke=\"#ddd\"");
      Text(kLeft - 8, Y(tick) + 4, MetricText(y_objective_.metric, tick), "text-anchor=\"end\"");
    }
    Line(kLeft, kTop, kLeft, kHeight - kBottom, "stroke=\"black\"");
    Line(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, "stroke=\"black\"");
    Text((kLeft + kWidth - kRight) / 2, kHeight - 22, AxisName(x_objective_),
         "text-anchor=\"middle\" font-size=\"13\"");
    Text(18, kHeight / 2, AxisName(y_objective_),
         absl::StrFormat("text-anchor=\"middle\" font-size=\"13\" transform=\"rotate(-90 18 %g)\"",
                         kHeight / 2));
  }

  // From point to point along what is reached: first at the height of the one before.
  void Steps() {
    const Place* before = nullptr;
    const std::vector<Place> places = Places();
    for (const Place& place : places) {
      if (before != nullptr) {
        Line(before->x, before->y, place.x, before->y, kStepStyle);
        Line(place.x, before->y, place.x, place.y, kStepStyle);
      }
      before = &place;
    }
  }

  void Points() {
    for (const pb::FrontPoint& point : task_.front()) {
      Mark(PlaceOf(point.result()), point.knee() ? SvgColour(3) : SvgColour(0),
           point.knee() ? 7 : 5);
      if (point.knee()) Label(PlaceOf(point.result()), "knee");
    }
    if (const pb::FrontPoint* const chosen = ChoosePoint(task_, question_);
        chosen != nullptr && !chosen->knee()) {
      Label(PlaceOf(chosen->result()), "chosen");
    }
    if (task_.has_default_result()) {
      Mark(PlaceOf(task_.default_result()), "white", 5);
      Label(PlaceOf(task_.default_result()), "default");
    }
  }

 private:
  static constexpr char kStepStyle[] = "stroke=\"#1f77b4\" stroke-width=\"2\"";

  static double ValueOf(const spec::Objective& objective, const pb::ConfigurationResult& result) {
    const work::MetricValues values = ValuesOf(result);
    const auto value = values.find(objective.metric);
    return value == values.end() ? 0 : value->second;
  }

  static std::string AxisName(const spec::Objective& objective) {
    return absl::StrCat(spec::MetricName(objective.metric),
                        objective.maximise ? " (more is better)" : "");
  }

  // What is 0 stands at the axis' low end.
  static LogAxis AxisOf(const spec::Objective& objective,
                        const std::vector<const pb::ConfigurationResult*>& results) {
    double least = 0;
    double most = 0;
    for (const pb::ConfigurationResult* result : results) {
      const double value = ValueOf(objective, *result);
      if (value <= 0) continue;
      least = least > 0 ? std::min(least, value) : value;
      most = std::max(most, value);
    }
    if (least <= 0) return {};
    const double margin = std::max(std::pow(most / least, 0.1), 1.02);
    return {.low = least / margin, .high = most * margin};
  }

  // Powers of ten, with 2 and 5 between if those are few; the ends if that is still not enough.
  static std::vector<double> Ticks(const LogAxis& axis) {
    std::vector<double> ticks;
    for (const double decade : LogAxis{.low = axis.low / 10, .high = axis.high}.Decades()) {
      for (const double step : {1, 2, 5}) {
        const double tick = decade * step;
        if (tick >= axis.low && tick <= axis.high) ticks.push_back(tick);
      }
    }
    if (ticks.size() < 2) ticks = {axis.At(0.1), axis.At(0.5), axis.At(0.9)};
    return ticks;
  }

  double X(double value) const {
    return kLeft +
           std::clamp(x_.Place(std::max(value, x_.low)), 0.0, 1.0) * (kWidth - kLeft - kRight);
  }
  double Y(double value) const {
    return kHeight - kBottom -
           std::clamp(y_.Place(std::max(value, y_.low)), 0.0, 1.0) * (kHeight - kTop - kBottom);
  }

  Place PlaceOf(const pb::ConfigurationResult& result) const {
    return {.x = X(ValueOf(x_objective_, result)),
            .y = Y(ValueOf(y_objective_, result)),
            .title = absl::StrCat(ObjectiveValuesText(task_, result), "; ",
                                  ConfigurationText(result.configuration()))};
  }
  std::vector<Place> Places() const {
    std::vector<Place> places;
    for (const pb::FrontPoint& point : task_.front()) places.push_back(PlaceOf(point.result()));
    return places;
  }

  void Mark(const Place& place, const std::string& colour, double radius) {
    Append(
        absl::StrFormat("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\" "
                        "stroke=\"black\"><title>%s</title></circle>\n",
                        place.x, place.y, radius, colour, XmlText(place.title)));
  }
  void Label(const Place& place, const std::string& text) {
    const bool at_right = place.x > kWidth - 100;
    Text(place.x + (at_right ? -10 : 10), place.y - 8, text,
         at_right ? "text-anchor=\"end\"" : "text-anchor=\"start\"");
  }

  const pb::JobSnapshot& job_;
  const pb::TaskSnapshot& task_;
  const ParetoQuestion& question_;
  spec::Objective x_objective_;
  spec::Objective y_objective_;
  LogAxis x_;
  LogAxis y_;
};

}  // namespace

std::string ParetoSvg(const pb::JobSnapshot& job, const pb::TaskSnapshot& task,
                      const ParetoQuestion& question) {
  Drawing drawing(job, task, question);
  drawing.Title();
  drawing.Grid();
  drawing.Steps();
  drawing.Points();
  return drawing.Finish();
}

}  // namespace burnish::cli
