#include "agent/session/session.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"
#include "common/net/status.h"
#include "common/wire/device.h"
#include "common/wire/measurement.h"
#include "common/wire/task.h"
#include "common/wire/work_item.h"

namespace burnish::agent {
namespace {

template <typename Message>
void SetHolding(const std::vector<HeldAttempt>& holding, Message& message) {
  for (const HeldAttempt& held : holding) {
    v1::HeldAttempt& proto = *message.add_holding();
    proto.set_attempt_id(held.attempt.value());
    proto.set_work_item_id(held.work_item.value());
    proto.set_fence(held.fence.value());
  }
}

// The server will never take this agent: it speaks another protocol.
bool IsRefusal(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) && DiagnosticOf(status).has_value();
}

}  // namespace

struct Session::Attachment {
  Attachment(v1::AgentService::Stub& stub, const std::string& token, Wakeup& wakeup,
             absl::Duration now, absl::Duration patience)
      : stream(stub, token, wakeup), opened(now), heard(now), patience(patience) {}

  AgentStream stream;
  const absl::Duration opened;
  absl::Duration heard;     // the server's last word
  absl::Duration patience;  // with its silence
  bool welcomed = false;
  bool refusing = false;  // new work, by the hello
  bool outdated = false;  // the hello: ended for that, not by a fault
  absl::Duration heartbeat_interval;
  absl::Duration next_heartbeat = absl::InfiniteDuration();
  int64_t sequence = 0;
  std::map<int64_t, absl::Duration> asked;  // heartbeats without a reply: when they were sent
};

Session::Session(SessionOptions options, const std::shared_ptr<grpc::Channel>& channel,
                 Executor& executor, ReportOutbox& outbox, ControlWatch& control, RoofsWatch& roofs,
                 Wakeup& wakeup, const Clock& clock)
    : options_(std::move(options)),
      stub_(v1::AgentService::NewStub(channel)),
      executor_(executor),
      outbox_(outbox),
      control_(control),
      roofs_(roofs),
      wakeup_(wakeup),
      clock_(clock),
      loader_(
          {.blob_folder = options_.blob_folder, .backoff = options_.backoff},
          [this](const BlobHash& blob, int64_t offset, const std::stop_token& stop) {
            return Fetch(blob, offset, stop);
          },
          [this](const TaskHash& hash, absl::StatusOr<work::TaskDefinition> definition) {
            TakeLoaded(hash, std::move(definition));
          },
          clock) {}

absl::Status Session::Run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { wakeup_.Notify(); });
  net::Backoff backoff(options_.backoff, RandomSeed());
  while (!stop.stop_requested()) {
    Attachment attachment(*stub_, Token(), wakeup_, clock_.Monotonic(), options_.welcome_timeout);
    const absl::Status status = Serve(attachment, stop);
    options_.connected.Set(0);
    if (stop.stop_requested()) break;
    if (absl::IsAborted(status)) {
      executor_.KeepOnly({});
      return absl::AbortedError(
          absl::StrCat("another agent with id ", options_.agent.value(), " attached"));
    }
    if (IsRefusal(status)) {
      executor_.KeepOnly({});
      return status;
    }
    if (attachment.outdated) continue;
    if (attachment.welcomed) {
      backoff.Reset();
      next_unreachable_log_ = -absl::InfiniteDuration();
    }
    LogUnreachable(status);
    Pause(backoff.Next(), stop);
  }
  executor_.KeepOnly({});
  return absl::OkStatus();
}

absl::Status Session::Serve(Attachment& attachment, const std::stop_token& stop) {
  AgentStream& stream = attachment.stream;
  outbox_.Rewind();
  control_.Rewind();
  roofs_.Rewind();
  const std::string refusal = outbox_.Refusal();
  attachment.refusing = !refusal.empty();
  stream.Send(Hello(refusal));
  while (true) {
    // Asked first, so that the messages taken below are all there are.
    const bool ended = stream.ended();
    while (const std::optional<v1::ServerMessage> message = stream.Receive()) {
      attachment.heard = clock_.Monotonic();
      RETURN_IF_ERROR(Receive(attachment, *message));
    }
    if (ended) return stream.Close();
    if (stop.stop_requested()) {
      SayGoodbye(attachment);
      return absl::OkStatus();
    }
    const absl::Duration now = clock_.Monotonic();
    const absl::Duration given_up = attachment.heard + attachment.patience;
    if (now >= given_up) return absl::DeadlineExceededError("the server says nothing");
    if (attachment.welcomed && attachment.refusing == outbox_.Refusal().empty()) {
      attachment.outdated = true;
      return absl::OkStatus();
    }
    // First, while the device has nothing else to do.
    roofs_.RunDue([this](const DeviceId& device, RoofsWatch::Done done) {
      executor_.MeasureRoofs(device, std::move(done));
    });
    control_.RunDue([this](const DeviceId& device, ControlWatch::Done done) {
      executor_.MeasureControl(device, std::move(done));
    });
    if (attachment.welcomed) {
      SendReports(attachment);
      SendCanaries(attachment);
      SendRoofs(attachment);
    }
    if (now >= attachment.next_heartbeat) SendHeartbeat(attachment);
    wakeup_.WaitFor(std::min(given_up, attachment.next_heartbeat) - now);
  }
}

