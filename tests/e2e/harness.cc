#include "tests/e2e/harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/environment.h"
#include "gtest/gtest.h"

extern char** environ;

namespace burnish::e2e {
namespace {

namespace fs = std::filesystem;

std::string Slurp(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// What somebody has set up for himself must not reach the programs under test.
bool IsOfWhoeverRunsTheTests(const std::string& name) {
  for (const char* own : {"SERVER", "CONTEXT", "NAMESPACE", "TOKEN", "COLOR", "CONFIG_DIR"}) {
    if (name == absl::StrCat("BURNISH_", own, "=")) return true;
  }
  return false;
}

std::vector<std::string> MergedEnvironment(const std::vector<std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::any_of(added.begin(), added.end(),
                                      [&](const std::string& a) { return a.starts_with(name); });
    if (!replaced && !IsOfWhoeverRunsTheTests(name)) merged.push_back(text);
  }
  const bool has_contexts = std::any_of(added.begin(), added.end(), [](const std::string& entry) {
    return entry.starts_with("BURNISH_CONFIG_DIR=");
  });
  if (!has_contexts) merged.push_back("BURNISH_CONFIG_DIR=/dev/null/none");
  merged.insert(merged.end(), added.begin(), added.end());
  return merged;
}

// Empty if `key` is not there.
std::string WordAfter(const std::string& line, const std::string& key) {
  const size_t found = line.find(key);
  if (found == std::string::npos) return "";
  const size_t start = found + key.size();
  return line.substr(start, line.find(' ', start) - start);
}

std::string ProgramPath(const std::string& name) {
  return absl::StrCat(ExecutableFolder(), "/", name);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "burnish-e2e-XXXXXX").string();
  CHECK(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(const std::string& name, const std::string& content) const {
  const fs::path path = fs::path(path_) / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path.string();
}

bool WaitUntil(const std::function<bool()>& condition, absl::Duration timeout) {
  const absl::Duration deadline = SystemClock().Monotonic() + timeout;
  while (!condition()) {
    if (SystemClock().Monotonic() > deadline) return false;
    SleepThread(absl::Milliseconds(10));
  }
  return true;
}

Program::Program(const std::string& name, std::vector<std::string> arguments, std::string log_path,
                 std::vector<std::string> environment)
    : log_path_(std::move(log_path)) {
  const UniqueFd log(::open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  CHECK(log.valid()) << log_path_;
  SpawnOptions options;
  options.arguments = std::move(arguments);
  options.arguments.insert(options.arguments.begin(), ProgramPath(name));
  options.environment = MergedEnvironment(environment);
  options.descriptors = {{2, log.get()}};
  auto child = ChildProcess::Spawn(options);
  CHECK_OK(child.status());
  child_ = *std::move(child);
}

bool Program::running() {
  return child_.running() && !child_.Wait(absl::ZeroDuration()).has_value();
}

std::string Program::Log() const { return Slurp(log_path_); }

std::optional<std::string> Program::WaitForLine(const std::string& text,
                                                absl::Duration timeout) const {
  std::optional<std::string> found;
  WaitUntil(
      [&] {
        std::stringstream log(Log());
        for (std::string line; std::getline(log, line);) {
          if (line.find(text) != std::string::npos && !log.eof()) found = line;
        }
        return found.has_value();
      },
      timeout);
  return found;
}

void Program::KillHard() {
  CHECK(::kill(child_.pid(), SIGKILL) == 0);
  CHECK(child_.Wait(absl::Seconds(10)).has_value());
}

nlohmann::json CommandResult::Json() const {
  nlohmann::json document = nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false);
  EXPECT_FALSE(document.is_discarded()) << "no JSON on standard output: " << out << "\n" << err;
  return document;
}

std::vector<nlohmann::json> CommandResult::JsonLines() const {
  std::vector<nlohmann::json> lines;
  std::stringstream stream(out);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false));
    EXPECT_FALSE(lines.back().is_discarded()) << line;
  }
  return lines;
}

