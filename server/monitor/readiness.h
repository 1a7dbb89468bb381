// Whether this server should be given work, and if not, why: /readyz and gRPC health ask it.
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace burnish::server {

// Stands at `starting` until main has set the server up and takes that condition away.
class Readiness {
 public:
  // A condition that stands in the way, by name; an empty reason: no longer.
  void Set(std::string_view condition, std::string_view reason);
  // One line per condition that stands in the way, `NAME: REASON`; empty when ready.
  std::string Reasons() const;
  // `told` is called now and at every change, in order; it must not call back.
  void Tell(std::function<void(bool ready)> told);

 private:
  mutable absl::Mutex mutex_;
  std::map<std::string, std::string, std::less<>> reasons_ ABSL_GUARDED_BY(mutex_) = {
      {"starting", "not listening yet"}};
  std::function<void(bool ready)> told_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::server