v1::AgentMessage Session::Hello(const std::string& refusal) const {
  v1::AgentMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_agent_id(options_.agent.value());
  hello.set_version(options_.version);
  for (const work::DeviceInfo& device : options_.devices) {
    v1::DeviceInfo& proto = *hello.add_devices();
    proto = wire::ToProto(device);
    *proto.mutable_roofs() = wire::ToProto(roofs_.Of(DeviceIdOf(options_.agent, device)));
    if (device.unavailable_reason.empty()) proto.set_unavailable_reason(refusal);
  }
  hello.set_prefetch(options_.prefetch);
  hello.set_protocol(kAgentProtocol);
  SetHolding(Holding(), hello);
  return message;
}

std::vector<HeldAttempt> Session::Holding() const {
  // In this order: an attempt goes from the executor to the outbox, and must not slip through.
  std::vector<HeldAttempt> holding = executor_.Holding();
  std::set<AttemptId> seen;
  for (const HeldAttempt& held : holding) seen.insert(held.attempt);
  for (const HeldAttempt& held : outbox_.Holding()) {
    if (!seen.contains(held.attempt)) holding.push_back(held);
  }
  return holding;
}

absl::Status Session::Receive(Attachment& attachment, const v1::ServerMessage& message) {
  using Kind = v1::ServerMessage::KindCase;
  if (attachment.welcomed == (message.kind_case() == Kind::kWelcome)) {
    return absl::InternalError("the server must begin with one welcome");
  }
  switch (message.kind_case()) {
    case Kind::kWelcome:
      Welcomed(attachment, message.welcome());
      break;
    case Kind::kHeartbeatReply:
      Renewed(attachment, message.heartbeat_reply());
      break;
    case Kind::kTask:
      TakeTask(message.task());
      break;
    case Kind::kAssignment:
      TakeAssignment(message.assignment());
      break;
    case Kind::kAcknowledgement:
      Acknowledged(message.acknowledgement());
      break;
    case Kind::kRevoke:
      executor_.Drop(AttemptId(message.revoke().attempt_id()), "revoked");
      break;
    case Kind::kCanaryRequest:
      control_.Request(DeviceId(message.canary_request().device_id()));
      break;
    case Kind::KIND_NOT_SET:
      break;  // of a newer server
  }
  return absl::OkStatus();
}

void Session::Welcomed(Attachment& attachment, const v1::Welcome& welcome) {
  attachment.welcomed = true;
  options_.connected.Set(1);
  attachment.heartbeat_interval =
      absl::Milliseconds(std::max<int64_t>(1, welcome.heartbeat_interval_ms()));
  attachment.next_heartbeat = attachment.opened + attachment.heartbeat_interval;
  // After so long a silence no lease is left to lose by dialling anew.
  attachment.patience = absl::Milliseconds(welcome.lease_ms());
  executor_.SetLease(attachment.patience);
  std::vector<AttemptId> keep;
  for (const v1::HeldAttempt& held : welcome.keep()) keep.emplace_back(held.attempt_id());
  executor_.KeepOnly(keep);
  executor_.Renew(keep, attachment.opened);
  Log(LogLevel::kInfo, "attached",
      {{"agent", options_.agent.value()},
       {"session", welcome.session_id()},
       {"kept", absl::StrCat(keep.size())}});
}

void Session::Renewed(Attachment& attachment, const v1::HeartbeatReply& reply) {
  const auto asked = attachment.asked.find(reply.sequence());
  if (asked == attachment.asked.end()) return;
  const absl::Duration at = asked->second;
  attachment.asked.erase(attachment.asked.begin(), std::next(asked));
  std::vector<AttemptId> renewed;
  for (const std::string& id : reply.renewed_attempt_ids()) renewed.emplace_back(id);
  executor_.Renew(renewed, at);
}

void Session::Acknowledged(const v1::ReportAcknowledgement& acknowledgement) {
  outbox_.Erase(AttemptId(acknowledgement.attempt_id()));
  Log(LogLevel::kDebug, "report_acknowledged",
      {{"attempt_id", acknowledgement.attempt_id()},
       {"result", v1::ReportAcknowledgement::Result_Name(acknowledgement.result())}});
}

void Session::TakeTask(const v1::TaskMessage& message) {
  absl::StatusOr<work::TaskDefinition> definition = wire::FromProto(message.definition());
  const TaskHash hash(message.task_hash());
  if (definition.ok()) {
    if (TaskLoader::IsWhole(*definition)) {
      executor_.AddTask(hash, *std::move(definition));
    } else {
      executor_.ExpectTask(hash);
      loader_.Load(hash, *std::move(definition));
    }
    return;
  }
  // Its assignments are answered with `infrastructure`.
  Log(LogLevel::kError, "task_not_understood",
      {{"task", message.task_hash()}, {"error", std::string(definition.status().message())}});
}

