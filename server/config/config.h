// The command line of burnish-server, checked. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/log.h"
#include "common/flags/flags.h"
#include "common/net/address.h"
#include "common/net/transport.h"

namespace burnish::server {

struct ServerConfig {
  net::ServerAddress listen;
  std::optional<net::ServerAddress> http;
  std::string sqlite_path;   // of the database, or
  std::string postgres_url;  // as libpq takes it
  bool migrate_only = false;
  absl::Duration database_wait;  // for a PostgreSQL that cannot be reached at the start
  bool insecure = false;
  net::TlsFiles tls;           // ca: of clients' certificates
  absl::Duration tls_reload;   // how often the files are looked at
  absl::Duration token_cache;  // how long a revoked token may still count
  absl::Duration heartbeat_interval;
  absl::Duration lease;
  absl::Duration job_lease;        // after which another server takes the jobs of a silent one
  absl::Duration canary_interval;  // between the canaries of a device in quarantine
  absl::Duration drain_grace;      // from SIGTERM to the end of all streams
  bool enable_reflection = false;
  LogOptions log;
  // The rest: private mode, the server of one user's `burnish` on this machine.
  std::string private_folder;  // empty: no private server
  absl::Duration hold_linger;
  absl::Duration first_hold;

  bool is_private() const { return !private_folder.empty(); }
};

// `arguments` without the program's name. InvalidArgument Diagnostics for what cannot be.
absl::StatusOr<std::variant<ServerConfig, InformationText>> ParseCommandLine(
    const std::vector<std::string>& arguments);

}  // namespace burnish::server
