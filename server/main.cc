// burnish-server: the search, the results database and the dispatch of work, behind gRPC.
//
// Exit codes: 0 stopped by a signal or, a private server, left by its last client; 2 it cannot
// start; 75 another server owns the private folder.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/shutdown_signals.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"
#include "common/http/page_server.h"
#include "common/net/grpc_log.h"
#include "common/telemetry/build_info.h"
#include "common/telemetry/log_sink.h"
#include "common/telemetry/metrics.h"
#include "common/telemetry/process_metrics.h"
#include "server/auth/authorizer.h"
#include "server/config/config.h"
#include "server/dispatch/dispatcher.h"
#include "server/http/pages.h"
#include "server/jobs/control.h"
#include "server/jobs/job_runner.h"
#include "server/loop/loop.h"
#include "server/monitor/database_watch.h"
#include "server/monitor/readiness.h"
#include "server/monitor/retention.h"
#include "server/monitor/store_gauges.h"
#include "server/private/child_agent.h"
#include "server/private/hold_registry.h"
#include "server/private/private_folder.h"
#include "server/rpc/agent_service.h"
#include "server/rpc/blob_service.h"
#include "server/rpc/endpoint.h"
#include "server/rpc/fleet_service.h"
#include "server/rpc/job_service.h"
#include "server/rpc/token_service.h"
#include "server/rpc/watch_hub.h"
#include "server/store/postgres/change_feed.h"
#include "server/store/postgres/postgres_store.h"
#include "server/store/sqlite/sqlite_store.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::server {
namespace {

constexpr int kExitCannotStart = 2;
constexpr int kExitFolderOwned = 75;
constexpr absl::Duration kCallGrace = absl::Seconds(1);
constexpr absl::Duration kHoldPoll = absl::Milliseconds(100);
constexpr int kSuspectHeartbeats = 3;

// What a private server has beyond any other: its folders, its clients and its agent.
struct PrivateParts {
  PrivateDataFolder data_folder;
  PrivateSocketFolder socket_folder;
  HoldRegistry holds;
  ChildAgent agent;

  PrivateParts(const ServerConfig& config, PrivateDataFolder data, PrivateSocketFolder socket)
      : data_folder(std::move(data)),
        socket_folder(std::move(socket)),
        holds(SystemClock(), {.linger = config.hold_linger, .first_hold = config.first_hold}),
        agent({.program = ExecutableFolder() + "/burnish-agent",
               .server_address = net::ToText(config.listen),
               .state_folder = config.private_folder + "/agent",
               .log_path = config.private_folder + "/agent.log"}) {}
};

absl::StatusOr<std::unique_ptr<PrivateParts>> OwnPrivateFolders(const ServerConfig& config) {
  if (!config.is_private()) return nullptr;
  ASSIGN_OR_RETURN(PrivateDataFolder data, PrivateDataFolder::Own(config.private_folder));
  ASSIGN_OR_RETURN(PrivateSocketFolder socket, PrivateSocketFolder::Prepare(config.listen.path));
  return std::make_unique<PrivateParts>(config, std::move(data), std::move(socket));
}

ReplicaId NewReplicaId() {
  return ReplicaId(absl::StrCat(::getpid(), "-", absl::Hex(RandomSeed(), absl::kZeroPad16)));
}

// The running server. Members are destroyed in reverse: the surfaces first, the store late.
class Server {
 public:
  Server(const ServerConfig& config, telemetry::Metrics& metrics, const ServerMetrics& counters,
         std::unique_ptr<store::Store> store, PrivateParts* parts);
  absl::Status Listen();
  // The signal that ended it; none for a private server that its last client left.
  std::optional<int> RunUntilStopped(ShutdownSignals& signals);
  // Takes no new work, lets reports come in and watchers look on for a while, or until another
  // signal.
  void Drain(ShutdownSignals& signals);
  void Stop();

 private:
  rpc::PrivateClients Clients();
  void StartLoops();
  // The store changed here: whoever acts on that looks again, on the other servers too.
  void Changed();
  void LookAgain();

