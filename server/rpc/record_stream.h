// Streams the stored results of a job, a page of the store at a time, and ends.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "burnish/v1/job_service.pb.h"
#include "server/rpc/queued_stream.h"
#include "server/store/store.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

class RecordStream final
    : public QueuedStream<grpc::ServerWriteReactor<burnish::v1::Record>, burnish::v1::Record> {
 public:
  // kind: "measure" or "compare".
  RecordStream(store::Store& store, const store::JobWithTasks& job,
               const std::vector<store::DeviceRow>& devices, std::string kind);
  void Start() { OnDrained(); }

 private:
  void OnDrained() override;
  pb::Record RecordOf(const store::ResultRow& row) const;

  store::Store& store_;
  const Namespace owner_;
  const JobId job_;
  const std::string kind_;
  std::map<TaskId, work::KernelWork> work_;
  std::map<DeviceId, work::Roofs> roofs_;
  int64_t after_ = 0;  // sequence of the last result sent
};

}  // namespace burnish::rpc
