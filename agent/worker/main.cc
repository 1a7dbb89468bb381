// burnish-worker: the isolated process that compiles (role build), or verifies and times (role run)
// candidates for an agent, and, as its own child, executes them (role runner). It has no network
// and no secrets: frames come in on descriptor 0 and go out on descriptor 1.
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/backends/registry.h"
#include "agent/worker/energy.h"
#include "agent/worker/runner.h"
#include "agent/worker/service.h"
#include "common/base/log.h"
#include "common/base/numbers.h"
#include "common/base/subprocess.h"

namespace {

constexpr int kBadUsage = 2;

int Usage() {
  std::fputs(
      "usage: burnish-worker --role run|build [--replay-records FILE]... [--replay-noise]\n"
      "         [--sensor NAME]... [--sensor-root DIR] [--nvml-library FILE]\n"
      "         [--energy-seconds S]\n"
      "Started by burnish-agent, which speaks to it through standard input and output.\n",
      stderr);
  return kBadUsage;
}

// False if there is anything else.
bool ReadFlags(const std::vector<std::string>& arguments) {
  burnish::backends::ReplayOptions replay;
  burnish::worker::SensorOptions sensor;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--replay-noise") {
      replay.noise = true;
    } else if (arguments[i] == "--replay-records" && i + 1 < arguments.size()) {
      replay.records.push_back(arguments[++i]);
    } else if (arguments[i] == "--sensor" && i + 1 < arguments.size()) {
      sensor.names.push_back(arguments[++i]);
    } else if (arguments[i] == "--sensor-root" && i + 1 < arguments.size()) {
      sensor.root = arguments[++i];
    } else if (arguments[i] == "--nvml-library" && i + 1 < arguments.size()) {
      sensor.nvml_library = arguments[++i];
    } else if (arguments[i] == "--energy-seconds" && i + 1 < arguments.size()) {
      const std::optional<double> seconds = burnish::ParseReal(arguments[++i]);
      if (!seconds) return false;
      sensor.window = absl::Seconds(*seconds);
    } else {
      return false;
    }
  }
  burnish::backends::SetReplayOptions(std::move(replay));
  burnish::worker::SetSensorOptions(std::move(sensor));
  return true;
}

int Serve(burnish::worker::WorkerRole role) {
  std::signal(SIGPIPE, SIG_IGN);
  const absl::Status status = burnish::worker::ServeAgent(role);
  if (status.ok()) return 0;
  burnish::Log(burnish::LogLevel::kError, "worker_ended",
               {{"reason", std::string(status.message())}});
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || std::string_view(argv[1]) != "--role") return Usage();
  const std::string_view role = argv[2];
  if (!ReadFlags({argv + 3, argv + argc})) return Usage();
  // The other roles notice the end of their input instead, and take their children along.
  if (role == "runner") {
    burnish::DieWithParent();
    // It is started through /proc/self/exe, which would name it "exe".
    ::prctl(PR_SET_NAME, "burnish-runner");
    return burnish::worker::ServeRunner();
  }
  if (role == "build") return Serve(burnish::worker::WorkerRole::kBuild);
  if (role == "run") return Serve(burnish::worker::WorkerRole::kRun);
  return Usage();
}
