#include "server/rpc/admission.h"

#include "server/auth/token_text.h"

namespace burnish::rpc {

absl::StatusOr<auth::Principal> Admission::Authorize(const grpc::CallbackServerContext& context,
                                                     std::string_view method,
                                                     std::optional<std::string> owner) {
  auth::Call call{.method = method, .peer = context.peer(), .owner = std::move(owner)};
  const auto& metadata = context.client_metadata();
  if (const auto header = metadata.find("authorization"); header != metadata.end()) {
    call.token = auth::BearerToken({header->second.data(), header->second.size()}).value_or("");
  }
  return authorizer_.Authorize(call);
}

}  // namespace burnish::rpc