  const ServerConfig& config_;
  PrivateParts* const private_;  // null on every other server
  telemetry::Metrics& metrics_;
  const ServerMetrics counters_;
  Readiness readiness_;
  DatabaseWatch database_;
  DatabaseWatch reports_;
  DatabaseWatch jobs_;
  const std::unique_ptr<store::Store> store_;
  StoreGauges gauges_;
  auth::Authorizer authorizer_;
  rpc::Admission admission_;
  jobs::JobRunner runner_;
  dispatch::Dispatcher dispatcher_;
  rpc::WatchHub hub_;
  rpc::AgentInbox inbox_;
  rpc::AgentService agent_service_;
  rpc::JobService job_service_;
  rpc::FleetService fleet_service_;
  rpc::BlobService blob_service_;
  rpc::TokenService token_service_;
  std::optional<Loop> dispatch_loop_;
  std::optional<Loop> job_loop_;
  std::optional<Loop> health_loop_;
  std::optional<Loop> token_loop_;
  std::optional<Retention> retention_;
  std::unique_ptr<store::postgres::ChangeFeed> feed_;  // PostgreSQL only
  std::unique_ptr<rpc::Endpoint> endpoint_;
  std::unique_ptr<http::PageServer> http_;
};

Server::Server(const ServerConfig& config, telemetry::Metrics& metrics,
               const ServerMetrics& counters, std::unique_ptr<store::Store> store,
               PrivateParts* parts)
    : config_(config),
      private_(parts),
      metrics_(metrics),
      counters_(counters),
      database_(readiness_, SystemClock(), "database"),
      reports_(readiness_, SystemClock(), "reports"),
      // Making a large search space takes a while.
      jobs_(readiness_, SystemClock(), "jobs", Rounds::kMayBeLong),
      store_(std::move(store)),
      gauges_(*store_, counters_, SystemClock(), kSuspectHeartbeats * config.heartbeat_interval),
      authorizer_(auth::DefaultPolicy(), *store_, SystemClock(),
                  {.insecure = config.insecure,
                   .is_private = config.is_private(),
                   .token_cache = config.token_cache}),
      admission_(authorizer_),
      runner_(*store_, {.replica = NewReplicaId(), .ownership = config.job_lease}),
      dispatcher_(
          *store_,
          {.heartbeat_interval = config.heartbeat_interval,
           .lease = config.lease,
           .canary_interval = config.canary_interval},
          {.latency = counters_.dispatch_latency, .lease_expired = counters_.lease_expired}),
      hub_(*store_),
      inbox_(
          dispatcher_, [this] { Changed(); },
          [this](const absl::Status& status) { reports_.RoundEnded(status); }),
      agent_service_(admission_, {.store = *store_,
                                  .dispatcher = dispatcher_,
                                  .inbox = inbox_,
                                  .clock = SystemClock(),
                                  .longest_silence = config.lease,
                                  .changed = [this] { Changed(); },
                                  .metrics = counters_}),
      job_service_(*store_, admission_, hub_, Clients(), [this] { Changed(); }),
      fleet_service_(*store_, admission_, [this] { Changed(); }),
      blob_service_(*store_, admission_, counters_),
      token_service_(*store_, admission_) {
  telemetry::AddProcessMetrics(metrics_);
  telemetry::AddBuildInfo(
      metrics_, absl::StrCat(config.postgres_url.empty() ? store::SqliteSchemaVersion()
                                                         : store::PostgresSchemaVersion()));
  metrics_.BeforeScrape([this] { gauges_.Refresh(); });
  StartLoops();
}

void Server::StartLoops() {
  // A wake-up by reports is followed by one for the trials that replace them.
  const LoopOptions dispatch{.name = "dispatch", .gather = absl::Milliseconds(1)};
  dispatch_loop_.emplace(dispatch, [this] {
    agent_service_.CloseSilentStreams();
    const absl::Status status = dispatcher_.Advance();
    database_.RoundEnded(status);
    return status;
  });
  job_loop_.emplace(LoopOptions{.name = "jobs"}, [this] {
    const absl::StatusOr<bool> changed = runner_.Advance();
    jobs_.RoundEnded(changed.status());
    if (!changed.ok() || *changed) {
      dispatch_loop_->Wake();
      hub_.Wake();
      if (feed_ != nullptr) feed_->Announce();
    }
    return changed.status();
  });
  if (!config_.postgres_url.empty()) {
    feed_ = std::make_unique<store::postgres::ChangeFeed>(
        store::PostgresAddress(config_.postgres_url), [this] { LookAgain(); });
  }
  health_loop_.emplace(LoopOptions{.name = "health", .interval = absl::Seconds(1)}, [this] {
    database_.Check();
    reports_.Check();
    jobs_.Check();
    return absl::OkStatus();
  });
  // Often enough that a stream outlives its token no longer than the cache allows.
  const absl::Duration look = std::max(config_.token_cache / 5, absl::Milliseconds(50));
  token_loop_.emplace(LoopOptions{.name = "tokens", .interval = look}, [this] {
    admission_.CheckStreams();
    return absl::OkStatus();
  });
  retention_.emplace(
      ChoresOf(*store_, {.keep_samples = config_.keep_samples, .keep_jobs = config_.keep_jobs},
               counters_),
      config_.retention_interval);
}

rpc::PrivateClients Server::Clients() {
  if (private_ == nullptr) return {};
  return {.holds = &private_->holds, .need_devices = [this] { private_->agent.EnsureStarted(); }};
}

void Server::Changed() {
  LookAgain();
  if (feed_ != nullptr) feed_->Announce();
}

void Server::LookAgain() {
  job_loop_->Wake();
  dispatch_loop_->Wake();
  hub_.Wake();
}

absl::Status Server::Listen() {
  if (config_.http.has_value()) {
    ASSIGN_OR_RETURN(http_,
                     http::PageServer::Listen(*config_.http, ServerPages(readiness_, metrics_)));
  }
  ASSIGN_OR_RETURN(endpoint_,
                   rpc::Endpoint::Listen(config_.listen,
                                         {&job_service_, &agent_service_, &fleet_service_,
                                          &blob_service_, &token_service_},
                                         {.metrics = counters_,
                                          .reflection = config_.enable_reflection,
                                          .tls = config_.tls,
                                          .tls_reload = config_.tls_reload}));
  readiness_.Tell([this](bool ready) { endpoint_->SetServing(ready); });
  const std::string address = net::ToText(endpoint_->address());
  if (private_ != nullptr) RETURN_IF_ERROR(private_->data_folder.Announce(address));
  std::string line = absl::StrCat("listening grpc=", address);
  if (http_ != nullptr) absl::StrAppend(&line, " http=", net::ToText(http_->address()));
  readiness_.Set("starting", "");
  std::cerr << line << std::endl;
  return absl::OkStatus();
}

std::optional<int> Server::RunUntilStopped(ShutdownSignals& signals) {
  if (private_ == nullptr) return signals.Wait(absl::InfiniteDuration());
  while (true) {
    const std::optional<int> signal = signals.Wait(kHoldPoll);
    if (signal.has_value() || private_->holds.TryEndServer()) return signal;
  }
}

void Server::Drain(ShutdownSignals& signals) {
  Log(LogLevel::kInfo, "draining", {{"grace", absl::FormatDuration(config_.drain_grace)}});
  readiness_.Set("draining", "the server was told to stop");
  job_service_.RefuseSubmissions(DiagnosticStatus(
      absl::StatusCode::kUnavailable,
      {.message = "the server is about to stop and takes no new jobs",
       .hint = "submit again when it is back, or to another server: a repeated submission makes "
               "one job"}));
  dispatch_loop_->Stop();
  signals.Wait(config_.drain_grace);
}

void Server::Stop() {
  const absl::Status reason = absl::UnavailableError("the server is stopping");
  // The agent first: while it can still say goodbye, its work is queued again at once.
  if (private_ != nullptr) private_->agent.Stop();
  http_.reset();
  feed_.reset();
  retention_->Stop();
  health_loop_->Stop();
  token_loop_->Stop();
  job_loop_->Stop();
  const absl::Status released = runner_.Release();
  if (!released.ok()) Log(LogLevel::kWarning, "release_failed", {{"status", released.ToString()}});
  dispatch_loop_->Stop();
  inbox_.Stop();
  hub_.Stop(reason);
  job_service_.Stop(reason);
  blob_service_.Stop(reason);
  dispatcher_.CloseAll(reason);
  if (endpoint_ != nullptr) endpoint_->Shutdown(kCallGrace);
}

// Calls `use` until the database can be reached, or the patience or the user's ends.
absl::Status Await(const ServerConfig& config, ShutdownSignals& signals,
                   const std::function<absl::Status()>& use) {
  const absl::Duration end = SystemClock().Monotonic() + config.database_wait;
  absl::Status status = use();
  for (bool told = false; absl::IsUnavailable(status); status = use()) {
    if (!std::exchange(told, true)) {
      Log(LogLevel::kWarning, "waiting_for_database", {{"status", std::string(status.message())}});
    }
    if (SystemClock().Monotonic() >= end || signals.Wait(absl::Seconds(1)).has_value()) break;
  }
  return status;
}

absl::StatusOr<std::unique_ptr<store::Store>> OpenStore(const ServerConfig& config,
                                                        ShutdownSignals& signals,
                                                        const store::StoreMetrics& metrics) {
  if (config.postgres_url.empty()) {
    return store::OpenSqliteStore(config.sqlite_path, SystemClock(), metrics);
  }
  std::unique_ptr<store::Store> store;
  RETURN_IF_ERROR(Await(config, signals, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(store, store::OpenPostgresStore(config.postgres_url, {}, metrics));
    return absl::OkStatus();
  }));
  return store;
}

