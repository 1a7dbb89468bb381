// What the agent's devices can do at most: known from before, measured now, or not at all.
//
// Attaching does not wait for it. The hello has what is known; the rest is measured once after the
// agent's start, by the device's run worker as the first thing that it does, and sent on the stream
// when it is there. So a job's first attempts wait for at most that one measurement, and only on a
// host that has not measured before, while nothing is ever measured beside them.
//
// Thread-safe, and calls nobody but the wake-up and, from RunDue(), what measures.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "agent/session/roofs_cache.h"
#include "agent/session/wakeup.h"
#include "common/base/ids.h"
#include "common/work/device.h"

namespace burnish::agent {

struct RoofsOptions {
  bool measures = true;   // false: there will be none
  bool remembers = true;  // what was measured before, and is not measured again
};

struct DeviceRoofs {
  DeviceId device;
  work::Roofs roofs;
};

class RoofsWatch {
 public:
  using Done = std::function<void(absl::StatusOr<work::Roofs>)>;
  using Measure = std::function<void(const DeviceId& device, Done done)>;

  // The wake-up is notified of every result and outlives this, as this outlives what `measure`
  // starts.
  RoofsWatch(const AgentId& agent, const std::vector<work::DeviceInfo>& devices, RoofsCache cache,
             Wakeup& wakeup, const RoofsOptions& options = {});

  // Starts what is due.
  void RunDue(const Measure& measure);
  // Of a device of the agent, as far as known; with the reason if not.
  work::Roofs Of(const DeviceId& device) const;

  // A hello is made, which has all that is known now: only what comes later is sent.
  void Rewind();
  // What was measured since, now taken as sent.
  std::vector<DeviceRoofs> TakeUnsent();

 private:
  struct Device {
    work::DeviceInfo info;
    work::Roofs roofs;
    bool due = false;
    bool unsent = false;
  };

  void Measured(const DeviceId& id, absl::StatusOr<work::Roofs> roofs);

  const RoofsCache cache_;
  Wakeup& wakeup_;
  mutable absl::Mutex mutex_;
  std::map<DeviceId, Device> devices_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::agent
