#include "client/cli/blob_upload.h"

#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::cli {

absl::StatusOr<bool> UploadBlob(const BlobCalls& calls, const std::string& owner,
                                const std::string& sha256, std::string_view content) {
  v1::StatRequest stat;
  stat.set_namespace_(owner);
  stat.set_sha256(sha256);
  ASSIGN_OR_RETURN(v1::BlobState state, calls.stat(stat));
  if (state.complete()) return false;
  v1::UploadRequest request;
  request.set_namespace_(owner);
  request.set_sha256(sha256);
  request.set_size_bytes(static_cast<int64_t>(content.size()));
  // Every chunk once, and once more for a server that lost what it had.
  size_t calls_left = 2 * (content.size() / limits::kBlobChunkBytes + 1);
  while (!state.complete()) {
    if (calls_left-- == 0) return absl::AbortedError("the server takes an upload no further");
    // With another size, what the server has is not of this content: from the start.
    const auto received = static_cast<size_t>(state.received_bytes());
    const size_t offset = received < content.size() ? received : 0;
    request.set_offset(static_cast<int64_t>(offset));
    request.set_data(std::string(content.substr(offset, limits::kBlobChunkBytes)));
    ASSIGN_OR_RETURN(state, calls.upload(request));
  }
  return true;
}

}  // namespace burnish::cli
