#include "server/rpc/endpoint.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"
#include "common/net/channel.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"

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

void Configure(grpc::ServerBuilder& builder) {
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
    const net::ServerAddress& address, const std::vector<grpc::Service*>& services) {
  if (address.kind == net::ServerAddress::Kind::kUnix) RETURN_IF_ERROR(CheckSocketFree(address));
  grpc::ServerBuilder builder;
  Configure(builder);
  int port = 0;
  builder.AddListeningPort(net::ToText(address), grpc::InsecureServerCredentials(), &port);
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
  return std::unique_ptr<Endpoint>(new Endpoint(std::move(bound), std::move(server)));
}

Endpoint::~Endpoint() { Shutdown(absl::ZeroDuration()); }

void Endpoint::Shutdown(absl::Duration grace) {
  server_->Shutdown(absl::ToChronoTime(SystemClock().Now() + grace));
  server_->Wait();
}

}  // namespace burnish::rpc
