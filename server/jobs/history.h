// What a new task may know from before: measurements of the same kernel family by other tasks of
// the namespace, and imported ones, as sources in the task's own search space. Stored with the
// task, so that what is measured later changes nothing.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "common/space/search_space.h"
#include "server/store/store.h"

namespace burnish::jobs {

// Nearest first (Store::RecordSets); none with fewer than limits::kHistoryLeastRecords records in
// the space, or without a success.
absl::StatusOr<std::vector<store::HistorySource>> FindHistory(store::Store& store,
                                                              const Namespace& owner,
                                                              const store::NewTask& task,
                                                              const space::SearchSpace& space);

// The records by latency, failures last; of more than limits::kHistoryRecords the fastest, as half
// of that, and others evenly spaced among the rest.
std::vector<store::HistoryRecord> ReduceRecords(std::vector<store::HistoryRecord> records);

}  // namespace burnish::jobs
