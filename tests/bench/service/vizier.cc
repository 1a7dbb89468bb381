#include "tests/bench/service/vizier.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/environment.h"
#include "common/base/subprocess.h"
#include "nlohmann/json.hpp"

namespace burnish::bench {
namespace {

constexpr absl::Duration kInstallTime = absl::Minutes(8);
constexpr absl::Duration kRunTime = absl::Minutes(2);
constexpr int kClients[] = {1, 8};
// google-vizier 0.1.24 does not import with newer ones.
constexpr char kOldJax[] = "jax<0.6";

// The last line that the command prints; nothing, and a remark, if it fails.
std::optional<std::string> LastLine(const std::vector<std::string>& command, absl::Duration timeout,
                                    Report& report) {
  const auto run = RunCaptured({.arguments = command, .working_folder = "/"}, timeout, 1 << 20);
  if (!run.ok() || run->timed_out || !run->status.ok()) {
    report.Remark(absl::StrCat("google-vizier skipped: ", command[0], " ", command[1], ": ",
                               !run.ok()        ? run.status().ToString()
                               : run->timed_out ? "took too long"
                                                : ToText(run->status)));
    return std::nullopt;
  }
  std::string output = run->output;
  while (output.ends_with('\n')) output.pop_back();
  return output.substr(output.rfind('\n') + 1);
}

}  // namespace

void MeasureVizier(Report& report) {
  const std::string environment = absl::StrCat(ExecutableFolder(), "/../../bench/vizier");
  const std::string python = environment + "/bin/python";
  if (::access((environment + "/installed").c_str(), R_OK) != 0) {
    const std::vector<std::vector<std::string>> steps = {
        {"/usr/bin/python3", "-m", "venv", environment},
        {python, "-m", "pip", "install", "--quiet", "google-vizier[jax]", kOldJax},
        {"/usr/bin/touch", environment + "/installed"}};
    for (const auto& step : steps) {
      if (!LastLine(step, kInstallTime, report).has_value()) return;
    }
  }
  for (const int clients : kClients) {
    const auto line = LastLine({python, BURNISH_SOURCE_DIR "/tests/bench/service/vizier_rate.py",
                                "10", absl::StrCat(clients)},
                               kRunTime, report);
    if (!line.has_value()) return;
    const auto json = nlohmann::json::parse(*line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) {
      report.Remark(absl::StrCat("google-vizier skipped: it printed ", *line));
      return;
    }
    report.Add({"vizier", absl::StrCat("trials suggested and completed, ", clients, " clients"),
                json.at("trials_per_second").get<double>(), "/s"});
    if (clients == kClients[0]) report.Remark(json.at("versions").dump());
  }
}

}  // namespace burnish::bench
