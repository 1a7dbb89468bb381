// Content that the server sent by its hash, kept over restarts in the agent's state folder, so that
// it is sent once: a file for each, and what came so far of one that is not whole. Beyond
// `max_bytes` the file that was used longest ago goes first. Nothing is synced: a file is believed
// only if its hash is right. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/base/limits.h"

namespace burnish::agent {

class BlobCache {
 public:
  // The folder exists.
  explicit BlobCache(std::string folder, size_t max_bytes = limits::kBlobCacheBytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  // Nothing if it is not here; a damaged file is removed.
  std::optional<std::string> Find(const BlobHash& blob);

  // How much of it has come.
  int64_t ReceivedBytes(const BlobHash& blob) const;
  absl::Status Append(const BlobHash& blob, std::string_view data);
  // All of it has come: the content. DataLoss if its hash is wrong; it then starts anew.
  absl::StatusOr<std::string> Complete(const BlobHash& blob);

 private:
  std::string PathOf(const BlobHash& blob) const { return folder_ + "/" + blob.value(); }
  std::string PartOf(const BlobHash& blob) const { return PathOf(blob) + ".part"; }
  // The content of a file; removes the file if it is not what it should be.
  absl::StatusOr<std::string> ReadChecked(const std::string& path, const BlobHash& blob) const;
  void MakeRoom(const std::string& kept_path) const;

  const std::string folder_;
  const size_t max_bytes_;
};

}  // namespace burnish::agent
