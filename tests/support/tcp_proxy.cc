#include "tests/support/tcp_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/clock.h"

namespace burnish::tests {
namespace {

constexpr int kPollMs = 20;
constexpr size_t kBufferBytes = 1 << 16;

sockaddr_in Loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

bool MayTryAgain() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

TcpProxy::TcpProxy(int target_port)
    : target_port_(target_port),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  CHECK(::bind(listener_.get(), generic, size) == 0);
  CHECK(::listen(listener_.get(), SOMAXCONN) == 0);
  CHECK(::getsockname(listener_.get(), generic, &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Run(); });
}

TcpProxy::~TcpProxy() {
  stopping_ = true;
  thread_.join();
}

std::string TcpProxy::address() const { return absl::StrCat("127.0.0.1:", port_); }

void TcpProxy::Run() {
  while (!stopping_) {
    if (frozen_) {
      SleepThread(absl::Milliseconds(kPollMs));
      continue;
    }
    std::vector<pollfd> polled = {{listener_.get(), POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      for (int end = 0; end < 2; ++end) {
        // Reads on only when what it read before has gone.
        const int events = (pair.waiting[end].empty() ? POLLIN : 0) |
                           (pair.waiting[1 - end].empty() ? 0 : POLLOUT);
        polled.push_back({pair.ends[end].get(), static_cast<short>(events), 0});
      }
    }
    ::poll(polled.data(), polled.size(), kPollMs);
    if (frozen_) continue;
    for (Pair& pair : pairs_) {
      Forward(pair, 0);
      Forward(pair, 1);
    }
    std::erase_if(pairs_, [](const Pair& pair) { return pair.broken; });
    Accept();
  }
}

void TcpProxy::Accept() {
  UniqueFd accepted(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted.valid()) return;
  UniqueFd target(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(target_port_);
  // Nobody there: the accepted connection is closed.
  if (::connect(target.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return;
  }
  pairs_.push_back({.ends = {std::move(accepted), std::move(target)}});
}

void TcpProxy::Forward(Pair& pair, int from) {
  std::string& waiting = pair.waiting[from];
  if (waiting.empty()) {
    waiting.resize(kBufferBytes);
    const ssize_t got = ::recv(pair.ends[from].get(), waiting.data(), waiting.size(), MSG_DONTWAIT);
    waiting.resize(static_cast<size_t>(got > 0 ? got : 0));
    if (got == 0 || (got < 0 && !MayTryAgain())) pair.broken = true;
  }
  if (waiting.empty()) return;
  const ssize_t sent = ::send(pair.ends[1 - from].get(), waiting.data(), waiting.size(),
                              MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) waiting.erase(0, static_cast<size_t>(sent));
  if (from == 0 && sent > 0 && left_until_cut_ > 0 && (left_until_cut_ -= sent) <= 0) {
    left_until_cut_ = 0;
    ++cuts_;
    pair.broken = true;
  }
  if (sent < 0 && !MayTryAgain()) pair.broken = true;
}

}  // namespace burnish::tests
