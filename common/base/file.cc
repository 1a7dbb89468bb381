#include "common/base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace burnish {
namespace {

// The current errno as a status: `PATH: cannot read: No such file or directory`.
absl::Status FileError(const std::string& path, const char* what) {
  return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot ", what));
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status SyncFolder(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) return FileError(path, "sync");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return FileError(path, "read");
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return FileError(path, "read");
  if (S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": is a folder, not a file"));
  }
  std::string content;
  constexpr size_t kChunkBytes = 1 << 16;
  while (true) {
    const size_t size = content.size();
    content.resize(size + kChunkBytes);
    const ssize_t got = ::read(fd.get(), content.data() + size, kChunkBytes);
    content.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path, "read");
    if (content.size() > max_bytes) {
      return absl::FailedPreconditionError(
          absl::StrCat(path, ": is too large: more than ", max_bytes, " bytes"));
    }
    if (got == 0) return content;
  }
}

absl::Status WriteAll(int fd, const std::string& path, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(path, "write");
    content.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status WriteFileAtomically(const std::string& path, std::string_view content, bool durable) {
  std::string temporary = path + ".tmpXXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return FileError(path, "write");
  absl::Cleanup remove_temporary = [&temporary] { ::unlink(temporary.c_str()); };
  RETURN_IF_ERROR(WriteAll(fd.get(), path, content));
  if (durable && ::fsync(fd.get()) != 0) return FileError(path, "sync");
  if (::close(fd.Release()) != 0) return FileError(path, "write");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return FileError(path, "write");
  std::move(remove_temporary).Cancel();
  return durable ? SyncFolder(FolderOf(path)) : absl::OkStatus();
}

absl::Status MakeFolders(const std::string& path) {
  for (size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    if (::mkdir(prefix.c_str(), 0700) != 0 && !IsFolder(prefix)) {
      return FileError(prefix, "make the folder");
    }
    if (end == std::string::npos) return absl::OkStatus();
  }
}

}  // namespace burnish
