#include "server/rpc/answer.h"

#include <string>

#include "common/base/diagnostic.h"
#include "common/net/status.h"

namespace burnish::rpc {

grpc::Status ToAnswer(const absl::Status& status) {
  const bool is_full = absl::IsResourceExhausted(status);
  if ((!is_full && !absl::IsUnavailable(status)) || DiagnosticOf(status).has_value()) {
    return net::ToGrpcStatus(status);
  }
  return net::ToGrpcStatus(DiagnosticStatus(
      status.code(),
      {.message = std::string(status.message()),
       .hint = is_full
                   ? "make room where the server keeps its database, then try again; nothing that "
                     "was stored is lost"
                   : "try again when the server's database answers; a repeated submission makes "
                     "one job, and nothing that was stored is lost"}));
}

}  // namespace burnish::rpc
