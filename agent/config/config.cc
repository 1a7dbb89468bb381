#include "agent/config/config.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/config/command_words.h"
#include "agent/sensors/registry.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/limits.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"
#include "common/flags/log_flags.h"

namespace burnish::agent {
namespace {

constexpr char kDescription[] =
    "Compiles, checks and times candidate kernels on this machine's devices for a burnish-server.";
constexpr char kExample[] =
    "Example:\n"
    "  burnish-agent --server lab-server:7400 --ca lab-ca.pem --token-file agent.token\n"
    "For a board or phone without an agent:\n"
    "  burnish-agent --server lab-server:7400 --ca lab-ca.pem --token-file agent.token \\\n"
    "      --worker-prefix 'ssh -T -o BatchMode=yes board' --state-dir ~/board";
constexpr int64_t kMaxPrefetch = 64;
constexpr int64_t kMaxControlInterval = 1'000'000;
constexpr int64_t kMaxMegahertz = 10'000;
constexpr double kMinEnergySeconds = 0.05;
constexpr double kMaxEnergySeconds = 60;
constexpr double kMinSustainedSeconds = 0.5;
constexpr double kMaxSustainedSeconds = 3600;
constexpr int64_t kMinMemoryMib = 128;
constexpr int64_t kMaxMemoryMib = 1 << 30;

// As typed; checked after the parser's part is done.
struct Flags {
  std::string server;
  std::string state_folder;
  std::vector<std::string> backends;
  std::vector<std::string> replay_records;
  bool replay_noise = false;
  std::vector<std::string> labels;
  std::string agent_id;
  std::string prefetch = "4";
  std::string control_interval = "20";
  std::string measure_roofs = "auto";
  std::vector<std::string> sensors;
  std::string sensor_root = "/";
  std::string nvml_library = "libnvidia-ml.so.1";
  std::string lock_clocks;
  std::string energy_seconds = "5";
  std::string sustained_seconds = "60";
  std::string isolation = "none";
  std::string isolation_ceiling = "full";
  std::string candidate_memory;
  std::string worker_prefix;
  std::string worker_folder;
  std::string worker_program;
  net::DialOptions dial;
  std::string token_file;
  bool until_stdin_closes = false;
  std::string metrics;
  LogFlags log;
};

void Declare(CLI::App& app, Flags& flags) {
  app.footer(kExample);
  app.set_version_flag("--version", absl::StrCat("burnish-agent ", kVersion));
  app.add_option("--server", flags.server,
                 "HOST:PORT or unix:PATH of the server [$BURNISH_SERVER]; need not be there yet");
  app.add_option("--state-dir", flags.state_folder,
                 "Folder of this agent's id and compiled code, made if needed "
                 "[$XDG_STATE_HOME/burnish-agent or ~/.local/state/burnish-agent]");
  app.add_option("--backend", flags.backends, "Backends whose devices to offer, B[,B...] [cpu]")
      ->allow_extra_args(false);
  app.add_option(
         "--replay-records", flags.replay_records,
         "File of measurements that a device of `--backend replay` answers from; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--replay-noise", flags.replay_noise,
               "Replay single recorded runs, drawn at random, instead of their mean");
  app.add_option("--label", flags.labels, "KEY=VALUE that jobs may select devices by; repeatable")
      ->allow_extra_args(false);
  app.add_option("--agent-id", flags.agent_id,
                 "Name of this agent, unique at its server [made once, kept in the state folder]");
  app.add_option("--prefetch", flags.prefetch, "Candidates held per device [4]");
  app.add_option("--control-interval", flags.control_interval,
                 "Candidates between two runs of the control kernel, which shows whether a device "
                 "is in order; 0: only when something is amiss [20]");
  app.add_option("--measure-roofs", flags.measure_roofs,
                 "Measure what the devices can do at most, once per start: auto (what is not known "
                 "from before), always or never [auto]");
  app.add_option("--sensor", flags.sensors,
                 "Sensors of power, best first: NAME[,NAME...] (nvml, rapl, hwmon, ina3221, "
                 "android, or one of theirs, as rapl:package-0), command:PROGRAM (prints watts, or "
                 "joules with a J, a line each), auto or none; repeatable [auto]")
      ->allow_extra_args(false);
  app.add_option("--sensor-root", flags.sensor_root, "Folder below which sysfs is looked for [/]");
  app.add_option("--nvml-library", flags.nvml_library,
                 "NVIDIA's management library [libnvidia-ml.so.1]");
  app.add_option("--lock-clocks", flags.lock_clocks,
                 "Lock the clocks of NVIDIA GPUs at MHZ while this agent runs (needs root) [not]");
  app.add_option("--energy-seconds", flags.energy_seconds,
                 "How long a candidate runs for each trial of its energy, 0.05 to 60 [5]");
  app.add_option("--sustained-seconds", flags.sustained_seconds,
                 "How long a candidate runs for its sustained latency, 0.5 to 3600 [60]");
  app.add_option("--isolation", flags.isolation,
                 "The least isolation of candidates to start with: none, process, namespace or "
                 "full; the strongest that there is, is used [none]");
  app.add_option("--isolation-ceiling", flags.isolation_ceiling,
                 "The strongest isolation to use, where a mechanism does not do [full]");
  app.add_option("--candidate-memory", flags.candidate_memory,
                 "MiB that a candidate may take beside its buffers [a quarter of the machine's]");
  app.add_option(
      "--worker-prefix", flags.worker_prefix,
      "Command that runs another one on a board, whose devices are offered in place of "
      "this machine's: \"ssh -T board\", \"adb shell -T\". Split at blanks; quotes and \\ "
      "keep them; no shell. Files that flags of devices name are then the board's");
  app.add_option("--worker-folder", flags.worker_folder,
                 "Folder on the board for burnish-worker and compiled code, made if needed "
                 "[/var/tmp/burnish]");
  app.add_option(
      "--worker-program", flags.worker_program,
      "burnish-worker for the board, which is copied there [the one beside this program]");
  app.add_option("--token-file", flags.token_file,
                 "File that holds this agent's token, for its user's eyes alone (chmod 600)");
  app.add_option("--ca", flags.dial.tls.ca, "PEM file of the certificates to trust [the system's]");
  app.add_option("--tls-certificate", flags.dial.tls.certificate,
                 "PEM file of a certificate to show to a server that asks for one");
  app.add_option("--tls-key", flags.dial.tls.key, "PEM file of that certificate's private key");
  app.add_flag("--insecure", flags.dial.insecure,
               "Speak plain text to a server on another machine, serve metrics on any address");
  app.add_option("--metrics", flags.metrics, "HOST:PORT of /metrics and /livez [not served]");
  DeclareLogFlags(app, flags.log);
  app.add_flag("--until-stdin-closes", flags.until_stdin_closes,
               "End when standard input does, as on SIGTERM");
}

absl::Status ReadServer(const Flags& flags, AgentConfig& config) {
  std::string server = flags.server;
  if (server.empty()) server = EnvironmentVariable("BURNISH_SERVER").value_or("");
  if (server.empty()) {
    return InvalidInput("no server is named",
                        "add --server HOST:PORT or set BURNISH_SERVER; burnish-agent --help tells "
                        "the flags");
  }
  ASSIGN_OR_RETURN(config.server, net::ParseServerAddress(server));
  config.dial = flags.dial;
  if (net::SpeaksTls(config.server, config.dial)) {
    RETURN_IF_ERROR(net::CheckTlsPossible(config.server, config.dial.insecure));
  }
  config.token_file = flags.token_file;
  if (config.token_file.empty()) return absl::OkStatus();
  return net::CheckTokenMayTravel(config.server, config.dial, config.token_file);
}

absl::Status ReadStateFolder(const Flags& flags, AgentConfig& config) {
  if (!flags.state_folder.empty()) {
    // Workers have folders of their own to be in.
    config.state_folder = std::filesystem::absolute(flags.state_folder);
    return absl::OkStatus();
  }
  const std::string state_home = EnvironmentVariable("XDG_STATE_HOME").value_or("");
  const std::string home = EnvironmentVariable("HOME").value_or("");
  if (state_home.empty() && home.empty()) {
    return InvalidInput("there is no home folder to keep this agent's state in",
                        "add --state-dir DIR");
  }
  config.state_folder =
      absl::StrCat(state_home.empty() ? home + "/.local/state" : state_home, "/burnish-agent");
  return absl::OkStatus();
}

absl::Status ReadBackends(const Flags& flags, AgentConfig& config) {
  for (const std::string& list : flags.backends) {
    for (const auto& name : absl::StrSplit(list, ',')) {
      if (name.empty()) {
        return InvalidInput(absl::StrCat("--backend ", list, ": an empty name"),
                            "write --backend B or --backend B,B");
      }
      const std::string backend(name);
      if (std::find(config.backends.begin(), config.backends.end(), backend) ==
          config.backends.end()) {
        config.backends.push_back(backend);
      }
    }
  }
  if (config.backends.empty()) config.backends = {"cpu"};
  return absl::OkStatus();
}

absl::Status ReadReplay(const Flags& flags, AgentConfig& config) {
  const bool replays = std::ranges::count(config.backends, "replay") > 0;
  if (replays && flags.replay_records.empty()) {
    return InvalidInput("--backend replay: there is nothing to replay",
                        "add --replay-records FILE, with the measurements of a device");
  }
  if (!replays && (!flags.replay_records.empty() || flags.replay_noise)) {
    return InvalidInput("--replay-records and --replay-noise are for the backend replay",
                        "add --backend replay");
  }
  config.replay_records = flags.replay_records;
  config.replay_noise = flags.replay_noise;
  return absl::OkStatus();
}

absl::Status ReadLabels(const Flags& flags, AgentConfig& config) {
  for (const std::string& label : flags.labels) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos || equals == 0) {
      return InvalidInput(absl::StrCat("--label ", label, ": not KEY=VALUE"),
                          "write it as in --label rack=3");
    }
    config.labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return absl::OkStatus();
}

absl::Status ReadMetrics(const Flags& flags, AgentConfig& config) {
  if (flags.metrics.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(config.metrics, net::ParseServerAddress(flags.metrics));
  if (config.metrics->kind != net::ServerAddress::Kind::kTcp) {
    return InvalidInput(absl::StrCat("--metrics ", flags.metrics, ": a web page needs a port"),
                        "write HOST:PORT");
  }
  return net::CheckPlainTextAllowed(*config.metrics, flags.dial.insecure);
}

// A number of candidates.
absl::Status ReadCandidates(const std::string& flag, const std::string& text, int64_t least,
                            int64_t most, int& candidates) {
  const std::optional<int64_t> number = ParseInteger(text);
  if (!number || *number < least || *number > most) {
    return InvalidInput(absl::StrCat(flag, " ", text, ": not a number of candidates"),
                        absl::StrCat("write ", least, " to ", most));
  }
  candidates = static_cast<int>(*number);
  return absl::OkStatus();
}

absl::Status ReadMeasureRoofs(const Flags& flags, AgentConfig& config) {
  if (flags.measure_roofs == "auto") {
    config.measure_roofs = MeasureRoofs::kAuto;
  } else if (flags.measure_roofs == "always") {
    config.measure_roofs = MeasureRoofs::kAlways;
  } else if (flags.measure_roofs == "never") {
    config.measure_roofs = MeasureRoofs::kNever;
  } else {
    return InvalidInput(absl::StrCat("--measure-roofs ", flags.measure_roofs, ": no such choice"),
                        "write auto, always or never");
  }
  return absl::OkStatus();
}

absl::Status ReadSensors(const Flags& flags, AgentConfig& config) {
  if (!flags.sensors.empty()) config.sensors.clear();
  for (const std::string& list : flags.sensors) {
    // A command may hold commas.
    if (list.starts_with("command:")) {
      config.sensors.push_back(list);
      continue;
    }
    for (const auto& name : absl::StrSplit(list, ',')) config.sensors.emplace_back(name);
  }
  RETURN_IF_ERROR(sensors::CheckSensorNames(config.sensors));
  config.sensor_root = flags.sensor_root;
  config.nvml_library = flags.nvml_library;
  if (!flags.lock_clocks.empty()) {
    const std::optional<int64_t> megahertz = ParseInteger(flags.lock_clocks);
    if (!megahertz || *megahertz < 1 || *megahertz > kMaxMegahertz) {
      return InvalidInput(absl::StrCat("--lock-clocks ", flags.lock_clocks, ": no clock in MHz"),
                          "nvidia-smi -q -d SUPPORTED_CLOCKS tells what there is");
    }
    config.lock_clocks_mhz = static_cast<int>(*megahertz);
  }
  const std::optional<double> seconds = ParseReal(flags.energy_seconds);
  if (!seconds || *seconds < kMinEnergySeconds || *seconds > kMaxEnergySeconds) {
    return InvalidInput(absl::StrCat("--energy-seconds ", flags.energy_seconds, ": no such time"),
                        absl::StrCat("write ", kMinEnergySeconds, " to ", kMaxEnergySeconds));
  }
  config.energy_seconds = *seconds;
  const std::optional<double> sustained = ParseReal(flags.sustained_seconds);
  if (!sustained || *sustained < kMinSustainedSeconds || *sustained > kMaxSustainedSeconds) {
    return InvalidInput(
        absl::StrCat("--sustained-seconds ", flags.sustained_seconds, ": no such time"),
        absl::StrCat("write ", kMinSustainedSeconds, " to ", kMaxSustainedSeconds));
  }
  config.sustained_seconds = *sustained;
  return absl::OkStatus();
}

absl::Status ReadIsolation(const Flags& flags, AgentConfig& config) {
  const auto read = [](const std::string& flag, const std::string& text,
                       spec::IsolationLevel& level) {
    const auto known = spec::ParseIsolationLevel(text);
    if (!known) {
      return InvalidInput(absl::StrCat(flag, " ", text, ": no such level"),
                          NameHint(text, spec::IsolationLevelNames()));
    }
    level = *known;
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(read("--isolation", flags.isolation, config.isolation));
  RETURN_IF_ERROR(read("--isolation-ceiling", flags.isolation_ceiling, config.isolation_ceiling));
  if (flags.candidate_memory.empty()) return absl::OkStatus();
  config.candidate_memory_mib = ParseInteger(flags.candidate_memory);
  if (config.candidate_memory_mib && *config.candidate_memory_mib >= kMinMemoryMib &&
      *config.candidate_memory_mib <= kMaxMemoryMib) {
    return absl::OkStatus();
  }
  return InvalidInput(absl::StrCat("--candidate-memory ", flags.candidate_memory, ": not so many"),
                      absl::StrCat("write ", kMinMemoryMib, " to ", kMaxMemoryMib, " (MiB)"));
}

absl::Status ReadWorkerPrefix(const Flags& flags, AgentConfig& config) {
  if (flags.worker_prefix.empty()) {
    if (flags.worker_folder.empty() && flags.worker_program.empty()) return absl::OkStatus();
    return InvalidInput("--worker-folder and --worker-program are for workers on a board",
                        "add --worker-prefix COMMAND, which leads there");
  }
  absl::StatusOr<std::vector<std::string>> words = SplitCommand(flags.worker_prefix);
  if (!words.ok() || words->empty()) {
    return InvalidInput(
        absl::StrCat("--worker-prefix ", flags.worker_prefix, ": ",
                     words.ok() ? "no command" : std::string(words.status().message())),
        "write it as in --worker-prefix \"ssh -T board\"");
  }
  config.worker_prefix = *std::move(words);
  config.worker_folder = flags.worker_folder.empty() ? "/var/tmp/burnish" : flags.worker_folder;
  if (config.worker_folder[0] != '/' || !std::ranges::none_of(config.worker_folder, [](char c) {
        return absl::ascii_iscntrl(static_cast<unsigned char>(c));
      })) {
    return InvalidInput(absl::StrCat("--worker-folder ", flags.worker_folder, ": not a full path"),
                        "it is on the board and starts with a /");
  }
  config.worker_program = flags.worker_program;
  if (!config.lock_clocks_mhz) return absl::OkStatus();
  return InvalidInput("--lock-clocks: cannot lock the clocks of a board",
                      "leave it out, and lock them there");
}

absl::StatusOr<AgentConfig> Check(const Flags& flags) {
  AgentConfig config;
  config.until_stdin_closes = flags.until_stdin_closes;
  RETURN_IF_ERROR(ReadServer(flags, config));
  RETURN_IF_ERROR(ReadStateFolder(flags, config));
  RETURN_IF_ERROR(ReadBackends(flags, config));
  RETURN_IF_ERROR(ReadReplay(flags, config));
  RETURN_IF_ERROR(ReadLabels(flags, config));
  RETURN_IF_ERROR(ReadMetrics(flags, config));
  ASSIGN_OR_RETURN(config.log, ReadLogFlags(flags.log));
  if (!flags.agent_id.empty()) {
    if (!IsValidAgentId(flags.agent_id)) {
      return InvalidInput(absl::StrCat("--agent-id ", flags.agent_id, ": not a name"),
                          "use letters, digits, '.', '_' and '-'");
    }
    config.agent_id = AgentId(flags.agent_id);
  }
  RETURN_IF_ERROR(ReadCandidates("--prefetch", flags.prefetch, 1, kMaxPrefetch, config.prefetch));
  RETURN_IF_ERROR(ReadCandidates("--control-interval", flags.control_interval, 0,
                                 kMaxControlInterval, config.control_interval));
  RETURN_IF_ERROR(ReadMeasureRoofs(flags, config));
  RETURN_IF_ERROR(ReadSensors(flags, config));
  RETURN_IF_ERROR(ReadIsolation(flags, config));
  RETURN_IF_ERROR(ReadWorkerPrefix(flags, config));
  return config;
}

}  // namespace

bool IsValidAgentId(std::string_view text) {
  return !text.empty() && text.size() <= limits::kNameBytes &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
         });
}

absl::StatusOr<std::variant<AgentConfig, InformationText>> ParseCommandLine(
    const std::vector<std::string>& arguments) {
  CLI::App app(kDescription, "burnish-agent");
  Flags flags;
  Declare(app, flags);
  ASSIGN_OR_RETURN(std::optional<InformationText> information, ParseFlags(app, arguments));
  if (information.has_value()) return *std::move(information);
  ASSIGN_OR_RETURN(AgentConfig config, Check(flags));
  return std::variant<AgentConfig, InformationText>(std::move(config));
}

}  // namespace burnish::agent
