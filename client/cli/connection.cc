#include "client/cli/connection.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/net/channel.h"
#include "common/net/status.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kPrivatePollInterval = absl::Milliseconds(50);
// How long one try of the hold may take before the private server is looked at again.
constexpr absl::Duration kHoldTry = absl::Seconds(2);

absl::Status CannotReach(const std::string& address, const std::string& why,
                         const std::string& hint) {
  return DiagnosticStatus(
      absl::StatusCode::kUnavailable,
      {.message = absl::StrCat("cannot reach ", address, ": ", why), .hint = hint});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const GlobalOptions& options,
                                                             NeedsDevices needs_devices) {
  std::unique_ptr<Connection> connection(new Connection(options, needs_devices));
  RETURN_IF_ERROR(connection->Connect());
  return connection;
}

Connection::~Connection() { CloseHold(); }

absl::Status Connection::Reconnect() {
  CloseHold();
  return Connect();
}

absl::Status Connection::Connect() {
  is_private_ = options_.place.server.empty();
  return is_private_ ? ConnectPrivate() : ConnectNamed();
}

absl::Status Connection::Dial(const net::ServerAddress& address, const net::DialOptions& dial) {
  ASSIGN_OR_RETURN(channel_, net::DialServer(address, dial));
  stub_ = pb::JobService::NewStub(channel_);
  fleet_stub_ = pb::FleetService::NewStub(channel_);
  blob_stub_ = pb::BlobService::NewStub(channel_);
  import_stub_ = pb::ImportService::NewStub(channel_);
  return absl::OkStatus();
}

void Connection::Authorise(grpc::ClientContext& context) const {
  const std::string& token = options_.place.token;
  if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
}

absl::Status Connection::ConnectNamed() {
  address_ = options_.place.server;
  const Place& place = options_.place;
  ASSIGN_OR_RETURN(const net::ServerAddress address, net::ParseServerAddress(address_));
  if (!place.token.empty()) {
    RETURN_IF_ERROR(net::CheckTokenMayTravel(address, place.dial, place.token_from));
  }
  RETURN_IF_ERROR(Dial(address, place.dial));
  const auto deadline = gpr_time_add(
      gpr_now(GPR_CLOCK_REALTIME),
      gpr_time_from_millis(absl::ToInt64Milliseconds(options_.connect_timeout()), GPR_TIMESPAN));
  if (channel_->WaitForConnected(deadline)) return absl::OkStatus();
  if (net::SpeaksTls(address, place.dial)) {
    return CannotReach(address_, WhatFailed(),
                       "TLS is spoken there: does the server speak it too, and does --ca name who "
                       "signed its certificate?");
  }
  return CannotReach(
      address_,
      absl::StrCat("no server answered within ", absl::FormatDuration(options_.connect_timeout())),
      absl::StrCat("start one: burnish-server --listen ", address_,
                   ", or leave --server out to tune on this machine"));
}

std::string Connection::WhatFailed() {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(SystemClock().Now() + absl::Seconds(1)));
  pb::DevicesReply ignored;
  return stub_->Devices(&context, pb::DevicesRequest(), &ignored).error_message();
}

absl::Status Connection::ConnectPrivate() {
  ASSIGN_OR_RETURN(const PrivateServer server, LocatePrivateServer());
  address_ = server.address;
  ASSIGN_OR_RETURN(const net::ServerAddress address, net::ParseServerAddress(address_));
  PrivateServerStarter starter(server);
  const Clock& clock = SystemClock();
  const absl::Duration deadline = clock.Monotonic() + options_.connect_timeout();
  absl::Status held = absl::OkStatus();
  while (clock.Monotonic() < deadline) {
    RETURN_IF_ERROR(Dial(address, {}));
    held = OpenHold();
    if (held.ok()) return absl::OkStatus();
    if (!absl::IsUnavailable(held) && !absl::IsDeadlineExceeded(held)) return held;
    RETURN_IF_ERROR(starter.EnsureStarting());
    SleepThread(kPrivatePollInterval);
  }
  return CannotReach("the private server", std::string(held.message()),
                     absl::StrCat("its log is ", server.data_folder, "/server.log"));
}

absl::Status Connection::OpenHold() {
  CloseHold();
  hold_id_ = RandomHexId();
  pb::HoldRequest request;
  request.set_namespace_(options_.place.owner);
  request.set_hold_id(hold_id_);
  request.set_needs_devices(needs_devices_ == NeedsDevices::kYes);
  hold_context_ = std::make_unique<grpc::ClientContext>();
  const auto deadline =
      gpr_time_add(gpr_now(GPR_CLOCK_REALTIME),
                   gpr_time_from_millis(absl::ToInt64Milliseconds(kHoldTry), GPR_TIMESPAN));
  if (!channel_->WaitForConnected(deadline)) {
    hold_context_.reset();
    return absl::UnavailableError("nothing answers on its socket");
  }
  hold_reader_ = stub_->Hold(hold_context_.get(), request);
  pb::HoldReply ready;
  if (hold_reader_->Read(&ready)) return absl::OkStatus();
  const absl::Status status = net::ToAbslStatus(hold_reader_->Finish());
  hold_reader_.reset();
  hold_context_.reset();
  return status.ok() ? absl::UnavailableError("the private server is just ending") : status;
}

void Connection::CloseHold() {
  if (hold_reader_ == nullptr) return;
  hold_context_->TryCancel();
  hold_reader_->Finish();
  hold_reader_.reset();
  hold_context_.reset();
}

}  // namespace burnish::cli
