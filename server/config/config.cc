#include "server/config/config.h"

#include <algorithm>
#include <string_view>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"
#include "common/flags/log_flags.h"

namespace burnish::server {
namespace {

constexpr char kDescription[] = "Runs the search of kernel-tuning jobs and hands work to agents.";
constexpr char kExample[] =
    "Example:\n"
    "  burnish-server --listen 127.0.0.1:7400 --database sqlite:burnish.db";
constexpr char kSqlitePrefix[] = "sqlite:";

// As typed; checked after the parser's part is done.
struct Flags {
  std::string listen = "127.0.0.1:7400";
  std::string http;
  std::string database;
  std::string private_folder;
  bool insecure = false;
  net::TlsFiles tls;
  std::string tls_reload = "60";
  std::string token_cache = "5";
  std::string heartbeat_interval = "5";
  std::string lease = "30";
  std::string job_lease = "15";
  std::string canary_interval = "30";
  std::string database_wait = "60";
  std::string hold_linger = "1";
  std::string first_hold = "10";
  std::string drain_grace = "5";
  bool enable_reflection = false;
  LogFlags log;
};

void Declare(CLI::App& app, Flags& flags) {
  app.footer(kExample);
  app.set_version_flag("--version", absl::StrCat("burnish-server ", kVersion));
  app.add_option("--listen", flags.listen,
                 "HOST:PORT or unix:PATH for clients and agents; port 0 picks a free one "
                 "[127.0.0.1:7400]");
  app.add_option("--http", flags.http, "HOST:PORT of /livez, /readyz and /metrics [not served]");
  app.add_option("--database", flags.database,
                 "sqlite:FILE, made if needed, for one server; postgresql://USER@HOST/DATABASE for "
                 "any number of servers (passwords: ~/.pgpass) [sqlite:burnish.db]");
  app.add_option("--database-wait", flags.database_wait,
                 "Seconds to wait at the start for a PostgreSQL that cannot be reached [60]");
  app.add_option("--job-lease", flags.job_lease,
                 "Seconds after which another server drives the jobs of a silent one [15]");
  app.add_subcommand("migrate", "Bring the schema of the PostgreSQL --database up to date, and end")
      ->fallthrough();
  app.add_flag("--insecure", flags.insecure,
               "Speak plain text on any address and, until there is a token, let everybody in who "
               "reaches it");
  app.add_option("--tls-certificate", flags.tls.certificate,
                 "PEM file of the server's certificate and its chain: speak TLS");
  app.add_option("--tls-key", flags.tls.key, "PEM file of the certificate's private key");
  app.add_option("--tls-client-ca", flags.tls.ca,
                 "PEM file of certificates; callers have to present one that they have signed");
  app.add_option("--tls-reload", flags.tls_reload,
                 "Seconds between looks at the TLS files for newer ones [60]");
  app.add_option("--token-cache", flags.token_cache,
                 "Seconds for which a revoked token may still count, on any server [5]");
  app.add_option("--heartbeat-interval", flags.heartbeat_interval,
                 "Seconds between an agent's signs of life [5]");
  app.add_option("--lease", flags.lease,
                 "Seconds after which the work of a silent agent is given to another [30]");
  app.add_option("--canary-interval", flags.canary_interval,
                 "Seconds between the canaries of a device in quarantine [30]");
  app.add_option("--drain-grace", flags.drain_grace,
                 "Seconds that SIGTERM leaves to running work and open streams [5]");
  app.add_flag("--enable-reflection", flags.enable_reflection,
               "Describe the gRPC services to tools such as grpcurl");
  DeclareLogFlags(app, flags.log);
  app.add_option("--private", flags.private_folder,
                 "Serve one user's `burnish` out of this folder; started by `burnish` itself");
  app.add_option("--hold-linger", flags.hold_linger,
                 "Private: seconds to stay after the last client [1]");
  app.add_option("--first-hold", flags.first_hold,
                 "Private: seconds to wait for the first client [10]");
}

absl::StatusOr<absl::Duration> ParseSeconds(std::string_view flag, const std::string& text) {
  const std::optional<double> seconds = ParseReal(text);
  if (!seconds.has_value() || *seconds <= 0 || *seconds > 86'400) {
    return InvalidInput(absl::StrCat(std::string(flag), " ", text, ": not a time"),
                        "write seconds above 0, as in 30 or 0.5");
  }
  return absl::Seconds(*seconds);
}

absl::Status ReadDraining(const Flags& flags, ServerConfig& config) {
  if (ParseReal(flags.drain_grace) == 0.0) return absl::OkStatus();  // stop at once
  ASSIGN_OR_RETURN(config.drain_grace, ParseSeconds("--drain-grace", flags.drain_grace));
  return absl::OkStatus();
}

// The log of a private server is read by a person, out of a file.
absl::Status ReadLog(const Flags& flags, ServerConfig& config) {
  ASSIGN_OR_RETURN(config.log, ReadLogFlags(flags.log));
  if (config.is_private() && !config.log.format.has_value()) config.log.format = LogFormat::kText;
  return absl::OkStatus();
}

absl::Status ReadDatabase(const Flags& flags, ServerConfig& config) {
  ASSIGN_OR_RETURN(config.database_wait, ParseSeconds("--database-wait", flags.database_wait));
  if (flags.database.empty()) {
    config.sqlite_path = config.is_private() ? config.private_folder + "/burnish.db" : "burnish.db";
  } else if (absl::StartsWith(flags.database, kSqlitePrefix)) {
    config.sqlite_path = flags.database.substr(sizeof(kSqlitePrefix) - 1);
  } else if (absl::StartsWith(flags.database, "postgresql://") ||
             absl::StartsWith(flags.database, "postgres://")) {
    config.postgres_url = flags.database;
  }
  if (config.sqlite_path.empty() && config.postgres_url.empty()) {
    return InvalidInput(absl::StrCat("--database ", flags.database, ": not a database"),
                        "write sqlite:FILE or postgresql://USER@HOST:PORT/DATABASE");
  }
  if (config.migrate_only && config.postgres_url.empty()) {
    return InvalidInput("migrate is for PostgreSQL; an SQLite file is brought up to date by itself",
                        "add --database postgresql://USER@HOST:PORT/DATABASE");
  }
  return absl::OkStatus();
}

absl::Status ReadTls(const Flags& flags, ServerConfig& config) {
  config.tls = flags.tls;
  ASSIGN_OR_RETURN(config.tls_reload, ParseSeconds("--tls-reload", flags.tls_reload));
  if (!config.tls.any()) {
    return net::CheckPlainTextAllowed(config.listen, flags.insecure,
                                      "add --tls-certificate and --tls-key, or ");
  }
  if (config.tls.certificate.empty() || config.tls.key.empty()) {
    return InvalidInput("TLS needs a certificate and its key",
                        "add --tls-certificate FILE and --tls-key FILE");
  }
  return net::CheckTlsPossible(config.listen, flags.insecure);
}

absl::Status ReadAddresses(const Flags& flags, ServerConfig& config) {
  ASSIGN_OR_RETURN(config.listen, net::ParseServerAddress(flags.listen));
  RETURN_IF_ERROR(ReadTls(flags, config));
  if (flags.http.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const net::ServerAddress http, net::ParseServerAddress(flags.http));
  if (http.kind != net::ServerAddress::Kind::kTcp) {
    return InvalidInput(absl::StrCat("--http ", flags.http, ": a web page needs a port"),
                        "write HOST:PORT");
  }
  RETURN_IF_ERROR(net::CheckPlainTextAllowed(http, flags.insecure));
  config.http = http;
  return absl::OkStatus();
}

absl::Status CheckPrivate(const Flags& flags, const ServerConfig& config) {
  if (!config.is_private()) return absl::OkStatus();
  if (config.listen.kind != net::ServerAddress::Kind::kUnix) {
    return InvalidInput("--private needs a unix socket", "add --listen unix:PATH");
  }
  for (const auto& [flag, given] : {std::pair{"--http", !flags.http.empty()},
                                    {"--database", !flags.database.empty()},
                                    {"--insecure", flags.insecure}}) {
    if (given) return InvalidInput(absl::StrCat(flag, " does not go with --private"), "");
  }
  return absl::OkStatus();
}

absl::StatusOr<ServerConfig> Check(const Flags& flags, bool migrate_only) {
  ServerConfig config;
  config.migrate_only = migrate_only;
  config.private_folder = flags.private_folder;
  config.insecure = flags.insecure;
  config.enable_reflection = flags.enable_reflection;
  RETURN_IF_ERROR(ReadAddresses(flags, config));
  RETURN_IF_ERROR(CheckPrivate(flags, config));
  RETURN_IF_ERROR(ReadDatabase(flags, config));
  RETURN_IF_ERROR(ReadDraining(flags, config));
  RETURN_IF_ERROR(ReadLog(flags, config));
  ASSIGN_OR_RETURN(config.heartbeat_interval,
                   ParseSeconds("--heartbeat-interval", flags.heartbeat_interval));
  ASSIGN_OR_RETURN(config.lease, ParseSeconds("--lease", flags.lease));
  if (config.lease < 2 * config.heartbeat_interval) {
    return InvalidInput(
        "--lease is shorter than two heartbeat intervals: one lost message would "
        "end it",
        "make --lease longer or --heartbeat-interval shorter");
  }
  ASSIGN_OR_RETURN(config.canary_interval,
                   ParseSeconds("--canary-interval", flags.canary_interval));
  ASSIGN_OR_RETURN(config.token_cache, ParseSeconds("--token-cache", flags.token_cache));
  ASSIGN_OR_RETURN(config.job_lease, ParseSeconds("--job-lease", flags.job_lease));
  ASSIGN_OR_RETURN(config.hold_linger, ParseSeconds("--hold-linger", flags.hold_linger));
  ASSIGN_OR_RETURN(config.first_hold, ParseSeconds("--first-hold", flags.first_hold));
  return config;
}

}  // namespace

absl::StatusOr<std::variant<ServerConfig, InformationText>> ParseCommandLine(
    const std::vector<std::string>& arguments) {
  CLI::App app(kDescription, "burnish-server");
  Flags flags;
  Declare(app, flags);
  ASSIGN_OR_RETURN(std::optional<InformationText> information, ParseFlags(app, arguments));
  if (information.has_value()) return *std::move(information);
  ASSIGN_OR_RETURN(ServerConfig config, Check(flags, app.got_subcommand("migrate")));
  return std::variant<ServerConfig, InformationText>(std::move(config));
}

}  // namespace burnish::server
