#include "server/rpc/blob_service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "server/rpc/namespace_of.h"

namespace burnish::rpc {
namespace {

constexpr auto kChunk = static_cast<int64_t>(limits::kBlobChunkBytes);
constexpr auto kLargest = static_cast<int64_t>(limits::kBlobBytes);

absl::StatusOr<BlobHash> HashOf(const std::string& sha256) {
  if (IsSha256Hex(sha256)) return BlobHash(sha256);
  return InvalidInput(absl::StrCat("sha256: '", sha256.substr(0, limits::kNameBytes), "' is none"),
                      "64 hexadecimal digits, small letters");
}

// Every chunk is full but the last, so that a blob has few rows and every offset its place.
absl::Status CheckPlace(const pb::UploadRequest& request) {
  const int64_t size = request.size_bytes();
  if (size > kLargest) {
    return InvalidInput(absl::StrCat("size_bytes: ", size, "; a blob may have ", kLargest),
                        "make the file smaller, or several files of it");
  }
  const int64_t offset = request.offset();
  if (size < 1 || offset < 0 || offset >= size || offset % kChunk != 0) {
    return InvalidInput(absl::StrCat("offset: no chunk of ", size, " bytes starts at ", offset),
                        absl::StrCat("a multiple of ", kChunk, " below size_bytes"));
  }
  const int64_t expected = std::min(kChunk, size - offset);
  if (static_cast<int64_t>(request.data().size()) == expected) return absl::OkStatus();
  return InvalidInput(absl::StrCat("data: ", request.data().size(), " bytes"),
                      absl::StrCat("the chunk at ", offset, " has ", expected, " bytes"));
}

void Fill(const store::BlobState& state, pb::BlobState& reply) {
  reply.set_received_bytes(state.received_bytes);
  reply.set_complete(state.complete);
}

}  // namespace

BlobService::BlobService(store::Store& store, Admission& admission, server::ServerMetrics metrics)
    : store_(store), admission_(admission), metrics_(std::move(metrics)) {}

grpc::ServerUnaryReactor* BlobService::Stat(grpc::CallbackServerContext* context,
                                            const pb::StatRequest* request, pb::BlobState* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.BlobService/Stat", *request,
                    [&] { return Find(*request, *reply); });
}

absl::Status BlobService::Find(const pb::StatRequest& request, pb::BlobState& reply) {
  ASSIGN_OR_RETURN(const Namespace owner, NamespaceOf(request.namespace_()));
  ASSIGN_OR_RETURN(const BlobHash blob, HashOf(request.sha256()));
  ASSIGN_OR_RETURN(const store::BlobState state, store_.StatBlob(owner, blob));
  Fill(state, reply);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* BlobService::Upload(grpc::CallbackServerContext* context,
                                              const pb::UploadRequest* request,
                                              pb::BlobState* reply) {
  return Admit(admission_, context, "/burnish.v1.BlobService/Upload", *request, [&] {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    // The last chunk takes long: all of the content is read again for its hash.
    uploads_.Add(reactor, [this, request, reply] { return Append(*request, *reply); });
    return reactor;
  });
}

absl::Status BlobService::Append(const pb::UploadRequest& request, pb::BlobState& reply) {
  ASSIGN_OR_RETURN(const Namespace owner, NamespaceOf(request.namespace_()));
  ASSIGN_OR_RETURN(const BlobHash blob, HashOf(request.sha256()));
  RETURN_IF_ERROR(CheckPlace(request));
  metrics_.blob_bytes_received.Add(static_cast<double>(request.data().size()));
  ASSIGN_OR_RETURN(const store::BlobState state,
                   store_.AppendBlobChunk(owner, {.blob = blob,
                                                  .size_bytes = request.size_bytes(),
                                                  .offset = request.offset(),
                                                  .data = request.data()}));
  Fill(state, reply);
  return absl::OkStatus();
}

}  // namespace burnish::rpc
