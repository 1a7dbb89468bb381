// Where agents attach, and fetch what is too big for their stream. Thread-safe; the parts it is
// given outlive it.
#pragma once

#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "burnish/v1/agent_service.grpc.pb.h"
#include "server/rpc/admission.h"
#include "server/rpc/agent_stream.h"

namespace burnish::rpc {

class AgentService final : public pb::AgentService::CallbackService {
 public:
  AgentService(Admission& admission, AgentServiceParts parts);

  grpc::ServerBidiReactor<pb::AgentMessage, pb::ServerMessage>* Attach(
      grpc::CallbackServerContext* context) override;

  grpc::ServerUnaryReactor* Fetch(grpc::CallbackServerContext* context,
                                  const pb::FetchRequest* request, pb::FetchReply* reply) override;

  // Ends the streams of agents that were silent for longer than a lease; called now and then.
  void CloseSilentStreams();

 private:
  Admission& admission_;
  const AgentServiceParts parts_;
  absl::Mutex mutex_;
  std::vector<std::weak_ptr<AgentStream>> streams_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace burnish::rpc
