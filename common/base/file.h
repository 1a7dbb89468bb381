// Access to files with errors that name the path. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace burnish {

// NotFound, FailedPrecondition (a folder, too large) or PermissionDenied.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);
// Writes beside and renames, so that a reader sees the old or the new content; synced if `durable`.
// The file gets mode 0600.
absl::Status WriteFileAtomically(const std::string& path, std::string_view content, bool durable);
// All of it, to a blocking descriptor; `path` is for the error.
absl::Status WriteAll(int fd, const std::string& path, std::string_view content);
// Like `mkdir -p`, mode 0700 for what it makes.
absl::Status MakeFolders(const std::string& path);

}  // namespace burnish
