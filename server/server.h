// The running server: everything that serves over one store, put together, started and stopped in
// order. Not thread-safe; its parts are.
#pragma once

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/shutdown_signals.h"
#include "common/http/page_server.h"
#include "common/telemetry/metrics.h"
#include "server/auth/authorizer.h"
#include "server/config/config.h"
#include "server/dispatch/dispatcher.h"
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
#include "server/rpc/import_service.h"
#include "server/rpc/job_service.h"
#include "server/rpc/token_service.h"
#include "server/rpc/watch_hub.h"
#include "server/store/postgres/change_feed.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::server {

// What a private server has beyond any other: its folders, its clients and its agent.
struct PrivateParts {
  PrivateDataFolder data_folder;
  PrivateSocketFolder socket_folder;
  HoldRegistry holds;
  ChildAgent agent;

  // AlreadyExists while another server owns the folder.
  static absl::StatusOr<std::unique_ptr<PrivateParts>> Own(const ServerConfig& config);
};

// Members are destroyed in reverse: the surfaces first, the store late.
class Server {
 public:
  Server(const ServerConfig& config, telemetry::Metrics& metrics, const ServerMetrics& counters,
         std::unique_ptr<store::Store> store, PrivateParts* parts);
  // Opens the ports. Configuration, metrics and parts outlive the server.
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
  rpc::ImportService import_service_;
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

}  // namespace burnish::server
