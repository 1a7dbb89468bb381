#include "client/cli/replay_job.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/expr/value.h"
#include "common/measured/figures.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {
namespace {

// As YAML and JSON have it.
std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ValueText(const expr::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? Quoted(*text) : expr::FormatValue(value);
}

std::string ParameterLine(const space::Parameter& parameter) {
  std::vector<std::string> values;
  for (const expr::Value& value : parameter.values) values.push_back(ValueText(value));
  return absl::StrCat("    ", Quoted(parameter.name), ": [", absl::StrJoin(values, ", "), "]\n");
}

// The first configuration that ran: the first values need not be in the file.
std::string DefaultLines(const measured::MeasuredSpace& measured) {
  const auto first =
      std::ranges::find(measured.records, work::Outcome::kOk, &measured::Record::outcome);
  if (first == measured.records.end()) return "";
  std::vector<std::string> settings;
  for (size_t i = 0; i < measured.parameters.size(); ++i) {
    const space::Parameter& parameter = measured.parameters[i];
    settings.push_back(
        absl::StrCat(Quoted(parameter.name), ": ", ValueText(parameter.values[first->values[i]])));
  }
  return absl::StrCat("  # The file's first configuration that ran: trial 0.\n  default: {",
                      absl::StrJoin(settings, ", "), "}\n");
}

bool HasEnergy(const measured::MeasuredSpace& measured) {
  return std::ranges::any_of(measured.records, [](const measured::Record& record) {
    return record.outcome == work::Outcome::kOk && measured::FiguresOf(record).energy_joules;
  });
}

}  // namespace

std::string ReplayJob(const measured::MeasuredSpace& measured, const std::string& file) {
  std::string parameters;
  for (const space::Parameter& parameter : measured.parameters) {
    parameters += ParameterLine(parameter);
  }
  const std::string selector = absl::StrCat("backend == 'replay' and label.records == ",
                                            expr::FormatValue(expr::Value(measured.name)));
  return absl::StrCat(
      "# Nothing is compiled or executed: the device answers from a file of measurements.\n"
      "#   burnish-agent --backend replay --replay-records ",
      Quoted(file), "\nname: ", Quoted(measured.kernel.empty() ? measured.name : measured.kernel),
      "\n\nkernel:\n  language: replay\n  parameters:\n", parameters, "  # The file has ",
      measured.records.size(),
      " of their combinations; all others end as `rejected`.\n"
      "  # The kernel's constraints, written here, keep the search from them:\n"
      "  # constraints: [\"A * B <= 1024\"]\n",
      DefaultLines(measured), "  reference: none\n\ndevices: ", Quoted(selector),
      "\nobjectives: [latency]", HasEnergy(measured) ? "  # or [latency, energy]: a front" : "",
      "\nbudget: {trials: 100}\nstrategy: {name: auto, seed: 1}\n");
}

}  // namespace burnish::cli
