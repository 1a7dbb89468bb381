// A TCP proxy on a free port of this machine that can stop forwarding without closing anything, as
// a network does that loses every packet, or cut its connections. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "common/base/unique_fd.h"

namespace burnish::tests {

class TcpProxy {
 public:
  // To a port of 127.0.0.1.
  explicit TcpProxy(int target_port);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;

  std::string address() const;  // host:port
  // Connections stay open and new ones are not taken; what is sent waits until Heal().
  void Freeze() { frozen_ = true; }
  void Heal() { frozen_ = false; }
  // Cuts the connection that carries that many more bytes to the target (of all connections
  // together), once.
  void CutAfter(int64_t bytes) { left_until_cut_ = bytes; }
  int cuts() const { return cuts_; }

 private:
  struct Pair {
    UniqueFd ends[2];
    // Read from the end of the same index, not yet written to the other one.
    std::string waiting[2];
    bool broken = false;
  };

  void Run();
  void Accept();
  void Forward(Pair& pair, int from);

  const int target_port_;
  UniqueFd listener_;
  int port_ = 0;
  std::atomic<bool> frozen_ = false;
  std::atomic<int64_t> left_until_cut_ = 0;  // 0: none
  std::atomic<int> cuts_ = 0;
  std::atomic<bool> stopping_ = false;
  std::vector<Pair> pairs_;  // of the thread
  std::thread thread_;       // last: it uses all of the above
};

}  // namespace burnish::tests
