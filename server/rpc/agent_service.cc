#include "server/rpc/agent_service.h"

#include <utility>

#include "common/base/hash.h"
#include "common/base/status_macros.h"

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

grpc::ServerUnaryReactor* AgentService::Fetch(grpc::CallbackServerContext* context,
                                              const pb::FetchRequest* request,
                                              pb::FetchReply* reply) {
  return AdmitUnary(
      admission_, context, "/burnish.v1.AgentService/Fetch", *request, [&]() -> absl::Status {
        if (!IsSha256Hex(request->sha256()) || request->offset() < 0) {
          return absl::InvalidArgumentError(
              "sha256: not 64 hexadecimal digits, or offset: negative");
        }
        ASSIGN_OR_RETURN(
            store::BlobChunk chunk,
            parts_.store.FetchBlobChunk(BlobHash(request->sha256()), request->offset()));
        reply->set_size_bytes(chunk.size_bytes);
        reply->set_data(std::move(chunk.data));
        parts_.metrics.blob_bytes_sent.Add(static_cast<double>(reply->data().size()));
        return absl::OkStatus();
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
