#include "tests/bench/report.h"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace burnish::bench {
namespace {

std::string FirstLineWith(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.substr(line.find(':') + 2);
  }
  return "";
}

std::string TargetOf(const Figure& figure) {
  if (figure.at_least.has_value()) return absl::StrCat(">= ", *figure.at_least);
  if (figure.at_most.has_value()) return absl::StrCat("<= ", *figure.at_most);
  return "";
}

}  // namespace

std::string LoadAverage() {
  std::ifstream file("/proc/loadavg");
  std::string one;
  file >> one;
  return one;
}

void Report::Add(Figure figure) {
  const std::string target = TargetOf(figure);
  std::cout << absl::StreamFormat("%-12s %-44s %10.4g %-8s %s", figure.group, figure.name,
                                  figure.value, figure.unit, target);
  if (!target.empty()) std::cout << (figure.pass() ? "  ok" : "  MISSED");
  std::cout << std::endl;
  figures.push_back(std::move(figure));
}

void Report::Remark(std::string text) {
  std::cout << "note: " << text << std::endl;
  remarks.push_back(std::move(text));
}

bool Report::pass() const { return std::ranges::all_of(figures, &Figure::pass); }

nlohmann::json Report::Json() const {
  utsname system{};
  ::uname(&system);
  nlohmann::json json;
  json["command"] = command;
  json["machine"] = {{"processor", FirstLineWith("/proc/cpuinfo", "model name")},
                     {"cores", std::thread::hardware_concurrency()},
                     {"kernel", absl::StrCat(system.sysname, " ", system.release)},
                     {"load_average_at_end", LoadAverage()}};
  json["machine"].update(machine);
  json["figures"] = nlohmann::json::array();
  for (const Figure& figure : figures) {
    nlohmann::json entry = {{"group", figure.group},
                            {"name", figure.name},
                            {"value", figure.value},
                            {"unit", figure.unit},
                            {"pass", figure.pass()}};
    if (figure.at_least.has_value()) entry["at_least"] = *figure.at_least;
    if (figure.at_most.has_value()) entry["at_most"] = *figure.at_most;
    json["figures"].push_back(std::move(entry));
  }
  json["remarks"] = remarks;
  json["pass"] = pass();
  return json;
}

}  // namespace burnish::bench