absl::Status Serve(const ServerConfig& config, ShutdownSignals& signals) {
  if (config.migrate_only) {
    return Await(config, signals, [&] { return store::MigratePostgres(config.postgres_url); });
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<PrivateParts> private_parts, OwnPrivateFolders(config));
  telemetry::Metrics metrics;
  const ServerMetrics counters(metrics);
  ASSIGN_OR_RETURN(
      std::unique_ptr<store::Store> store,
      OpenStore(config, signals,
                {.calls = counters.db_query, .connections_in_use = counters.db_pool_in_use}));
  if (config.is_private()) {
    RETURN_IF_ERROR(jobs::PauseAllActive(*store, "its client ended"));
  }
  Server server(config, metrics, counters, std::move(store), private_parts.get());
  const absl::Status listening = server.Listen();
  if (listening.ok()) {
    Log(LogLevel::kInfo, "server_started", {{"version", kVersion}});
    const std::optional<int> signal = server.RunUntilStopped(signals);
    // A private server has nobody left who could wait.
    if (signal == SIGTERM && !config.is_private()) server.Drain(signals);
  }
  server.Stop();
  return listening;
}

void PrintError(const absl::Status& status) {
  std::cerr << "burnish-server: "
            << std::string_view(status.message().data(), status.message().size()) << "\n";
  const std::optional<Diagnostic> diagnostic = DiagnosticOf(status);
  if (diagnostic.has_value() && !diagnostic->hint.empty()) {
    std::cerr << "  " << diagnostic->hint << "\n";
  }
}

int Main(const std::vector<std::string>& arguments) {
  const auto parsed = ParseCommandLine(arguments);
  if (!parsed.ok()) {
    PrintError(parsed.status());
    return kExitCannotStart;
  }
  if (const auto* information = std::get_if<InformationText>(&*parsed)) {
    std::cout << information->text;
    return 0;
  }
  net::LogGrpcMessages();
  const ServerConfig& config = std::get<ServerConfig>(*parsed);
  telemetry::StartLog(config.log);
  ShutdownSignals signals;
  const absl::Status served = Serve(config, signals);
  if (absl::IsAlreadyExists(served)) return kExitFolderOwned;
  if (served.ok()) return 0;
  PrintError(served);
  return kExitCannotStart;
}

}  // namespace
}  // namespace burnish::server

int main(int argc, char** argv) {
  return burnish::server::Main(std::vector<std::string>(argv + 1, argv + argc));
}
