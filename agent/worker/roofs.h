// Answers a request to measure what a device can do at most.
#pragma once

#include "absl/status/statusor.h"
#include "burnish/v1/worker.pb.h"

namespace burnish::worker {

// Empty, with the reason, for a backend whose devices have no roofs. `cancel_fd` as in service.h.
absl::StatusOr<burnish::v1::Roofs> MeasureRoofs(const burnish::v1::MeasureRoofsRequest& request,
                                                int cancel_fd);

}  // namespace burnish::worker
