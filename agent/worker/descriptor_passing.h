// Messages with open descriptors in them, over a Unix socket that keeps messages apart.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/unique_fd.h"

namespace burnish::worker {

absl::Status SendWithDescriptors(int socket, const void* message, size_t bytes,
                                 std::span<const int> descriptors);

// Waits for a message of exactly so many bytes; its descriptors. Unavailable when the other side
// has closed the socket.
absl::StatusOr<std::vector<UniqueFd>> ReceiveWithDescriptors(int socket, void* message,
                                                             size_t bytes);

}  // namespace burnish::worker
