// A connection to the server that a command talks to: the one of its place (context.h), or the
// private server of this machine, which is started when needed.
//
// Calls retry while the server cannot be reached, up to the connect timeout. Thread-safe but for
// Reconnect().
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "burnish/v1/blob_service.grpc.pb.h"
#include "burnish/v1/fleet_service.grpc.pb.h"
#include "burnish/v1/import_service.grpc.pb.h"
#include "burnish/v1/job_service.grpc.pb.h"
#include "client/cli/options.h"
#include "client/cli/private_server.h"

namespace burnish::cli {

namespace pb = burnish::v1;

enum class NeedsDevices { kYes, kNo };

class Connection {
 public:
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const GlobalOptions& options,
                                                          NeedsDevices needs_devices);
  ~Connection();

  pb::JobService::Stub& stub() { return *stub_; }
  pb::FleetService::Stub& fleet_stub() { return *fleet_stub_; }
  pb::BlobService::Stub& blob_stub() { return *blob_stub_; }
  pb::ImportService::Stub& import_stub() { return *import_stub_; }
  std::shared_ptr<grpc::Channel> channel() { return channel_; }
  // Puts the token on a call; every call needs it.
  void Authorise(grpc::ClientContext& context) const;
  bool is_private() const { return is_private_; }
  // Names the hold on a private server; empty on a named server.
  const std::string& hold_id() const { return hold_id_; }
  const std::string& address() const { return address_; }

  // After the server was lost: connects again, starting a private server anew.
  absl::Status Reconnect();

 private:
  Connection(GlobalOptions options, NeedsDevices needs_devices)
      : options_(std::move(options)), needs_devices_(needs_devices) {}
  absl::Status Connect();
  absl::Status ConnectNamed();
  // Why the server cannot be reached, in the words of who tried.
  std::string WhatFailed();
  absl::Status ConnectPrivate();
  absl::Status OpenHold();
  void CloseHold();
  absl::Status Dial(const net::ServerAddress& address, const net::DialOptions& dial);

  const GlobalOptions options_;
  const NeedsDevices needs_devices_;
  bool is_private_ = false;
  std::string address_;
  std::string hold_id_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pb::JobService::Stub> stub_;
  std::unique_ptr<pb::FleetService::Stub> fleet_stub_;
  std::unique_ptr<pb::BlobService::Stub> blob_stub_;
  std::unique_ptr<pb::ImportService::Stub> import_stub_;
  // The hold: a stream that stays open for as long as this client lives.
  std::unique_ptr<grpc::ClientContext> hold_context_;
  std::unique_ptr<grpc::ClientReader<pb::HoldReply>> hold_reader_;
};

}  // namespace burnish::cli
