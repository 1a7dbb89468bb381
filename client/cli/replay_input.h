// What `burnish replay` works on: fully measured spaces, and what other devices say of the same
// kernels. Thread-safe.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/measured/table.h"
#include "server/search/tournament.h"

namespace burnish::cli {

using TablePtr = std::shared_ptr<const measured::Table>;

struct ReplayInput {
  std::vector<TablePtr> tables;  // of `spaces`
  std::vector<search::TournamentSpace> spaces;
  std::vector<std::string> warnings;
};

// The spaces with the history that each one has in `histories`. The same measurements are no
// history of themselves: left out with a warning. InvalidArgument if a space then has none although
// there are histories, or if one of them belongs to no space, with the reason.
absl::StatusOr<ReplayInput> MakeReplayInput(std::vector<TablePtr> spaces,
                                            const std::vector<TablePtr>& histories);

// From files; each is read once. Cancelled once `stop` is requested.
absl::StatusOr<ReplayInput> ReadReplayInput(const std::vector<std::string>& records,
                                            const std::vector<std::string>& histories,
                                            const std::stop_token& stop);

}  // namespace burnish::cli
