// burnish-agent: offers this machine's devices to a burnish-server. It only dials out.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/config/config.h"
#include "agent/config/shutdown_watch.h"
#include "agent/config/state_folder.h"
#include "agent/config/token_file.h"
#include "agent/executor/executor.h"
#include "agent/executor/inventory.h"
#include "agent/sandbox/framed_worker.h"
#include "agent/sensors/clock_keeper.h"
#include "agent/sensors/energy.h"
#include "agent/session/control_watch.h"
#include "agent/session/roofs_watch.h"
#include "agent/session/session.h"
#include "agent/telemetry/agent_metrics.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/log.h"
#include "common/base/numbers.h"
#include "common/base/shutdown_signals.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"
#include "common/http/page_server.h"
#include "common/net/channel.h"
#include "common/net/grpc_log.h"
#include "common/telemetry/build_info.h"
#include "common/telemetry/log_sink.h"
#include "common/telemetry/metrics.h"
#include "common/telemetry/process_metrics.h"

namespace burnish::agent {
namespace {

constexpr int kMaxBuildWorkers = 4;
constexpr int kBoardBuildWorkers = 2;  // whose memory is mostly small
constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// Where workers run, and what they need to know of it.
struct Place {
  std::shared_ptr<const Board> board;  // null: here
  std::string artefact_folder;
  std::string reference_folder;
  int build_workers = 1;
};

absl::StatusOr<Place> FindPlace(const AgentConfig& config, const StateFolder& state) {
  if (config.worker_prefix.empty()) {
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    return Place{nullptr, state.artefact_folder(), state.reference_folder(),
                 std::clamp(processors, 1, kMaxBuildWorkers)};
  }
  ASSIGN_OR_RETURN(
      const std::shared_ptr<const Board> board,
      Board::Make(config.worker_prefix, config.worker_folder,
                  config.worker_program.empty() ? ExecutableFolder() + "/burnish-worker"
                                                : config.worker_program));
  return Place{board, board->artefact_folder(), board->reference_folder(), kBoardBuildWorkers};
}

std::unique_ptr<WorkerChannel> StartableWorker(const AgentConfig& config, const Place& place,
                                               WorkerRole role, telemetry::Counter lost = {},
                                               const std::vector<std::string>& run_lock = {}) {
  WorkerCommand command = DefaultWorkerCommand(role, place.board);
  for (const std::string& file : config.replay_records) {
    command.arguments.insert(command.arguments.end(), {"--replay-records", file});
  }
  if (config.replay_noise) command.arguments.push_back("--replay-noise");
  if (role == WorkerRole::kRun) {
    for (const std::string& sensor : config.sensors) {
      command.arguments.insert(command.arguments.end(), {"--sensor", sensor});
    }
    command.arguments.insert(
        command.arguments.end(),
        {"--sensor-root", config.sensor_root, "--nvml-library", config.nvml_library,
         "--energy-seconds", FormatReal(config.energy_seconds), "--sustained-seconds",
         FormatReal(config.sustained_seconds)});
  }
  if (config.candidate_memory_mib) {
    command.arguments.insert(command.arguments.end(),
                             {"--candidate-memory", absl::StrCat(*config.candidate_memory_mib)});
  }
  command.arguments.insert(
      command.arguments.end(),
      {"--isolation-ceiling", spec::IsolationLevelName(config.isolation_ceiling), "--writable",
       place.artefact_folder});
  command.arguments.insert(command.arguments.end(), run_lock.begin(), run_lock.end());
  command.lost = lost;
  return std::make_unique<FramedWorker>(std::move(command));
}

WorkerFactory MakeWorkers(const AgentConfig& config, const Place& place, const AgentId& agent,
                          telemetry::Counter lost) {
  return [&config, place, agent, lost, runners = 0](WorkerRole role) mutable {
    std::vector<std::string> run_lock;
    if (place.board != nullptr && role == WorkerRole::kRun) {
      // One for each exclusion group, in an order that is always the same.
      run_lock = {"--run-lock", absl::StrCat(place.board->folder(), "/run-", ++runners, ".lock"),
                  agent.value()};
    }
    return StartableWorker(config, place, role, lost, run_lock);
  };
}

// How candidates will be kept apart.
absl::StatusOr<std::string> FindIsolation(const AgentConfig& config, const Place& place,
                                          const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const WorkerIsolation found,
                   AskIsolation(config.isolation_ceiling, place.board, stop));
  const std::string missing = absl::StrJoin(found.missing, "; ");
  Log(LogLevel::kInfo, "isolation", {{"in_force", found.description}, {"missing", missing}});
  if (spec::IsolationLevelOf(found.description) >= config.isolation) return found.description;
  return InvalidInput(absl::StrCat("--isolation ", spec::IsolationLevelName(config.isolation),
                                   ": there is only ", found.description),
                      missing.empty() ? "leave out --isolation-ceiling" : missing);
}

// The worker that describes is not kept: it has loaded every driver.
absl::StatusOr<std::vector<work::DeviceInfo>> FindDevices(const AgentConfig& config,
                                                          const Place& place,
                                                          const std::stop_token& stop) {
  // First, as it waits for a board that cannot be reached.
  ASSIGN_OR_RETURN(const std::string isolation, FindIsolation(config, place, stop));
  const std::unique_ptr<WorkerChannel> worker = StartableWorker(config, place, WorkerRole::kRun);
  absl::StatusOr<std::vector<work::DeviceInfo>> devices =
      TakeInventory(*worker, config.backends, config.labels, {Deadlines().describe, stop});
  if (absl::IsCancelled(devices.status())) return devices;
  if (!devices.ok()) {
    return InvalidInput(absl::StrCat("--backend: ", std::string(devices.status().message())));
  }
  for (work::DeviceInfo& device : *devices) {
    device.isolation = isolation;
    // Not a matter of the machine, but of the command line.
    if (device.backend == "replay" && !device.unavailable_reason.empty()) {
      return InvalidInput(absl::StrCat("--replay-records: ", device.unavailable_reason));
    }
    if (device.unavailable_reason.starts_with("--sensor")) {
      return InvalidInput(device.unavailable_reason);
    }
  }
  return devices;
}

// Null if it was not asked for. What an earlier agent left locked is restored in any case.
absl::StatusOr<std::unique_ptr<sensors::ClockLock>> LockClocks(const AgentConfig& config,
                                                               const StateFolder& state) {
  RETURN_IF_ERROR(sensors::RestoreLeftClocks(state.clocks_note(), config.nvml_library));
  if (!config.lock_clocks_mhz) return nullptr;
  return sensors::ClockLock::Start(*config.lock_clocks_mhz, state.clocks_note(),
                                   config.nvml_library);
}

// Null if no address was given.
absl::StatusOr<std::unique_ptr<http::PageServer>> ServeMetrics(const AgentConfig& config,
                                                               telemetry::Metrics& metrics) {
  if (!config.metrics.has_value()) return nullptr;
  telemetry::AddProcessMetrics(metrics);
  telemetry::AddBuildInfo(metrics, /*schema=*/"");
  ASSIGN_OR_RETURN(std::unique_ptr<http::PageServer> pages,
                   http::PageServer::Listen(
                       *config.metrics, {{"/livez", [] { return http::Answer{.content = "ok\n"}; }},
                                         {"/metrics", [&metrics] {
                                            return http::Answer{
                                                .content = metrics.Text(),
                                                .content_type = telemetry::kMetricsContentType};
                                          }}}));
  Log(LogLevel::kInfo, "metrics_served", {{"address", net::ToText(pages->address())}});
  return pages;
}

// Returns OK once stopped.
absl::Status Serve(const AgentConfig& config, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const StateFolder state, StateFolder::Open(config.state_folder));
  AgentId agent;
  if (config.agent_id) {
    agent = *config.agent_id;
  } else {
    ASSIGN_OR_RETURN(agent, state.StoredAgentId());
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<grpc::Channel> channel,
                   net::DialServer(config.server, config.dial));
  if (!config.token_file.empty()) RETURN_IF_ERROR(ReadTokenFile(config.token_file).status());
  ASSIGN_OR_RETURN(const std::unique_ptr<sensors::ClockLock> clocks, LockClocks(config, state));
  ASSIGN_OR_RETURN(const Place place, FindPlace(config, state));
  absl::StatusOr<std::vector<work::DeviceInfo>> devices = FindDevices(config, place, stop);
  if (absl::IsCancelled(devices.status())) return absl::OkStatus();
  RETURN_IF_ERROR(devices.status());

