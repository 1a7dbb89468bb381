#include "server/rpc/agent_stream.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "common/base/version.h"
#include "common/wire/device.h"
#include "common/wire/measurement.h"
#include "common/wire/task.h"
#include "common/wire/work_item.h"
#include "server/rpc/agent_wire.h"

namespace burnish::rpc {
namespace {

absl::Status CheckProtocol(const pb::Hello& proto) {
  if (proto.protocol() == kAgentProtocol) return absl::OkStatus();
  return DiagnosticStatus(
      absl::StatusCode::kFailedPrecondition,
      {.message = absl::StrCat("the agent (version ", proto.version(), ") speaks protocol version ",
                               proto.protocol(), ", this server (version ", kVersion,
                               ") protocol version ", kAgentProtocol),
       .hint = "run burnish-agent and burnish-server of one version"});
}

}  // namespace

AgentStream::AgentStream(const AgentServiceParts& parts, std::string actor)
    : parts_(parts), actor_(std::move(actor)), last_heard_(parts.clock.Monotonic()) {}

std::shared_ptr<AgentStream> AgentStream::Start(const AgentServiceParts& parts, std::string actor) {
  auto stream = std::make_shared<AgentStream>(parts, std::move(actor));
  stream->self_ = stream;
  stream->KeepAlive(stream);
  stream->StartRead(&stream->incoming_);
  return stream;
}

void AgentStream::OnReadDone(bool ok) {
  {
    absl::MutexLock lock(&mutex_);
    last_heard_ = parts_.clock.Monotonic();
    // Either the agent closed its side or the connection broke: OnEnded() knows which. After an
    // end from this side a read fails too, and means neither.
    if (!ok && !ended()) said_goodbye_ = true;
  }
  if (!ok) {
    End(absl::OkStatus());
    return;
  }
  // Nothing counts that comes after an end from this side.
  if (ended()) return;
  const absl::Status handled = Handle(incoming_);
  if (!handled.ok()) {
    Refuse(handled);
    return;
  }
  ReadOn();
}

void AgentStream::ReadOn() {
  {
    const absl::MutexLock lock(&mutex_);
    reading_waits_ = unanswered_ >= limits::kUnansweredPerStream;
    if (reading_waits_) return;
  }
  StartRead(&incoming_);
}

void AgentStream::Answered() {
  {
    const absl::MutexLock lock(&mutex_);
    --unanswered_;
    if (!std::exchange(reading_waits_, false)) return;
  }
  if (!HoldOpen()) return;
  StartRead(&incoming_);
  LetGo();
}

absl::Status AgentStream::Handle(const pb::AgentMessage& message) {
  const SessionId current = session();
  if (message.kind_case() == pb::AgentMessage::kHello) {
    if (!current.empty()) return absl::InvalidArgumentError("hello: sent twice on one stream");
    return HandleHello(message.hello());
  }
  if (current.empty()) {
    return absl::InvalidArgumentError("hello: has to be the first message of a stream");
  }
  switch (message.kind_case()) {
    case pb::AgentMessage::kHeartbeat:
      return HandleHeartbeat(current, message.heartbeat());
    case pb::AgentMessage::kReport:
      return HandleReport(current, message.report());
    case pb::AgentMessage::kCanary:
      return HandleCanary(current, message.canary());
    case pb::AgentMessage::kRoofs:
      return HandleRoofs(current, message.roofs());
    default:
      return absl::InvalidArgumentError("agent message: kind missing or unknown");
  }
}

absl::Status AgentStream::HandleHello(const pb::Hello& proto) {
  RETURN_IF_ERROR(CheckProtocol(proto));
  ASSIGN_OR_RETURN(const dispatch::AgentHello hello, FromProto(proto));
  {
    absl::MutexLock lock(&mutex_);
    for (const work::DeviceInfo& device : hello.devices) {
      backends_[store::DeviceIdOf(hello.agent, device)] = device.backend;
    }
  }
  ASSIGN_OR_RETURN(const dispatch::Welcome welcome, parts_.dispatcher.Attach(self_.lock(), hello));
  Log(LogLevel::kInfo, "agent_attached",
      {{"agent", hello.agent.value()},
       {"actor", actor_},
       {"version", proto.version()},
       {"session", welcome.session.value()},
       {"devices", absl::StrCat(hello.devices.size())},
       {"kept", absl::StrCat(welcome.keep.size())}});
  Welcome(welcome);
  parts_.changed();
  return absl::OkStatus();
}

void AgentStream::Welcome(const dispatch::Welcome& welcome) {
  pb::ServerMessage message;
  pb::Welcome& proto = *message.mutable_welcome();
  proto.set_session_id(welcome.session.value());
  proto.set_heartbeat_interval_ms(absl::ToInt64Milliseconds(welcome.heartbeat_interval));
  proto.set_lease_ms(absl::ToInt64Milliseconds(welcome.lease));
  for (const store::HeldAttempt& kept : welcome.keep) *proto.add_keep() = ToProto(kept);

  absl::MutexLock lock(&mutex_);
  early_.insert(early_.begin(), std::move(message));
  SendAll(std::exchange(early_, {}));
  session_ = welcome.session;
}

absl::Status AgentStream::HandleHeartbeat(const SessionId& session,
                                          const pb::Heartbeat& heartbeat) {
  ASSIGN_OR_RETURN(auto holding, HeldFromProto(heartbeat.holding()));
  parts_.inbox.AddHeartbeat(self_.lock(), heartbeat.sequence(), {session, std::move(holding)});
  return absl::OkStatus();
}

void AgentStream::OnRenewed(int64_t sequence,
                            const absl::StatusOr<std::vector<AttemptId>>& renewed) {
  if (!renewed.ok()) {
    Refuse(renewed.status());
    return;
  }
  pb::ServerMessage message;
  message.mutable_heartbeat_reply()->set_sequence(sequence);
  for (const AttemptId& attempt : *renewed) {
    message.mutable_heartbeat_reply()->add_renewed_attempt_ids(attempt.value());
  }
  SendAfterWelcome(std::move(message));
}

absl::Status AgentStream::HandleReport(const SessionId& session, const pb::ReportMessage& proto) {
  ASSIGN_OR_RETURN(work::Report report, wire::FromProto(proto));
  {
    const absl::MutexLock lock(&mutex_);
    ++unanswered_;
  }
  parts_.inbox.AddReport(self_.lock(), {session, std::move(report)});
  return absl::OkStatus();
}

absl::Status AgentStream::HandleCanary(const SessionId& session, const pb::CanaryReport& proto) {
  ASSIGN_OR_RETURN(const work::Measurement measurement, wire::FromProto(proto.measurement()));
  const absl::Status recorded =
      parts_.dispatcher.Canary(session, DeviceId(proto.device_id()), measurement);
  if (recorded.ok()) parts_.changed();
  // Its word is lost without the database, where the next canary comes soon, and of a session that
  // was replaced, which the next heartbeat learns. Only what no agent should send ends the stream.
  return absl::IsInvalidArgument(recorded) ? recorded : absl::OkStatus();
}

absl::Status AgentStream::HandleRoofs(const SessionId& session, const pb::RoofsReport& proto) {
  ASSIGN_OR_RETURN(const work::Roofs roofs, wire::FromProto(proto.roofs()));
  const absl::Status recorded =
      parts_.dispatcher.Roofs(session, DeviceId(proto.device_id()), roofs);
  if (!recorded.ok()) {
    Log(LogLevel::kWarning, "roofs_not_recorded",
        {{"device_id", proto.device_id()}, {"reason", std::string(recorded.message())}});
  }
  // As of a canary; the agent's next hello has them again.
  return absl::IsInvalidArgument(recorded) ? recorded : absl::OkStatus();
}

void AgentStream::OnStored(const work::Report& report,
                           const absl::StatusOr<work::ReportResult>& result) {
  Answered();
  work::ReportResult answer = work::ReportResult::kLate;
  if (absl::IsNotFound(result.status())) {
    // Acknowledged all the same: no later report of this attempt could be taken either, and an
    // agent that keeps it would send it for ever.
    Log(LogLevel::kWarning, "report_of_unknown_attempt",
        {{"attempt_id", report.attempt.value()},
         {"session", session().value()},
         {"status", result.status().ToString()}});
  } else if (!result.ok()) {
    Refuse(result.status());
    return;
  } else {
    answer = *result;
  }
  CountReport(report, answer);
  pb::ServerMessage message;
  message.mutable_acknowledgement()->set_attempt_id(report.attempt.value());
  message.mutable_acknowledgement()->set_result(wire::ToProto(answer));
  SendAfterWelcome(std::move(message));
}

void AgentStream::Refuse(const absl::Status& status) {
  Log(LogLevel::kWarning, "agent_stream_refused",
      {{"session", session().value()},
       {"status", status.ToString(absl::StatusToStringMode::kWithNoExtraData)}});
  Abort(status);
}

void AgentStream::CountReport(const work::Report& report, work::ReportResult result) {
  parts_.metrics.report_result.With({work::ReportResultName(result)}).Add();
  std::string backend;
  {
    absl::MutexLock lock(&mutex_);
    // What came with an older stream is counted by the agent's backend, if it has but one.
    const auto sent = sent_.extract(report.attempt);
    if (!sent.empty()) {
      backend = backends_[sent.mapped()];
    } else if (backends_.size() == 1) {
      backend = backends_.begin()->second;
    }
  }
  if (result != work::ReportResult::kStored) return;
  const work::Outcome outcome =
      std::visit([](const auto& measured) { return measured.outcome; }, report.result);
  parts_.metrics.attempts.With({backend, work::OutcomeName(outcome)}).Add();
}

void AgentStream::SendTask(const TaskHash& hash, const work::TaskDefinition& definition) {
  pb::ServerMessage message;
  message.mutable_task()->set_task_hash(hash.value());
  *message.mutable_task()->mutable_definition() = wire::ToProto(definition);
  SendAfterWelcome(std::move(message));
}

void AgentStream::SendAssignment(const work::Assignment& assignment) {
  {
    absl::MutexLock lock(&mutex_);
    sent_[assignment.attempt] = assignment.device;
  }
  pb::ServerMessage message;
  *message.mutable_assignment() = wire::ToProto(assignment);
  SendAfterWelcome(std::move(message));
}

void AgentStream::SendRevoke(const AttemptId& attempt) {
  {
    absl::MutexLock lock(&mutex_);
    sent_.erase(attempt);
  }
  pb::ServerMessage message;
  message.mutable_revoke()->set_attempt_id(attempt.value());
  SendAfterWelcome(std::move(message));
}

void AgentStream::SendCanaryRequest(const DeviceId& device) {
  pb::ServerMessage message;
  message.mutable_canary_request()->set_device_id(device.value());
  SendAfterWelcome(std::move(message));
}

void AgentStream::SendAfterWelcome(pb::ServerMessage message) {
  {
    absl::MutexLock lock(&mutex_);
    if (session_.empty()) {
      early_.push_back(std::move(message));
      return;
    }
  }
  Send(std::move(message));
  if (queued() > limits::kQueuedAgentMessages) {
    Abort(absl::ResourceExhaustedError("the agent does not read what it is sent"));
  }
}

void AgentStream::CloseIfSilent() {
  absl::Duration silence;
  {
    absl::MutexLock lock(&mutex_);
    silence = parts_.clock.Monotonic() - last_heard_;
  }
  if (silence <= parts_.longest_silence || ended()) return;
  Expel(absl::DeadlineExceededError(
      absl::StrCat("nothing was heard for ", absl::FormatDuration(silence))));
}

void AgentStream::Expel(const absl::Status& reason) {
  Abort(reason);
  // Not left to OnEnded(): a write that the agent does not take may stand in its way.
  Detach(/*in_order=*/false);
}

void AgentStream::OnEnded(bool cancelled) {
  bool in_order = false;
  {
    absl::MutexLock lock(&mutex_);
    in_order = said_goodbye_ && !cancelled;
  }
  Detach(in_order);
}

void AgentStream::Detach(bool in_order) {
  SessionId ended;
  {
    absl::MutexLock lock(&mutex_);
    if (std::exchange(detached_, true)) return;
    ended = session_;
  }
  if (ended.empty()) return;
  Log(LogLevel::kInfo, "agent_detached",
      {{"session", ended.value()}, {"in_order", in_order ? "1" : "0"}});
  parts_.dispatcher.Detach(ended, in_order);
  parts_.changed();
}

SessionId AgentStream::session() const {
  absl::MutexLock lock(&mutex_);
  return session_;
}

}  // namespace burnish::rpc
