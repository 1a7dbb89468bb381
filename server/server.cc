#include "server/server.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/telemetry/build_info.h"
#include "common/telemetry/process_metrics.h"
#include "server/auth/policy.h"
#include "server/http/pages.h"
#include "server/store/postgres/postgres_store.h"
#include "server/store/sqlite/sqlite_store.h"

namespace burnish::server {
namespace {

constexpr absl::Duration kCallGrace = absl::Seconds(1);
constexpr absl::Duration kHoldPoll = absl::Milliseconds(100);
constexpr int kSuspectHeartbeats = 3;

ReplicaId NewReplicaId() {
  return ReplicaId(absl::StrCat(::getpid(), "-", absl::Hex(RandomSeed(), absl::kZeroPad16)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivateParts>> PrivateParts::Own(const ServerConfig& config) {
  ASSIGN_OR_RETURN(PrivateDataFolder data, PrivateDataFolder::Own(config.private_folder));
  ASSIGN_OR_RETURN(PrivateSocketFolder socket, PrivateSocketFolder::Prepare(config.listen.path));
  return std::unique_ptr<PrivateParts>(new PrivateParts{
      .data_folder = std::move(data),
      .socket_folder = std::move(socket),
      .holds = HoldRegistry(SystemClock(),
                            {.linger = config.hold_linger, .first_hold = config.first_hold}),
      .agent = ChildAgent({.program = ExecutableFolder() + "/burnish-agent",
                           .server_address = net::ToText(config.listen),
                           .state_folder = config.private_folder + "/agent",
                           .log_path = config.private_folder + "/agent.log"})});
}

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
      runner_(*store_, {.replica = NewReplicaId(),
                        .ownership = config.job_lease,
                        .rank_correlation = counters_.model_rank_correlation,
                        .regret = counters_.model_regret}),
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
      import_service_(*store_, admission_),
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
  const LoopOptions dispatch{.name = "dispatch", .gather = absl::Microseconds(300)};
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
                                          &blob_service_, &import_service_, &token_service_},
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
  import_service_.Stop(reason);
  dispatcher_.CloseAll(reason);
  if (endpoint_ != nullptr) endpoint_->Shutdown(kCallGrace);
}

}  // namespace burnish::server
