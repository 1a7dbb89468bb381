#include "tests/support/postgres_server.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace burnish::tests {
namespace {

constexpr const char* kPrograms = "/usr/lib/postgresql/15/bin/";
constexpr absl::Duration kPatience = absl::Seconds(60);

// The command as the server's user; it dies with the test.
std::vector<std::string> AsServerUser(std::vector<std::string> command) {
  std::vector<std::string> full = {"/usr/bin/setpriv", "--pdeathsig", "QUIT"};
  if (::geteuid() == 0) {
    full.insert(full.end(), {"--reuid", "postgres", "--regid", "postgres", "--clear-groups"});
  }
  full.push_back("--");
  full.insert(full.end(), command.begin(), command.end());
  return full;
}

absl::StatusOr<std::string> RunToEnd(std::vector<std::string> command) {
  const std::string name = command.front();
  ASSIGN_OR_RETURN(
      const CapturedRun run,
      RunCaptured({.arguments = AsServerUser(std::move(command)), .working_folder = "/"}, kPatience,
                  1 << 20));
  if (run.status.ok() && !run.timed_out) return run.output;
  return absl::InternalError(absl::StrCat(name, ": ", ToText(run.status), "\n", run.output));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PostgresServer>> PostgresServer::InNewFolder() {
  // Short, because a socket's path has at most 107 bytes.
  std::string folder = "/tmp/burnish-pg-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return absl::InternalError("mkdtemp failed");
  std::unique_ptr<PostgresServer> server(new PostgresServer(folder));
  if (::geteuid() == 0) {
    const passwd* user = ::getpwnam("postgres");
    if (user == nullptr) return absl::NotFoundError("there is no user postgres: run ./dev setup");
    if (::chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0) {
      return absl::InternalError("chown failed");
    }
  }
  return server;
}

absl::StatusOr<std::unique_ptr<PostgresServer>> PostgresServer::Start(
    const std::vector<std::string>& settings) {
  ASSIGN_OR_RETURN(std::unique_ptr<PostgresServer> server, InNewFolder());
  RETURN_IF_ERROR(server->Initialise(settings));
  RETURN_IF_ERROR(server->Run());
  return server;
}

PostgresServer::~PostgresServer() {
  if (server_.running()) {
    server_.Signal(SIGINT);  // disconnects clients
    if (!server_.Wait(kPatience).has_value()) server_.Kill();
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string PostgresServer::Url(const std::string& database) const {
  std::string url = absl::StrCat("postgresql:///", database, "?user=postgres&host=", folder_);
  if (!standby_folder_.empty()) {
    absl::StrAppend(&url, ",", standby_folder_, "&target_session_attrs=read-write");
  }
  return url;
}

absl::Status PostgresServer::Initialise(const std::vector<std::string>& settings) {
  RETURN_IF_ERROR(RunToEnd({absl::StrCat(kPrograms, "initdb"), "-D", folder_ + "/data", "-U",
                            "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"})
                      .status());
  std::ofstream file(folder_ + "/data/postgresql.conf", std::ios::app);
  file << "listen_addresses = ''\nunix_socket_directories = '" << folder_
       << "'\nmax_connections = 60\n";
  for (const std::string& line : settings) file << line << "\n";
  return file.good() ? absl::OkStatus() : absl::InternalError("cannot write postgresql.conf");
}

absl::Status PostgresServer::Run() {
  ASSIGN_OR_RETURN(
      server_, ChildProcess::Spawn(
                   {.arguments = AsServerUser(
                        {absl::StrCat(kPrograms, "postgres"), "-D", folder_ + "/data", "-c",
                         absl::StrCat("log_directory=", folder_), "-c", "logging_collector=off"}),
                    .working_folder = "/"}));
  for (absl::Duration waited; waited < kPatience; waited += absl::Milliseconds(20)) {
    if (Sql("SELECT 1").ok()) return absl::OkStatus();
    if (const auto status = server_.Wait(absl::Milliseconds(20))) {
      return absl::InternalError(absl::StrCat("postgres ended: ", ToText(*status)));
    }
  }
  return absl::DeadlineExceededError("postgres does not answer");
}

absl::Status PostgresServer::CreateDatabase(const std::string& name) {
  return Sql(absl::StrCat("CREATE DATABASE ", name)).status();
}

absl::StatusOr<std::string> PostgresServer::Sql(const std::string& sql,
                                                const std::string& database) {
  ASSIGN_OR_RETURN(std::string printed,
                   RunToEnd({absl::StrCat(kPrograms, "psql"), "-X", "-q", "-A", "-t", "-h", folder_,
                             "-U", "postgres", "-d", database, "-c", sql}));
  return std::string(absl::StripSuffix(printed, "\n"));
}

void PostgresServer::KillHard() {
  ::kill(server_.pid(), SIGKILL);
  server_.Wait(kPatience);
}

absl::Status PostgresServer::Restart() { return Run(); }

absl::StatusOr<std::unique_ptr<PostgresServer>> PostgresServer::StartStandby() {
  ASSIGN_OR_RETURN(std::unique_ptr<PostgresServer> standby, InNewFolder());
  RETURN_IF_ERROR(RunToEnd({absl::StrCat(kPrograms, "pg_basebackup"), "-h", folder_, "-U",
                            "postgres", "-D", standby->folder_ + "/data", "-R", "-c", "fast"})
                      .status());
  std::ofstream file(standby->folder_ + "/data/postgresql.conf", std::ios::app);
  file << "unix_socket_directories = '" << standby->folder_ << "'\n";
  file.close();
  RETURN_IF_ERROR(standby->Run());
  standby_folder_ = standby->folder_;
  RETURN_IF_ERROR(Sql("ALTER SYSTEM SET synchronous_standby_names = '*'").status());
  RETURN_IF_ERROR(Sql("SELECT pg_reload_conf()").status());
  return standby;
}

}  // namespace burnish::tests
