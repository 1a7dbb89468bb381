#include "common/net/grpc_log.h"

#include "common/base/log.h"
#include "grpc/support/log.h"

namespace burnish::net {

void LogGrpcMessages() {
  gpr_set_log_function([](gpr_log_func_args* entry) {
    Log(LogLevel::kDebug, "grpc", {{"message", entry->message}});
  });
}

}  // namespace burnish::net
