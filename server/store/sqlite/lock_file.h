// Exclusive ownership of a database: an flock on `<path>.lock`, held for life and given up by the
// system whenever the process ends.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "common/base/unique_fd.h"

namespace burnish::store::sqlite {

// FailedPrecondition naming the owner's pid while another process, or another store of this one,
// holds it. The file stays behind: removing it would let two owners in.
absl::StatusOr<UniqueFd> LockDatabase(const std::string& database_path);

}  // namespace burnish::store::sqlite
