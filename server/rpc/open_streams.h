// The calls that last, each with who made it: they end when their caller would not be let in any
// more. Thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/auth/authorizer.h"

namespace burnish::rpc {

// A server's end of a stream, as far as its end is concerned.
class OpenStream {
 public:
  virtual ~OpenStream() = default;
  virtual bool ended() const = 0;
  // Its caller may not go on: nothing more of the caller's counts.
  virtual void Expel(const absl::Status& reason) = 0;
};

class OpenStreams {
 public:
  void Add(const std::shared_ptr<OpenStream>& stream, auth::Principal principal);
  // Called every now and then.
  void Check(auth::Authorizer& authorizer);

 private:
  struct Entry {
    std::weak_ptr<OpenStream> stream;
    auth::Principal principal;
  };
  absl::Mutex mutex_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::rpc
