#include "server/rpc/endpoint.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "burnish/v1/agent_service.grpc.pb.h"
#include "burnish/v1/blob_service.grpc.pb.h"
#include "burnish/v1/fleet_service.grpc.pb.h"
#include "burnish/v1/import_service.grpc.pb.h"
#include "burnish/v1/job_service.grpc.pb.h"
#include "burnish/v1/token_service.grpc.pb.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "common/net/channel.h"
#include "common/net/tls.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/impl/server_builder_option.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "server/rpc/call_metrics.h"

namespace burnish::rpc {
namespace {

absl::Status Taken(const net::ServerAddress& address, std::string_view hint) {
  return DiagnosticStatus(absl::StatusCode::kFailedPrecondition,
                          {.message = absl::StrCat("cannot listen on ", net::ToText(address)),
                           .hint = std::string(hint)});
}

// gRPC would silently take the path of a living server.
absl::Status CheckSocketFree(const net::ServerAddress& address) {
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (address.path.size() >= sizeof(name.sun_path)) return Taken(address, "its path is too long");
  std::memcpy(name.sun_path, address.path.data(), address.path.size());
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) {
    return absl::OkStatus();
  }
  return Taken(address, "another server listens there: stop it, or choose another path");
}

// The library adds reflection to every server of a program that links it.
class ReflectionSwitch final : public grpc::ServerBuilderOption {
 public:
  explicit ReflectionSwitch(bool on) : on_(on) {}
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    auto reflection = std::make_unique<grpc::reflection::ProtoServerReflectionPlugin>();
    std::erase_if(*plugins,
                  [&](const auto& plugin) { return plugin->name() == reflection->name(); });
    if (on_) plugins->push_back(std::move(reflection));
  }

 private:
  const bool on_;
};

void Configure(const EndpointOptions& options, grpc::ServerBuilder& builder) {
  builder.SetOption(std::make_unique<ReflectionSwitch>(options.reflection));
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(CountCalls(options.metrics));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  // By default gRPC lets two servers share a port unnoticed.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, net::kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, net::kKeepaliveTimeoutMs);
  // Clients probe as often as we do; the default calls that abuse.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             net::kKeepaliveMs / 2);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, net::kMetadataBytes);
  builder.SetMaxReceiveMessageSize(limits::kRequestMessageBytes);
  builder.SetMaxSendMessageSize(-1);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Endpoint>> Endpoint::Listen(
    const net::ServerAddress& address, const std::vector<grpc::Service*>& services,
    const EndpointOptions& options) {
  if (address.kind == net::ServerAddress::Kind::kUnix) RETURN_IF_ERROR(CheckSocketFree(address));
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
  if (options.tls.any()) {
    ASSIGN_OR_RETURN(credentials, net::TlsServerCredentials(options.tls, options.tls_reload));
  }
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  Configure(options, builder);
  int port = 0;
  builder.AddListeningPort(net::ToText(address), credentials, &port);
  for (grpc::Service* service : services) builder.RegisterService(service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return Taken(address,
                 address.kind == net::ServerAddress::Kind::kUnix
                     ? "its folder has to exist and to be yours"
                     : "the port is taken, or the address is not of this machine; port 0 picks a "
                       "free port");
  }
  net::ServerAddress bound = address;
  if (bound.kind == net::ServerAddress::Kind::kTcp) bound.port = port;
  std::unique_ptr<Endpoint> endpoint(new Endpoint(std::move(bound), std::move(server)));
  endpoint->SetServing(false);
  return endpoint;
}

Endpoint::~Endpoint() { Shutdown(absl::ZeroDuration()); }

void Endpoint::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface& health = *server_->GetHealthCheckService();
  for (const char* service :
       {"", v1::JobService::service_full_name(), v1::AgentService::service_full_name(),
        v1::BlobService::service_full_name(), v1::FleetService::service_full_name(),
        v1::ImportService::service_full_name(), v1::TokenService::service_full_name()}) {
    health.SetServingStatus(service, serving);
  }
}

void Endpoint::Shutdown(absl::Duration grace) {
  server_->Shutdown(absl::ToChronoTime(SystemClock().Now() + grace));
  server_->Wait();
}

}  // namespace burnish::rpc
