// Streams the stored results of a job, a page of the store at a time, and ends.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "burnish/v1/job_service.pb.h"
#include "server/rpc/queued_stream.h"
#include "server/store/store.h"

namespace burnish::rpc {

class RecordStream final
    : public QueuedStream<grpc::ServerWriteReactor<burnish::v1::Record>, burnish::v1::Record> {
 public:
  // kind: "measure" or "compare".
  RecordStream(store::Store& store, Namespace owner, JobId job, std::string kind)
      : store_(store), owner_(std::move(owner)), job_(job), kind_(std::move(kind)) {}
  void Start() { OnDrained(); }

 private:
  void OnDrained() override;

  store::Store& store_;
  const Namespace owner_;
  const JobId job_;
  const std::string kind_;
  int64_t after_ = 0;  // sequence of the last result sent
};

}  // namespace burnish::rpc
