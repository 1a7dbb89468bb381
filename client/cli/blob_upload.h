// Brings big content to the server before a request names it by its hash. Pure but for the calls.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "burnish/v1/blob_service.pb.h"

namespace burnish::cli {

// Each goes on trying while the server cannot be reached.
struct BlobCalls {
  std::function<absl::StatusOr<v1::BlobState>(const v1::StatRequest&)> stat;
  std::function<absl::StatusOr<v1::BlobState>(const v1::UploadRequest&)> upload;
};

// Sends what the server does not have of it; false if it had all.
absl::StatusOr<bool> UploadBlob(const BlobCalls& calls, const std::string& owner,
                                const std::string& sha256, std::string_view content);

}  // namespace burnish::cli
