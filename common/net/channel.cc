#include "common/net/channel.h"

#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/net/tls.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"

namespace burnish::net {

absl::StatusOr<std::shared_ptr<grpc::Channel>> DialServer(const ServerAddress& address,
                                                          const DialOptions& options) {
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (SpeaksTls(address, options)) {
    RETURN_IF_ERROR(CheckTlsPossible(address, options.insecure));
    ASSIGN_OR_RETURN(credentials, TlsChannelCredentials(options.tls));
  }
  grpc::ChannelArguments arguments;
  // All three: gRPC's own maximum is two minutes, and a server that restarts is back in seconds.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // A new channel must not inherit the back-off of an older one to the same address.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // no bound: streams are quiet long
  arguments.SetInt(GRPC_ARG_MAX_METADATA_SIZE, kMetadataBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxSendMessageSize(limits::kRequestMessageBytes);
  // A task definition repeats what one request carried, and a list holds many snapshots.
  arguments.SetMaxReceiveMessageSize(4 * limits::kRequestMessageBytes);
  return grpc::CreateCustomChannel(ToText(address), credentials, arguments);
}

}  // namespace burnish::net
