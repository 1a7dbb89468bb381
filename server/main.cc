// burnish-server: the search, the results database and the dispatch of work, behind gRPC.
//
// Exit codes: 0 stopped by a signal or, a private server, left by its last client; 2 it cannot
// start; 75 another server owns the private folder.
#include <csignal>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/log.h"
#include "common/base/shutdown_signals.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"
#include "common/net/grpc_log.h"
#include "common/telemetry/log_sink.h"
#include "common/telemetry/metrics.h"
#include "server/config/config.h"
#include "server/jobs/control.h"
#include "server/server.h"
#include "server/store/postgres/postgres_store.h"
#include "server/store/sqlite/sqlite_store.h"
#include "server/telemetry/server_metrics.h"

namespace burnish::server {
namespace {

constexpr int kExitCannotStart = 2;
constexpr int kExitFolderOwned = 75;

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
  std::unique_ptr<PrivateParts> private_parts;
  if (config.is_private()) {
    ASSIGN_OR_RETURN(private_parts, PrivateParts::Own(config));
  }
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
