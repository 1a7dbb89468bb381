// Channels from clients and agents to a server. Channels are thread-safe.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/address.h"
#include "common/net/transport.h"
#include "grpcpp/channel.h"

namespace burnish::net {

// A channel that reconnects by itself (every 100 ms at first, every 2 s at last). Does not wait
// for the server. InvalidArgument for files that are none, or that contradict `insecure`.
absl::StatusOr<std::shared_ptr<grpc::Channel>> DialServer(const ServerAddress& address,
                                                          const DialOptions& options);

// Bytes of a call's status that cross the wire at most, on both sides: a Diagnostic with its
// excerpt is larger than gRPC's default allows.
inline constexpr int kMetadataBytes = 64 << 10;
// How often an idle connection is probed, on both sides.
inline constexpr int kKeepaliveMs = 10'000;
inline constexpr int kKeepaliveTimeoutMs = 5'000;

}  // namespace burnish::net
