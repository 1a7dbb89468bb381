// burnish-worker: the isolated process that compiles (role build), or verifies and times (role run)
// candidates for an agent, and, as its own child, executes them (role zygote, which forks a runner
// for each). It has no secrets: frames come in on descriptor 0 and go out on descriptor 1.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "agent/backends/registry.h"
#include "agent/sandbox/isolation/probe.h"
#include "agent/worker/build_sandbox.h"
#include "agent/worker/device_sensor.h"
#include "agent/worker/run_lock.h"
#include "agent/worker/service.h"
#include "agent/worker/zygote.h"
#include "common/base/log.h"
#include "common/base/numbers.h"
#include "common/base/subprocess.h"
#include "common/base/version.h"

namespace burnish::worker {
namespace {

constexpr int kBadUsage = 2;

int Usage() {
  std::fputs(
      "usage: burnish-worker --role run|build|probe [--isolation-ceiling LEVEL]\n"
      "           [--candidate-memory MIB] [--writable FOLDER]...\n"
      "           [--replay-records FILE]... [--replay-noise]\n"
      "           [--sensor NAME]... [--sensor-root DIR] [--nvml-library FILE]\n"
      "           [--energy-seconds S] [--sustained-seconds S] [--run-lock FILE AGENT]\n"
      "Started by burnish-agent, which speaks to it through standard input and output. Role probe\n"
      "says which isolation is in force here, then, a line each, what is missing.\n",
      stderr);
  return kBadUsage;
}

struct Flags {
  isolation::Level ceiling = isolation::Level::kFull;
  std::optional<int64_t> memory_mib;  // for a candidate
  std::vector<std::string> writable;  // folders that role build compiles into
  backends::ReplayOptions replay;
  SensorOptions sensor;
  std::string run_lock;  // empty: none
  std::string agent;     // that it is taken for
};

// Nothing if there is anything else.
std::optional<Flags> ReadFlags(const std::vector<std::string>& arguments) {
  Flags flags;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = i + 1 < arguments.size();
    if (arguments[i] == "--replay-noise") {
      flags.replay.noise = true;
    } else if (arguments[i] == "--replay-records" && has_value) {
      flags.replay.records.push_back(arguments[++i]);
    } else if (arguments[i] == "--writable" && has_value) {
      flags.writable.push_back(arguments[++i]);
    } else if (arguments[i] == "--run-lock" && i + 2 < arguments.size()) {
      flags.run_lock = arguments[++i];
      flags.agent = arguments[++i];
    } else if (arguments[i] == "--candidate-memory" && has_value) {
      flags.memory_mib = ParseInteger(arguments[++i]);
    } else if (arguments[i] == "--isolation-ceiling" && has_value) {
      const auto level = spec::ParseIsolationLevel(arguments[++i]);
      if (!level) return std::nullopt;
      flags.ceiling = *level;
    } else if (arguments[i] == "--sensor" && has_value) {
      flags.sensor.names.push_back(arguments[++i]);
    } else if (arguments[i] == "--sensor-root" && has_value) {
      flags.sensor.root = arguments[++i];
    } else if (arguments[i] == "--nvml-library" && has_value) {
      flags.sensor.nvml_library = arguments[++i];
    } else if (arguments[i] == "--energy-seconds" && has_value) {
      const std::optional<double> seconds = ParseReal(arguments[++i]);
      if (!seconds) return std::nullopt;
      flags.sensor.window = absl::Seconds(*seconds);
    } else if (arguments[i] == "--sustained-seconds" && has_value) {
      const std::optional<double> seconds = ParseReal(arguments[++i]);
      if (!seconds) return std::nullopt;
      flags.sensor.sustained = absl::Seconds(*seconds);
    } else {
      return std::nullopt;
    }
  }
  return flags;
}

int Fail(const absl::Status& status) {
  Log(LogLevel::kError, "worker_ended", {{"reason", std::string(status.message())}});
  return 1;
}

int Serve(WorkerRole role, Flags flags) {
  if (!flags.run_lock.empty()) {
    const absl::Status taken = TakeRunLock(flags.run_lock, flags.agent);
    if (!taken.ok()) return Fail(taken);
  }
  isolation::Found found = isolation::Probe(flags.ceiling);
  if (flags.memory_mib) found.memory_bytes = *flags.memory_mib << 20;
  backends::SetReplayOptions(flags.replay);
  SetSensorOptions(std::move(flags.sensor));
  absl::Status status;
  if (role == WorkerRole::kBuild) {
    status = EnterBuildSandbox(found.isolation, flags.writable, flags.replay.records);
  }
  std::signal(SIGPIPE, SIG_IGN);
  if (status.ok()) status = ServeAgent(role, std::move(found));
  return status.ok() ? 0 : Fail(status);
}

int Probe(const Flags& flags) {
  const isolation::Isolation found = isolation::Probe(flags.ceiling).isolation;
  std::printf("%s\n%s", found.ToText().c_str(), absl::StrJoin(found.missing, "\n").c_str());
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments == std::vector<std::string>{"--version"}) {
    std::printf("burnish-worker %s\n", kVersion);
    return 0;
  }
  if (arguments.size() < 2 || arguments[0] != "--role") return Usage();
  const std::string& role = arguments[1];
  const std::vector<std::string> rest(arguments.begin() + 2, arguments.end());
  if (role == "zygote") {
    const auto plan = ZygotePlan::Parse(rest);
    if (!plan.ok()) return Usage();
    DieWithParent();
    ::_exit(ServeZygote(*plan));
  }
  // These notice the end of their input instead, and take their children along.
  const std::optional<Flags> flags = ReadFlags(rest);
  if (!flags) return Usage();
  if (role == "probe") return Probe(*flags);
  // Without what sanitizers do on the way out, which sandboxes do not allow: tracing.
  if (role == "build") ::_exit(Serve(WorkerRole::kBuild, *flags));
  if (role == "run") return Serve(WorkerRole::kRun, *flags);
  return Usage();
}

}  // namespace
}  // namespace burnish::worker

int main(int argc, char** argv) {
  return burnish::worker::Main(std::vector<std::string>(argv + 1, argv + argc));
}