absl::StatusOr<v1::FetchReply> Session::Fetch(const BlobHash& blob, int64_t offset,
                                              const std::stop_token& stop) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(clock_.Now() + options_.fetch_timeout));
  if (const std::string token = Token(); !token.empty()) {
    context.AddMetadata("authorization", "Bearer " + token);
  }
  const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
  v1::FetchRequest request;
  request.set_sha256(blob.value());
  request.set_offset(offset);
  v1::FetchReply reply;
  RETURN_IF_ERROR(net::ToAbslStatus(stub_->Fetch(&context, request, &reply)));
  return reply;
}

void Session::TakeLoaded(const TaskHash& hash, absl::StatusOr<work::TaskDefinition> definition) {
  if (definition.ok()) {
    executor_.AddTask(hash, *std::move(definition));
    return;
  }
  const std::string reason(definition.status().message());
  Log(LogLevel::kError, "task_not_loaded", {{"task", hash.value()}, {"error", reason}});
  executor_.FailTask(hash, reason);
}

void Session::TakeAssignment(const v1::Assignment& message) {
  const absl::StatusOr<work::Assignment> assignment = wire::FromProto(message);
  if (assignment.ok()) {
    executor_.Accept(*assignment);
    return;
  }
  // Not held, so not renewed: the server queues it again.
  Log(LogLevel::kError, "assignment_not_understood",
      {{"attempt_id", message.attempt_id()},
       {"error", std::string(assignment.status().message())}});
}

void Session::SendReports(Attachment& attachment) {
  for (const SharedReport& report : outbox_.TakeUnsent()) {
    v1::AgentMessage message;
    *message.mutable_report() = *report;
    attachment.stream.Send(std::move(message));
  }
}

void Session::SendCanaries(Attachment& attachment) {
  for (const Canary& canary : control_.TakeUnsent()) {
    v1::AgentMessage message;
    message.mutable_canary()->set_device_id(canary.device.value());
    *message.mutable_canary()->mutable_measurement() = wire::ToProto(canary.measurement);
    attachment.stream.Send(std::move(message));
  }
}

void Session::SendRoofs(Attachment& attachment) {
  for (const DeviceRoofs& measured : roofs_.TakeUnsent()) {
    v1::AgentMessage message;
    message.mutable_roofs()->set_device_id(measured.device.value());
    *message.mutable_roofs()->mutable_roofs() = wire::ToProto(measured.roofs);
    attachment.stream.Send(std::move(message));
  }
}

void Session::SendHeartbeat(Attachment& attachment) {
  const absl::Duration now = clock_.Monotonic();
  v1::AgentMessage message;
  message.mutable_heartbeat()->set_sequence(++attachment.sequence);
  SetHolding(Holding(), *message.mutable_heartbeat());
  attachment.asked[attachment.sequence] = now;
  attachment.next_heartbeat = now + attachment.heartbeat_interval;
  attachment.stream.Send(std::move(message));
}

void Session::SayGoodbye(Attachment& attachment) {
  executor_.KeepOnly({});
  if (!attachment.welcomed) return;
  SendReports(attachment);
  attachment.stream.HalfClose();
  const absl::Duration until = clock_.Monotonic() + options_.farewell;
  while (!attachment.stream.ended() && clock_.Monotonic() < until) {
    wakeup_.WaitFor(until - clock_.Monotonic());
  }
  while (const std::optional<v1::ServerMessage> message = attachment.stream.Receive()) {
    if (message->has_acknowledgement()) Acknowledged(message->acknowledgement());
  }
}

std::string Session::Token() const {
  if (!options_.token) return "";
  const absl::StatusOr<std::string> token = options_.token();
  if (token.ok()) return *token;
  Log(LogLevel::kWarning, "token_unreadable", {{"reason", std::string(token.status().message())}});
  return "";
}

void Session::LogUnreachable(const absl::Status& status) {
  const absl::Duration now = clock_.Monotonic();
  if (now < next_unreachable_log_) return;
  next_unreachable_log_ = now + options_.unreachable_log_interval;
  const bool refused = absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status) ||
                       absl::IsResourceExhausted(status);
  Log(LogLevel::kWarning, refused ? "server_refuses" : "server_unreachable",
      {{"reason", std::string(status.message())}});
}

void Session::Pause(absl::Duration duration, const std::stop_token& stop) {
  const absl::Duration until = clock_.Monotonic() + duration;
  while (!stop.stop_requested() && clock_.Monotonic() < until) {
    wakeup_.WaitFor(until - clock_.Monotonic());
  }
}

}  // namespace burnish::agent
