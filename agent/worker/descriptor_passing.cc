#include "agent/worker/descriptor_passing.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "common/base/check.h"

namespace burnish::worker {
namespace {

constexpr size_t kMaxDescriptors = 8;

// Aligned as its header wants it.
union Control {
  cmsghdr header;
  char space[CMSG_SPACE(kMaxDescriptors * sizeof(int))];
};

}  // namespace

absl::Status SendWithDescriptors(int socket, const void* message, size_t bytes,
                                 std::span<const int> descriptors) {
  CHECK(descriptors.size() <= kMaxDescriptors);
  iovec part{.iov_base = const_cast<void*>(message), .iov_len = bytes};
  Control control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control.space;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return absl::ErrnoToStatus(errno, "sendmsg");
  return absl::OkStatus();
}

absl::StatusOr<std::vector<UniqueFd>> ReceiveWithDescriptors(int socket, void* message,
                                                             size_t bytes) {
  iovec part{.iov_base = message, .iov_len = bytes};
  Control control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.space;
  header.msg_controllen = sizeof(control.space);
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  std::vector<UniqueFd> descriptors;
  for (cmsghdr* rights = got < 0 ? nullptr : CMSG_FIRSTHDR(&header); rights != nullptr;
       rights = CMSG_NXTHDR(&header, rights)) {
    if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(rights) + i * sizeof(int), sizeof(int));
      descriptors.emplace_back(fd);
    }
  }
  if (got < 0) return absl::ErrnoToStatus(errno, "recvmsg");
  if (static_cast<size_t>(got) != bytes) return absl::UnavailableError("the socket was closed");
  return descriptors;
}

}  // namespace burnish::worker
