// The file of a database before SQLite opens it: private to its user, and owned by one process
// through an flock on `<path>.lock`, held for life and given up by the system whenever the process
// ends.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/unique_fd.h"

namespace burnish::store::sqlite {

// Makes the file, empty and of mode 0600, if it is not there. InvalidArgument for an empty name,
// FailedPrecondition for what cannot be opened or is no regular file.
absl::Status MakeDatabaseFile(const std::string& path);

// FailedPrecondition naming the owner's pid while another process, or another store of this one,
// holds it. The file stays behind: removing it would let two owners in.
absl::StatusOr<UniqueFd> LockDatabase(const std::string& database_path);

}  // namespace burnish::store::sqlite
