#include "server/rpc/agent_service.h"

#include <utility>

#include "server/rpc/admission.h"

namespace burnish::rpc {

AgentService::AgentService(const auth::Authorizer& authorizer, AgentServiceParts parts)
    : authorizer_(authorizer), parts_(std::move(parts)) {}

grpc::ServerBidiReactor<pb::AgentMessage, pb::ServerMessage>* AgentService::Attach(
    grpc::CallbackServerContext* context) {
  using Reactor = grpc::ServerBidiReactor<pb::AgentMessage, pb::ServerMessage>;
  return Admit<Reactor>(authorizer_, context, "/burnish.v1.AgentService/Attach", [&]() -> Reactor* {
    const auto stream = AgentStream::Start(parts_);
    absl::MutexLock lock(&mutex_);
    streams_.push_back(stream);
    return stream.get();
  });
}

void AgentService::CloseSilentStreams() {
  std::vector<std::shared_ptr<AgentStream>> open;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& stream : streams_) {
      if (auto locked = stream.lock()) open.push_back(std::move(locked));
    }
    streams_.assign(open.begin(), open.end());
  }
  for (const auto& stream : open) stream->CloseIfSilent();
}

}  // namespace burnish::rpc
