// Framed protobuf messages over a pipe or socket: 4 bytes of little-endian length, then the
// message. Spoken between agent and worker, and between worker and runner. Blocking and
// non-blocking descriptors both work. On pipes the process must ignore SIGPIPE. After an error a
// stream may stand in the middle of a frame: close it. Thread-safe for different descriptors, and
// for one reader and one writer of the same.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "google/protobuf/message_lite.h"

namespace burnish::wire {

// Blocks until written. Unavailable if the other side is gone.
absl::Status WriteFrame(int fd, const google::protobuf::MessageLite& message);

// Blocks until a whole frame is there. Unavailable at end of file, DeadlineExceeded after
// `timeout`, InvalidArgument for a frame over limits::kFrameBytes or one that does not parse.
absl::Status ReadFrame(int fd, absl::Duration timeout, google::protobuf::MessageLite& message);

// As ReadFrame, but gives Cancelled as soon as `cancel_fd` becomes readable or is hung up.
absl::Status ReadFrame(int fd, int cancel_fd, absl::Duration timeout,
                       google::protobuf::MessageLite& message);

}  // namespace burnish::wire
