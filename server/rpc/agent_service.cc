#include "server/rpc/agent_service.h"

#include <utility>
namespace burnish::rpc {

AgentService::AgentService(Admission& admission, AgentServiceParts parts)
    : admission_(admission), parts_(std::move(parts)) {}

grpc::ServerBidiReactor<pb::AgentMessage, pb::ServerMessage>* AgentService::Attach(
    grpc::CallbackServerContext* context) {
  using Reactor = grpc::ServerBidiReactor<pb::AgentMessage, pb::ServerMessage>;
  using Stream = absl::StatusOr<std::shared_ptr<AgentStream>>;
  return AdmitStream<Reactor>(admission_, context, "/burnish.v1.AgentService/Attach", NoRequest(),
                              [&](const auth::Principal& principal) -> Stream {
                                const auto stream = AgentStream::Start(parts_, principal.Actor());
                                absl::MutexLock lock(&mutex_);
                                streams_.push_back(stream);
                                return stream;
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
