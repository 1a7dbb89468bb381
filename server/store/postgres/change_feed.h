// Tells the servers of one PostgreSQL database from each other that something changed, by NOTIFY,
// so that they need not wait for their next look. A hint only: what gets lost costs the time
// between two looks. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "server/store/postgres/connection.h"

namespace burnish::store::postgres {

class ChangeFeed {
 public:
  // `changed` is called on the feed's thread after another server has announced something.
  ChangeFeed(Address address, std::function<void()> changed);
  ~ChangeFeed();
  ChangeFeed(const ChangeFeed&) = delete;

  // Something changed here: the others hear of it within 50 ms. Never blocks.
  void Announce() { announced_ = true; }

 private:
  void Run();
  // Until the connection breaks or the feed stops.
  absl::Status Listen();

  const Address address_;
  const std::function<void()> changed_;
  std::atomic<bool> announced_ = false;
  absl::Notification stopping_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace burnish::store::postgres
