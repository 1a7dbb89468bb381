// burnish doctor: what this machine can do, what is missing, one canary kernel per device.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/commands.h"
#include "client/cli/connection.h"
#include "client/cli/output.h"
#include "client/cli/private_server.h"
#include "client/cli/worker_probe.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/numbers.h"
#include "common/base/version.h"
#include "common/wire/measurement.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Check {
  std::string name;
  bool ok = false;
  std::string detail;  // what was found, or what is missing and what to do
};

Check CheckPrograms() {
  std::vector<std::string> missing;
  for (const char* program : {"burnish-server", "burnish-agent", "burnish-worker"}) {
    const std::string path = absl::StrCat(ExecutableFolder(), "/", program);
    if (::access(path.c_str(), X_OK) != 0) missing.push_back(path);
  }
  if (missing.empty()) return {"programs", true, absl::StrCat("burnish ", kVersion)};
  return {"programs", false,
          absl::StrCat("missing: ", absl::StrJoin(missing, ", "), " (build or install them)")};
}

Check CheckDataFolder() {
  const auto server = LocatePrivateServer();
  if (!server.ok()) return {"data folder", false, std::string(server.status().message())};
  // The nearest folder that exists must be writable; doctor makes nothing.
  std::string folder = server->data_folder;
  while (::access(folder.c_str(), F_OK) != 0 && folder.size() > 1) {
    folder = folder.substr(0, std::max<size_t>(folder.rfind('/'), 1));
  }
  if (::access(folder.c_str(), W_OK) == 0) return {"data folder", true, server->data_folder};
  return {"data folder", false,
          absl::StrCat("cannot write ", folder, ": set XDG_DATA_HOME to a folder you may write")};
}

Check CheckServer(const GlobalOptions& options) {
  const auto connection = Connection::Open(options, NeedsDevices::kNo);
  if (connection.ok()) return {"server", true, absl::StrCat(options.place.server, " answers")};
  return {"server", false, std::string(connection.status().message())};
}

Check CheckDevice(const pb::DeviceInfo& device) {
  const std::string name = absl::StrCat("device ", device.backend(), ":", device.index());
  if (!device.unavailable_reason().empty()) return {name, false, device.unavailable_reason()};
  std::string what = absl::StrCat(device.name(), ", ", device.cores(), " cores, compiles ",
                                  absl::StrJoin(device.languages(), ", "), ", measures ",
                                  absl::StrJoin(device.metrics(), ", "));
  const auto sensor = device.environment().entries().find("sensor");
  if (sensor != device.environment().entries().end()) {
    absl::StrAppend(&what, " (by ", sensor->second, ")");
  }
  const auto canary = RunCanary(device);
  if (!canary.ok()) {
    return {name, false, absl::StrCat(what, "; canary: ", std::string(canary.status().message()))};
  }
  const auto outcome = wire::FromProto(canary->outcome());
  if (!outcome.ok() || *outcome != work::Outcome::kOk) {
    return {name, false,
            absl::StrCat(
                what, "; canary: ", outcome.ok() ? work::OutcomeName(*outcome) : "unknown outcome",
                " ", canary->message())};
  }
  return {name, true,
          absl::StrCat(what, "; canary right, ", FormatSeconds(canary->latency().seconds()))};
}

std::vector<Check> CheckDevices() {
  std::vector<Check> checks;
  for (const char* backend : {"cpu"}) {
    const auto devices = DescribeDevices(backend, {"--sensor", "auto"});
    if (!devices.ok()) {
      checks.push_back(
          {absl::StrCat("backend ", backend), false, std::string(devices.status().message())});
      continue;
    }
    for (const pb::DeviceInfo& device : *devices) checks.push_back(CheckDevice(device));
  }
  return checks;
}

absl::StatusOr<int> Doctor(const GlobalOptions& options) {
  std::vector<Check> checks = {CheckPrograms(), CheckDataFolder()};
  if (!options.place.server.empty()) checks.push_back(CheckServer(options));
  for (Check& check : CheckDevices()) checks.push_back(std::move(check));
  bool all_ok = true;
  Json document = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Check& check : checks) {
    all_ok = all_ok && check.ok;
    rows.push_back({check.ok ? "ok" : "MISSING", check.name, check.detail});
    document.push_back({{"name", check.name}, {"ok", check.ok}, {"detail", check.detail}});
  }
  if (options.json) {
    std::printf("%s\n", Json{{"ok", all_ok}, {"checks", document}}.dump(2).c_str());
  } else {
    std::printf("%s", FormatTable(rows).c_str());
  }
  return all_ok ? kExitDone : kExitJobFailed;
}

}  // namespace

void AddDoctor(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "doctor", "what this machine can do, what is missing, one canary kernel per device");
  command->footer("Example: burnish doctor");
  SetAction(command, context, Acts::kReading, [&context] { return Doctor(context.options); });
}

}  // namespace burnish::cli
