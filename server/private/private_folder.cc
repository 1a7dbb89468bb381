#include "server/private/private_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace burnish::server {
namespace {

absl::Status Refuse(std::string message, std::string hint) {
  return DiagnosticStatus(absl::StatusCode::kFailedPrecondition,
                          {.message = std::move(message), .hint = std::move(hint)});
}

std::string AnnouncementPath(const std::string& folder) { return folder + "/server.json"; }

absl::Status CheckMineAlone(const std::string& folder) {
  struct stat found;
  if (::lstat(folder.c_str(), &found) != 0) {
    return Refuse(absl::StrCat(folder, ": ", std::strerror(errno)), "");
  }
  const std::string hint = "remove it, or set XDG_RUNTIME_DIR to a folder of your own";
  if (!S_ISDIR(found.st_mode)) return Refuse(folder + " is not a folder", hint);
  if (found.st_uid != ::geteuid()) {
    return Refuse(folder + " belongs to another user: it cannot hold a private socket", hint);
  }
  if ((found.st_mode & 077) != 0) {
    return Refuse(folder + " is open to other users: it cannot hold a private socket",
                  absl::StrCat("chmod 700 ", folder));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PrivateDataFolder> PrivateDataFolder::Own(const std::string& path) {
  RETURN_IF_ERROR(MakeFolders(path));
  const std::string lock_path = path + "/lock";
  UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) {
    return Refuse(absl::StrCat("cannot write ", lock_path, ": ", std::strerror(errno)), "");
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return absl::AlreadyExistsError(absl::StrCat("another server owns ", path));
  }
  return PrivateDataFolder(path, std::move(lock));
}

PrivateDataFolder::PrivateDataFolder(std::string path, UniqueFd lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

PrivateDataFolder::~PrivateDataFolder() {
  if (lock_.valid()) ::unlink(AnnouncementPath(path_).c_str());
}

absl::Status PrivateDataFolder::Announce(const std::string& address) {
  const nlohmann::json announcement = {{"pid", ::getpid()}, {"address", address}};
  return WriteFileAtomically(AnnouncementPath(path_), announcement.dump() + "\n",
                             /*durable=*/false);
}

absl::StatusOr<PrivateSocketFolder> PrivateSocketFolder::Prepare(const std::string& socket_path) {
  const std::string folder = std::filesystem::path(socket_path).parent_path().string();
  // Of an existing folder nothing is changed: it is checked, so that nobody else could have made
  // it.
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Refuse(absl::StrCat("cannot make ", folder, ": ", std::strerror(errno)),
                  "set XDG_RUNTIME_DIR to a folder that you may write");
  }
  RETURN_IF_ERROR(CheckMineAlone(folder));
  if (::unlink(socket_path.c_str()) != 0 && errno != ENOENT) {
    return Refuse(absl::StrCat("cannot replace ", socket_path, ": ", std::strerror(errno)), "");
  }
  return PrivateSocketFolder(socket_path);
}

PrivateSocketFolder::PrivateSocketFolder(PrivateSocketFolder&& other) noexcept
    : socket_path_(std::exchange(other.socket_path_, "")) {}

PrivateSocketFolder::~PrivateSocketFolder() {
  if (socket_path_.empty()) return;
  ::unlink(socket_path_.c_str());
  ::rmdir(std::filesystem::path(socket_path_).parent_path().c_str());
}

}  // namespace burnish::server