CommandResult Burnish(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment, absl::Duration timeout,
                      const std::string& standard_input) {
  const TemporaryFolder folder;
  const std::string in_path = folder.Write("in", standard_input);
  const std::string out_path = folder.Write("out", "");
  const std::string err_path = folder.Write("err", "");
  const UniqueFd in(::open(in_path.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd out(::open(out_path.c_str(), O_WRONLY | O_CLOEXEC));
  const UniqueFd err(::open(err_path.c_str(), O_WRONLY | O_CLOEXEC));
  SpawnOptions options;
  options.arguments = arguments;
  options.arguments.insert(options.arguments.begin(), ProgramPath("burnish"));
  options.environment = MergedEnvironment(environment);
  options.descriptors = {{0, in.get()}, {1, out.get()}, {2, err.get()}};
  auto child = ChildProcess::Spawn(options);
  CHECK_OK(child.status());
  const auto ended = child->Wait(timeout);
  CommandResult result;
  result.exit_code = ended.has_value() && ended->signal == 0 ? ended->code : -1;
  result.out = Slurp(out_path);
  result.err = Slurp(err_path);
  return result;
}

Farm::Farm(const TemporaryFolder& folder)
    : Farm(folder, FarmDatabase(folder.path() + "/burnish.db")) {}

Farm::Farm(const TemporaryFolder& folder, FarmDatabase database)
    : folder_(folder), database_(std::move(database)) {
  if (database_.is_postgres()) Migrate(folder, database_);
}

void Migrate(const TemporaryFolder& folder, const FarmDatabase& database) {
  Program migrate("burnish-server", {"migrate", "--database", database.url()},
                  folder.path() + "/migrate.log");
  const std::optional<ExitStatus> ended = migrate.Wait(absl::Seconds(60));
  CHECK(ended.has_value() && ended->ok()) << migrate.Log();
}

void Farm::StartServer(std::vector<std::string> extra, int replica) {
  auto& [address, http_address, program] = replicas_[replica];
  const std::string listen = address.empty() ? "127.0.0.1:0" : address;
  const std::string log = absl::StrCat(folder_.path(), "/server-", ++starts_, ".log");
  std::vector<std::string> arguments = {
      "--listen", listen, "--database", database_.url(), "--heartbeat-interval", "0.5"};
  for (const auto& [flag, value] : {std::pair{"--lease", "3"}, {"--job-lease", "2"}}) {
    if (std::ranges::find(extra, flag) == extra.end()) {
      arguments.insert(arguments.end(), {flag, value});
    }
  }
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  program.reset();
  program.emplace("burnish-server", arguments, log);
  const auto line = program->WaitForLine("listening grpc=", absl::Seconds(30));
  ASSERT_TRUE(line.has_value()) << program->Log();
  address = WordAfter(*line, "grpc=");
  http_address = WordAfter(*line, "http=");
}

void Farm::StartAgent(std::vector<std::string> extra, int replica) {
  std::vector<std::string> arguments = {"--server", address(replica), "--state-dir",
                                        folder_.path() + "/agent"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  const std::string log = absl::StrCat(folder_.path(), "/agent-", ++starts_, ".log");
  agent_.reset();
  agent_.emplace("burnish-agent", arguments, log, std::vector<std::string>{"BURNISH_LOG=debug"});
}

bool Farm::WaitForDevice() {
  return agent_->WaitForLine("\"event\":\"attached\"", absl::Seconds(30)).has_value();
}

std::string CommandLineOf(pid_t pid) {
  std::string text = Slurp(absl::StrCat("/proc/", pid, "/cmdline"));
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

std::vector<pid_t> ProcessesWith(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    if (pid != ::getpid() && CommandLineOf(pid).find(text) != std::string::npos) {
      found.push_back(pid);
    }
  }
  return found;
}

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code code;
  for (const auto& task : fs::directory_iterator(absl::StrCat("/proc/", pid, "/task"), code)) {
    std::stringstream list(Slurp((task.path() / "children").string()));
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

std::vector<pid_t> DescendantsOf(pid_t pid) {
  std::vector<pid_t> all;
  for (const pid_t child : ChildrenOf(pid)) {
    all.push_back(child);
    const std::vector<pid_t> below = DescendantsOf(child);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::vector<pid_t> RunnersOf(pid_t pid) {
  std::vector<pid_t> runners = DescendantsOf(pid);
  std::erase_if(runners, [](pid_t process) {
    return Slurp(absl::StrCat("/proc/", process, "/comm")) != "burnish-runner\n";
  });
  return runners;
}

}  // namespace burnish::e2e
