// TLS out of PEM files, which are looked at again now and then: a renewed certificate needs no
// restart. Files that turn bad later are left aside; the last good ones stay in use.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/transport.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/security/server_credentials.h"

namespace burnish::net {

// Both: InvalidArgument Diagnostics that name the file which is missing, unreadable, no PEM, or
// does not fit the other.

// With a `ca`, callers have to present a certificate that it has signed.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> TlsServerCredentials(
    const TlsFiles& files, absl::Duration reload);
// Without a `ca` the system's certificates are trusted.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> TlsChannelCredentials(TlsFiles files);

}  // namespace burnish::net
