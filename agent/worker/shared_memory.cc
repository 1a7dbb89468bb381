#include "agent/worker/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace burnish::worker {

absl::StatusOr<SharedMemory> SharedMemory::Create(size_t bytes) {
  UniqueFd fd(::memfd_create("burnish-buffers", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid() || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make shared memory");
  }
  // A file that a kernel cut shorter would kill the worker when it looks at its buffers.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return absl::ErrnoToStatus(errno, "cannot seal shared memory");
  }
  return Open(std::move(fd), bytes);
}

absl::StatusOr<SharedMemory> SharedMemory::Open(UniqueFd fd, size_t bytes) {
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (start == MAP_FAILED) return absl::ErrnoToStatus(errno, "cannot map shared memory");
  return SharedMemory(std::move(fd), {static_cast<std::byte*>(start), bytes});
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)), bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

absl::StatusOr<UniqueFd> SealedCopy(const std::string& path) {
  const UniqueFd original(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!original.valid() || ::fstat(original.get(), &status) != 0) {
    return absl::NotFoundError(absl::StrCat("the artefact ", path, " is gone"));
  }
  UniqueFd copy(::memfd_create("burnish-artefact", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  off_t offset = 0;
  while (copy.valid() && offset < status.st_size) {
    if (::sendfile(copy.get(), original.get(), &offset, status.st_size - offset) <= 0) break;
  }
  if (!copy.valid() || offset != status.st_size ||
      ::fcntl(copy.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot copy ", path));
  }
  return copy;
}

}  // namespace burnish::worker
