// Simulated agents: many clients of the agent protocol in one process, over a few channels. Each
// has one device, of a class of its own, and reports an ok measurement of ten samples for every
// assignment. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "burnish/v1/agent_service.grpc.pb.h"

namespace burnish::bench {

struct FleetOptions {
  std::string address;
  int agents = 1;
  int prefetch = 4;
  absl::Duration trial_time;  // of one trial on the device; one after the other
  int channels = 4;
};

// The device class of the agent with this number; a job of the bench asks for one class.
std::string DeviceClassOf(int agent);

class SimulatedAgent;

// What all agents of a fleet share.
struct FleetTotals {
  std::atomic<int64_t> welcomed = 0;
  std::atomic<int64_t> stored = 0;
  std::atomic<int64_t> heartbeats = 0;  // answered
  std::atomic<int64_t> lost = 0;        // streams that ended before the fleet did
  absl::Mutex mutex;
  // From an acknowledgement, which frees a slot, to the next assignment.
  std::vector<absl::Duration> refills ABSL_GUARDED_BY(mutex);
};

// Calls due later, on one thread.
class Timer {
 public:
  Timer() : thread_([this] { Run(); }) {}
  ~Timer();
  void After(absl::Duration delay, std::function<void()> call);

 private:
  void Run();

  absl::Mutex mutex_;
  std::multimap<absl::Duration, std::function<void()>> calls_ ABSL_GUARDED_BY(mutex_);
  bool sooner_ ABSL_GUARDED_BY(mutex_) = false;  // the first call changed
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

class Fleet {
 public:
  // Attaches all agents and waits for their welcomes; fails a CHECK after a minute.
  explicit Fleet(const FleetOptions& options);
  ~Fleet();  // says goodbye
  Fleet(const Fleet&) = delete;

  int64_t stored() const { return totals_.stored; }
  int64_t heartbeats() const { return totals_.heartbeats; }
  int64_t lost() const { return totals_.lost; }
  std::vector<absl::Duration> TakeRefills();

 private:
  const FleetOptions options_;
  FleetTotals totals_;
  std::vector<std::unique_ptr<v1::AgentService::Stub>> stubs_;
  std::vector<std::unique_ptr<SimulatedAgent>> agents_;
  Timer timer_;  // last: its calls use the agents
};

}  // namespace burnish::bench