  ExecutorOptions executor_options;
  executor_options.agent = agent;
  executor_options.devices = *devices;
  executor_options.artefact_folder = place.artefact_folder;
  executor_options.reference_folder = place.reference_folder;
  executor_options.build_workers = place.build_workers;
  executor_options.deadlines.energy =
      sensors::EnergyTimeLimit(absl::Seconds(config.energy_seconds));
  executor_options.deadlines.sustained =
      2 * absl::Seconds(config.sustained_seconds) + absl::Minutes(1);
  telemetry::Metrics metrics;
  const AgentMetrics counters(metrics);
  Wakeup wakeup;
  ReportOutbox outbox(ReportJournal(state.journal_folder() + "/reports"), wakeup);
  ControlWatch control(agent, *devices, wakeup,
                       {.interval = config.control_interval, .canaries = counters.canaries});
  RoofsWatch roofs(agent, *devices, RoofsCache(state.roofs_folder()), wakeup,
                   {.measures = config.measure_roofs != MeasureRoofs::kNever,
                    .remembers = config.measure_roofs != MeasureRoofs::kAlways});
  Executor executor(std::move(executor_options),
                    MakeWorkers(config, place, agent, counters.workers_lost), SystemClock(),
                    [&](const DeviceId& device, work::Report report) {
                      control.Note(device, report);
                      counters.Count(report);
                      outbox.Add(report);
                    });
  SessionOptions session_options;
  session_options.agent = agent;
  session_options.version = kVersion;
  session_options.devices = *std::move(devices);
  session_options.prefetch = config.prefetch;
  session_options.blob_folder = state.blob_folder();
  session_options.connected = counters.connected;
  if (!config.token_file.empty()) {
    session_options.token = [&config] { return ReadTokenFile(config.token_file); };
  }
  Session session(std::move(session_options), channel, executor, outbox, control, roofs, wakeup,
                  SystemClock());
  metrics.BeforeScrape(
      [&] { counters.journal_depth.Set(static_cast<double>(outbox.Holding().size())); });
  ASSIGN_OR_RETURN(const std::unique_ptr<http::PageServer> pages, ServeMetrics(config, metrics));
  return session.Run(stop);
}

