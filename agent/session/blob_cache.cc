#include "agent/session/blob_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace burnish::agent {
namespace {

namespace fs = std::filesystem;

struct CachedFile {
  fs::file_time_type used;
  size_t bytes = 0;
  fs::path path;
};

std::vector<CachedFile> LeastRecentlyUsedFirst(const std::string& folder) {
  std::vector<CachedFile> files;
  std::error_code error;  // what cannot be looked at counts for nothing
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const CachedFile file{entry.last_write_time(error), entry.file_size(error), entry.path()};
    if (!error) files.push_back(file);
  }
  std::ranges::sort(files, {}, &CachedFile::used);
  return files;
}

}  // namespace

std::optional<std::string> BlobCache::Find(const BlobHash& blob) {
  absl::StatusOr<std::string> content = ReadChecked(PathOf(blob), blob);
  if (!content.ok()) return std::nullopt;
  ::utimensat(AT_FDCWD, PathOf(blob).c_str(), nullptr, 0);  // used now
  return *std::move(content);
}

absl::StatusOr<std::string> BlobCache::ReadChecked(const std::string& path,
                                                   const BlobHash& blob) const {
  absl::StatusOr<std::string> content = ReadFile(path, limits::kBlobBytes);
  if (content.ok() && Sha256Hex(*content) == blob.value()) return content;
  if (!absl::IsNotFound(content.status())) ::unlink(path.c_str());
  RETURN_IF_ERROR(content.status());
  return absl::DataLossError(
      absl::StrCat("what was received is not the content with SHA-256 ", blob.value()));
}

int64_t BlobCache::ReceivedBytes(const BlobHash& blob) const {
  struct stat info;
  return ::stat(PartOf(blob).c_str(), &info) == 0 ? info.st_size : 0;
}

absl::Status BlobCache::Append(const BlobHash& blob, std::string_view data) {
  const std::string path = PartOf(blob);
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot write"));
  return WriteAll(fd.get(), path, data);
}

absl::StatusOr<std::string> BlobCache::Complete(const BlobHash& blob) {
  ASSIGN_OR_RETURN(std::string content, ReadChecked(PartOf(blob), blob));
  if (::rename(PartOf(blob).c_str(), PathOf(blob).c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat(PathOf(blob), ": cannot write"));
  }
  MakeRoom(PathOf(blob));
  return content;
}

void BlobCache::MakeRoom(const std::string& kept_path) const {
  const std::vector<CachedFile> files = LeastRecentlyUsedFirst(folder_);
  size_t bytes = 0;
  for (const CachedFile& file : files) bytes += file.bytes;
  for (const CachedFile& file : files) {
    if (bytes <= max_bytes_) return;
    if (file.path == kept_path || ::unlink(file.path.c_str()) != 0) continue;
    bytes -= file.bytes;
  }
}

}  // namespace burnish::agent
