// When the control kernel is measured on a device, and what came of it. It is due
// - once when the agent starts,
// - after so many attempts of the device,
// - at once after an attempt that crashed or failed for no fault of the candidate,
// - when the server asks;
// what falls due while it is being measured is answered by that measurement.
//
// Thread-safe, and calls nobody but the wake-up and, from RunDue(), what measures: it may be told
// of attempts from within the executor.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agent/session/wakeup.h"
#include "common/base/ids.h"
#include "common/telemetry/metrics.h"
#include "common/work/device.h"
#include "common/work/measurement.h"
#include "common/work/work_item.h"

namespace burnish::agent {

struct ControlOptions {
  int interval = 20;                               // attempts; 0: not for their number
  telemetry::Family<telemetry::Counter> canaries;  // by outcome
};

// The result of one measurement of the control kernel.
struct Canary {
  DeviceId device;
  work::Measurement measurement;
};

class ControlWatch {
 public:
  using Done = std::function<void(work::Measurement)>;
  using Measure = std::function<void(const DeviceId& device, Done done)>;

  // Watches those devices that are available and whose backend has a control kernel. The wake-up is
  // notified of every result and outlives this, as this outlives what `measure` starts.
  ControlWatch(const AgentId& agent, const std::vector<work::DeviceInfo>& devices, Wakeup& wakeup,
               const ControlOptions& options = {});

  // Starts what is due.
  void RunDue(const Measure& measure);
  // The server asks. Another device than those watched is ignored.
  void Request(const DeviceId& device);
  // An attempt ended: counts it, and notes the control kernel's time in its measurement.
  void Note(const DeviceId& device, work::Report& report);

  // A new stream: the newest result of each device is unsent again.
  void Rewind();
  // The newest results not sent on this stream yet, now taken as sent.
  std::vector<Canary> TakeUnsent();

 private:
  struct Device {
    bool due = true;
    bool running = false;
    int attempts = 0;            // since it fell due last
    double control_seconds = 0;  // the newest that was ok
    work::Measurement newest;
    bool unsent = false;
    bool measured = false;
  };

  void Measured(const DeviceId& id, work::Measurement measurement);

  const ControlOptions options_;
  Wakeup& wakeup_;
  absl::Mutex mutex_;
  std::map<DeviceId, Device> devices_ ABSL_GUARDED_BY(mutex_);  // those watched
};

}  // namespace burnish::agent
