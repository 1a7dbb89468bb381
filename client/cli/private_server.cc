#include "client/cli/private_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace burnish::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kExitDataFolderInUse = 75;
constexpr size_t kLogTailBytes = 2000;

absl::StatusOr<std::string> DataFolder() {
  const auto data_home = EnvironmentVariable("XDG_DATA_HOME");
  if (data_home.has_value() && !data_home->empty()) return absl::StrCat(*data_home, "/burnish");
  const auto home = EnvironmentVariable("HOME");
  if (home.has_value() && !home->empty()) return absl::StrCat(*home, "/.local/share/burnish");
  return InvalidInput("there is no place for the results database: HOME is not set",
                      "set XDG_DATA_HOME to a folder you may write, or name a server: --server");
}

std::string RuntimeFolder() {
  for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const auto folder = EnvironmentVariable(name);
    if (folder.has_value() && !folder->empty()) return *folder;
  }
  return "/tmp";
}

std::string LogTail(const std::string& path) {
  auto log = ReadFile(path, 16 << 20);
  if (!log.ok()) return "";
  return log->size() > kLogTailBytes ? log->substr(log->size() - kLogTailBytes) : *log;
}

}  // namespace

absl::StatusOr<PrivateServer> LocatePrivateServer() {
  PrivateServer server;
  ASSIGN_OR_RETURN(server.data_folder, DataFolder());
  std::error_code code;
  const fs::path canonical = fs::weakly_canonical(server.data_folder, code);
  if (!code) server.data_folder = canonical.string();
  server.socket_folder = absl::StrCat(RuntimeFolder(), "/burnish-", ::getuid(), "-",
                                      Sha256Hex(server.data_folder).substr(0, 12));
  server.address = absl::StrCat("unix:", server.socket_folder, "/socket");
  return server;
}

PrivateServerStarter::~PrivateServerStarter() { child_.Release(); }

absl::Status PrivateServerStarter::EnsureStarting() {
  if (child_.running()) {
    const std::optional<ExitStatus> ended = child_.Wait(absl::ZeroDuration());
    if (!ended.has_value()) return absl::OkStatus();
    if (!ended->ok() && ended->code != kExitDataFolderInUse) {
      return absl::InternalError(absl::StrCat("the private server ended: ", ToText(*ended), "\n",
                                              LogTail(server_.data_folder + "/server.log")));
    }
  }
  return Start();
}

absl::Status PrivateServerStarter::Start() {
  if (const absl::Status made = MakeFolders(server_.data_folder); !made.ok()) {
    return DiagnosticStatus(
        absl::StatusCode::kFailedPrecondition,
        {.message = absl::StrCat("cannot keep results: ", std::string(made.message())),
         .hint = "set XDG_DATA_HOME to a folder you may write, or name a server: --server"});
  }
  const std::string log_path = server_.data_folder + "/server.log";
  // Appending: a server that finds the folder in use must not wipe the log of the one that runs.
  const UniqueFd log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) {
    return DiagnosticStatus(absl::StatusCode::kFailedPrecondition,
                            {.message = absl::StrCat("cannot write ", log_path)});
  }
  SpawnOptions options;
  options.arguments = {ExecutableFolder() + "/burnish-server", "--private", server_.data_folder,
                       "--listen", server_.address};
  options.descriptors = {{2, log.get()}};
  options.new_session = true;
  ASSIGN_OR_RETURN(child_, ChildProcess::Spawn(options));
  return absl::OkStatus();
}

}  // namespace burnish::cli
