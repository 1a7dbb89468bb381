#include "server/store/sqlite/database_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/numbers.h"

namespace burnish::store::sqlite {
namespace {

// A database reached by another name, through links, has the same lock.
std::string LockPath(const std::string& database_path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(database_path, error);
  return (error ? database_path : real.string()) + ".lock";
}

std::string OwnerPid(int fd) {
  char text[24] = {};
  const ssize_t length = ::pread(fd, text, sizeof(text) - 1, 0);
  const std::optional<int64_t> pid =
      ParseInteger(std::string_view(text, length > 0 ? static_cast<size_t>(length) : 0));
  return pid.has_value() ? absl::StrCat("pid ", *pid) : "pid unknown";
}

}  // namespace

// SQLite gives its journal files the mode of the database, so this settles all of them.
absl::Status MakeDatabaseFile(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("the database needs a file name");
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot open database ", path, ": ", std::strerror(errno)));
  }
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot open database ", path, ": not a regular file"));
  }
  return absl::OkStatus();
}

absl::StatusOr<UniqueFd> LockDatabase(const std::string& database_path) {
  const std::string path = LockPath(database_path);
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return absl::FailedPreconditionError(absl::StrCat("cannot open database ", database_path,
                                                      ": its lock file ", path, ": ",
                                                      std::strerror(errno)));
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return absl::UnavailableError(absl::StrCat("cannot lock ", path, ": ", std::strerror(errno)));
    }
    return absl::FailedPreconditionError(absl::StrCat("database ", database_path,
                                                      " is in use by another burnish-server (",
                                                      OwnerPid(fd.get()), ")"));
  }
  // For the message above alone: what holds the database is the lock.
  const std::string pid = absl::StrCat(::getpid());
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
  }
  return fd;
}

}  // namespace burnish::store::sqlite
