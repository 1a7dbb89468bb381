// Memory that a run worker and its runner both see: an anonymous file, mapped in both. Movable;
// unmapped when destroyed.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "common/base/unique_fd.h"

namespace burnish::worker {

class SharedMemory {
 public:
  static absl::StatusOr<SharedMemory> Create(size_t bytes);
  // Maps what another process made.
  static absl::StatusOr<SharedMemory> Open(UniqueFd fd, size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  ~SharedMemory();

  int fd() const { return fd_.get(); }
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  SharedMemory(UniqueFd fd, std::span<std::byte> bytes) : fd_(std::move(fd)), bytes_(bytes) {}
  UniqueFd fd_;
  std::span<std::byte> bytes_;
};

// A file's content in an anonymous file that nobody can change: who gets it may read and execute
// it, but does not reach the original by it. NotFound if it is gone.
absl::StatusOr<UniqueFd> SealedCopy(const std::string& path);

}  // namespace burnish::worker