int ReportError(const absl::Status& status) {
  std::fprintf(stderr, "burnish-agent: %s\n", std::string(status.message()).c_str());
  const std::optional<Diagnostic> diagnostic = DiagnosticOf(status);
  if (diagnostic && !diagnostic->hint.empty()) {
    std::fprintf(stderr, "  %s\n", diagnostic->hint.c_str());
  }
  // What the one who started it has to change: flags, the folder, the id.
  return diagnostic || absl::IsAborted(status) ? kExitUsage : kExitFailure;
}

int Main(const std::vector<std::string>& arguments) {
  ShutdownSignals signals;  // before any thread
  const absl::StatusOr<std::variant<AgentConfig, InformationText>> parsed =
      ParseCommandLine(arguments);
  if (!parsed.ok()) return ReportError(parsed.status());
  if (const auto* information = std::get_if<InformationText>(&*parsed)) {
    std::fputs(information->text.c_str(), stdout);
    return 0;
  }
  const AgentConfig& config = std::get<AgentConfig>(*parsed);
  net::LogGrpcMessages();
  telemetry::StartLog(config.log);
  // The work is done on this thread: workers die with the thread that started them.
  std::stop_source stop;
  const ShutdownWatch watch(signals, config.until_stdin_closes, stop);
  const absl::Status status = Serve(config, stop.get_token());
  return status.ok() ? 0 : ReportError(status);
}

}  // namespace
}  // namespace burnish::agent

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == burnish::sensors::kClockKeeper) {
    return burnish::sensors::KeepClocks(std::vector<std::string>(argv + 2, argv + argc));
  }
  return burnish::agent::Main(std::vector<std::string>(argv + 1, argv + argc));
}
