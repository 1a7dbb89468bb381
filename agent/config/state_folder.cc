#include "agent/config/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/config/config.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"

namespace burnish::agent {
namespace {

constexpr size_t kSuffixDigits = 6;

std::string HostName() {
  char name[limits::kNameBytes / 2] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0 || !IsValidAgentId(name)) return "agent";
  return name;
}

// Names under which a worker, or a file written atomically, is unfinished.
bool IsUnfinished(const std::string& name) {
  return name.starts_with("build-") || name.find(".tmp") != std::string::npos;
}

}  // namespace

absl::StatusOr<StateFolder> StateFolder::Open(const std::string& path) {
  RETURN_IF_ERROR(MakeFolders(path));
  std::error_code error;
  const std::string full_path = std::filesystem::absolute(path, error).string();
  const std::string lock_path = full_path + "/lock";
  UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", lock_path));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return DiagnosticStatus(
        absl::StatusCode::kFailedPrecondition,
        {.file = path,
         .message = "another burnish-agent is using this state folder",
         .hint = "end that agent, or give this one a folder of its own with --state-dir"});
  }
  StateFolder folder(full_path, std::move(lock));
  RETURN_IF_ERROR(MakeFolders(folder.artefact_folder()));
  RETURN_IF_ERROR(MakeFolders(folder.reference_folder()));
  RETURN_IF_ERROR(MakeFolders(folder.blob_folder()));
  RETURN_IF_ERROR(MakeFolders(folder.roofs_folder()));
  RETURN_IF_ERROR(MakeFolders(folder.journal_folder()));
  folder.RemoveLeftovers();
  return folder;
}

absl::StatusOr<AgentId> StateFolder::StoredAgentId() const {
  const std::string path = path_ + "/agent-id";
  const absl::StatusOr<std::string> stored = ReadFile(path, 2 * limits::kNameBytes);
  if (stored.ok()) {
    const std::string id(absl::StripAsciiWhitespace(*stored));
    if (IsValidAgentId(id)) return AgentId(id);
    return DiagnosticStatus(
        absl::StatusCode::kFailedPrecondition,
        {.file = path,
         .message = "holds no agent id",
         .hint = "remove the file to get a new id, or name one with --agent-id"});
  }
  if (!absl::IsNotFound(stored.status())) return stored.status();
  const std::string id = absl::StrCat(HostName(), "-", RandomHexId().substr(0, kSuffixDigits));
  RETURN_IF_ERROR(WriteFileAtomically(path, id + "\n", /*durable=*/true));
  return AgentId(id);
}

void StateFolder::RemoveLeftovers() const {
  for (const std::string& folder :
       {artefact_folder(), reference_folder(), roofs_folder(), journal_folder()}) {
    std::error_code error;  // what cannot be removed is in nobody's way
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (IsUnfinished(entry.path().filename())) std::filesystem::remove_all(entry.path(), error);
    }
  }
}

}  // namespace burnish::agent
