#include "common/wire/frame.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish::wire {
namespace {

constexpr size_t kHeaderBytes = 4;
constexpr int kNoDescriptor = -1;  // poll() skips it

absl::Status TooLarge(size_t bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat("a frame of ", bytes, " bytes; the limit is ", limits::kFrameBytes));
}

// A socket's send can suppress SIGPIPE for this one call; a pipe knows only write.
ssize_t WriteSome(int fd, std::string_view bytes) {
  const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  return ::write(fd, bytes.data(), bytes.size());
}

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = WriteSome(fd, bytes);
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd poll{.fd = fd, .events = POLLOUT, .revents = 0};
      PollUntil({&poll, 1}, absl::InfiniteDuration());
    } else if (errno != EINTR) {
      return absl::UnavailableError(absl::StrCat("the other side is gone: ", std::strerror(errno)));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadAll(int fd, int cancel_fd, absl::Duration deadline, std::span<char> bytes) {
  while (!bytes.empty()) {
    pollfd polls[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                      {.fd = cancel_fd, .events = POLLIN, .revents = 0}};
    if (!PollUntil(polls, deadline)) return absl::DeadlineExceededError("no answer in time");
    if (polls[1].revents != 0) return absl::CancelledError("reading was cancelled");
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    if (got == 0) return absl::UnavailableError("the other side is gone: end of file");
    if (got > 0) {
      bytes = bytes.subspan(static_cast<size_t>(got));
    } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
      return absl::UnavailableError(absl::StrCat("the other side is gone: ", std::strerror(errno)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteFrame(int fd, const google::protobuf::MessageLite& message) {
  const size_t size = message.ByteSizeLong();
  if (size > limits::kFrameBytes) return TooLarge(size);
  std::string frame;
  frame.reserve(kHeaderBytes + size);
  for (size_t i = 0; i < kHeaderBytes; ++i) frame.push_back(static_cast<char>(size >> (8 * i)));
  CHECK(message.AppendToString(&frame));
  return WriteAll(fd, frame);
}

absl::Status ReadFrame(int fd, absl::Duration timeout, google::protobuf::MessageLite& message) {
  return ReadFrame(fd, kNoDescriptor, timeout, message);
}

absl::Status ReadFrame(int fd, int cancel_fd, absl::Duration timeout,
                       google::protobuf::MessageLite& message) {
  const absl::Duration deadline = DeadlineAfter(timeout);
  std::array<char, kHeaderBytes> header;
  RETURN_IF_ERROR(ReadAll(fd, cancel_fd, deadline, header));
  uint32_t size = 0;
  for (size_t i = 0; i < kHeaderBytes; ++i) {
    size |= uint32_t{static_cast<unsigned char>(header[i])} << (8 * i);
  }
  if (size > limits::kFrameBytes) return TooLarge(size);
  std::string body(size, '\0');
  RETURN_IF_ERROR(ReadAll(fd, cancel_fd, deadline, body));
  if (!message.ParseFromString(body)) {
    return absl::InvalidArgumentError("a frame does not parse as the message expected");
  }
  return absl::OkStatus();
}

}  // namespace burnish::wire
