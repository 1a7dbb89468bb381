#include "server/rpc/call_metrics.h"

#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/clock.h"
#include "server/auth/policy.h"

namespace burnish::rpc {
namespace {

// The series of one method.
struct MethodMetrics {
  std::array<telemetry::Counter, std::size(telemetry::kGrpcCodes)> handled;  // by code
  telemetry::Histogram handling;
};

class CallTimer final : public grpc::experimental::Interceptor {
 public:
  explicit CallTimer(const MethodMetrics& metrics)
      : metrics_(metrics), started_(SystemClock().Monotonic()) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    using grpc::experimental::InterceptionHookPoints;
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      const auto code = static_cast<size_t>(methods->GetSendStatus().error_code());
      if (code < metrics_.handled.size()) metrics_.handled[code].Add();
      metrics_.handling.Observe(SystemClock().Monotonic() - started_);
    }
    methods->Proceed();
  }

 private:
  const MethodMetrics& metrics_;
  const absl::Duration started_;
};

class CallTimerFactory final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  // The policy has a row for every method of every service.
  explicit CallTimerFactory(const server::ServerMetrics& metrics) {
    for (const auto& [path, access] : auth::DefaultPolicy()) {
      const size_t slash = path.rfind('/');
      const std::string service = path.substr(1, slash - 1);
      const std::string method = path.substr(slash + 1);
      MethodMetrics& of_method = methods_[path];
      for (size_t code = 0; code < of_method.handled.size(); ++code) {
        of_method.handled[code] =
            metrics.grpc_handled.With({service, method, telemetry::kGrpcCodes[code]});
      }
      of_method.handling = metrics.grpc_handling.With({service, method});
    }
  }

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    const auto found = methods_.find(std::string_view(info->method()));
    // Health checks and reflection are not ours. gRPC deletes the interceptor.
    return found == methods_.end() ? nullptr : new CallTimer(found->second);
  }

 private:
  std::map<std::string, MethodMetrics, std::less<>> methods_;
};

}  // namespace

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CountCalls(
    const server::ServerMetrics& metrics) {
  return std::make_unique<CallTimerFactory>(metrics);
}

}  // namespace burnish::rpc
