// Real processes for end-to-end tests: programs of the build tree in a temporary folder, with
// their standard error kept, and the command line run to its end.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/base/subprocess.h"
#include "nlohmann/json.hpp"
#include "tests/e2e/farm_database.h"

namespace burnish::e2e {

// A folder that is gone, with everything in it, when this goes out of scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  // Writes a file below the folder and returns its path.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

// Polls until the condition holds; false after the timeout.
bool WaitUntil(const std::function<bool()>& condition, absl::Duration timeout);

// A program of build/release/bin that runs until it is told to end. Its standard error goes to a
// file.
class Program {
 public:
  // `environment` is added to the test's own.
  Program(const std::string& name, std::vector<std::string> arguments, std::string log_path,
          std::vector<std::string> environment = {});
  pid_t pid() const { return child_.pid(); }
  bool running();
  std::string Log() const;
  // Waits for a line that contains `text`; the line, or nothing after the timeout.
  std::optional<std::string> WaitForLine(const std::string& text, absl::Duration timeout) const;
  void Signal(int signal) { child_.Signal(signal); }
  // Only the process itself, as a crash would, not its group.
  void KillHard();
  std::optional<ExitStatus> Wait(absl::Duration timeout) { return child_.Wait(timeout); }

 private:
  ChildProcess child_;
  std::string log_path_;
};

struct CommandResult {
  int exit_code = -1;
  std::string out;
  std::string err;
  nlohmann::json Json() const;  // of `out`; fails the test if it does not parse
  std::vector<nlohmann::json> JsonLines() const;
};

// `burnish ARGUMENTS` to its end, or killed after the timeout (exit code -1).
CommandResult Burnish(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment = {},
                      absl::Duration timeout = absl::Minutes(3),
                      const std::string& standard_input = "");

// A server on a free port and an agent, in one folder, with short intervals; on PostgreSQL also a
// second replica of the server.
class Farm {
 public:
  // On an SQLite file in the folder.
  explicit Farm(const TemporaryFolder& folder);
  // A PostgreSQL database gets its schema.
  Farm(const TemporaryFolder& folder, FarmDatabase database);
  // A replica comes back at the address that it had before.
  void StartServer(std::vector<std::string> extra = {}, int replica = 0);
  void StartAgent(std::vector<std::string> extra = {}, int replica = 0);
  // host:port
  const std::string& address(int replica = 0) const { return replicas_[replica].address; }
  // Where the server serves HTTP, if it was started with --http.
  const std::string& http_address() const { return replicas_[0].http_address; }
  FarmDatabase& database() { return database_; }
  Program& server(int replica = 0) { return *replicas_[replica].program; }
  Program& agent() { return *agent_; }
  bool WaitForDevice();

 private:
  struct Replica {
    std::string address;
    std::string http_address;
    std::optional<Program> program;
  };

  const TemporaryFolder& folder_;
  FarmDatabase database_;
  std::array<Replica, 2> replicas_;
  std::optional<Program> agent_;
  int starts_ = 0;
};

// `burnish-server migrate` on a PostgreSQL database.
void Migrate(const TemporaryFolder& folder, const FarmDatabase& database);

// Processes whose command line contains `text` (a folder's path: all that belong to a test).
std::vector<pid_t> ProcessesWith(const std::string& text);
std::vector<pid_t> ChildrenOf(pid_t pid);
std::vector<pid_t> DescendantsOf(pid_t pid);
// Descendants that execute candidates.
std::vector<pid_t> RunnersOf(pid_t pid);
std::string CommandLineOf(pid_t pid);

}  // namespace burnish::e2e
