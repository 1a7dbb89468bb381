// Any bytes given as a message, to the server, to the agent or to a worker, are converted or
// refused; what is converted comes back the same from the wire, and from the database's text. The
// first byte chooses who is spoken to.
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "burnish/v1/agent_service.pb.h"
#include "burnish/v1/job_service.pb.h"
#include "burnish/v1/worker.pb.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/unique_fd.h"
#include "common/op/evaluate.h"
#include "common/wire/configuration.h"
#include "common/wire/device.h"
#include "common/wire/frame.h"
#include "common/wire/measurement.h"
#include "common/wire/task.h"
#include "common/wire/work_item.h"
#include "common/work/task_definition.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "server/jobs/job_plan.h"
#include "server/rpc/agent_wire.h"
#include "server/rpc/request_wire.h"
#include "server/store/sql/codec.h"

namespace burnish {
namespace {

namespace pb = burnish::v1;

// More configurations take longer than an input may.
constexpr size_t kFewConfigurations = 10'000;
// Of an operator that is evaluated.
constexpr double kSmallTensorsBytes = 1 << 20;
constexpr double kFewOperations = 1e4;
// What a pipe takes without a reader.
constexpr size_t kPipeBytes = 60'000;

// Equal for equal messages, also where they hold maps or NaN.
std::string TextOf(const google::protobuf::MessageLite& message) {
  std::string text;
  google::protobuf::io::StringOutputStream stream(&text);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  CHECK(message.SerializeToCodedStream(&coded));
  coded.Trim();
  return text;
}

// As it is read from the wire.
template <typename Message>
Message Transmitted(const Message& message) {
  Message received;
  CHECK(received.ParseFromString(message.SerializeAsString()));
  return received;
}

// Converts, and back, and again: the second time nothing is lost.
template <typename Message>
auto CheckedConversion(const Message& message) -> decltype(wire::FromProto(message)) {
  auto domain = wire::FromProto(message);
  if (!domain.ok()) {
    CHECK(absl::IsInvalidArgument(domain.status())) << domain.status();
    CHECK(!domain.status().message().empty());
    return domain;
  }
  const Message sent = wire::ToProto(*domain);
  const auto again = wire::FromProto(Transmitted(sent));
  CHECK(again.ok()) << again.status();
  CHECK(TextOf(wire::ToProto(*again)) == TextOf(sent)) << sent.DebugString();
  return domain;
}

// --- to the server ------------------------------------------------------------------------------

// The database keeps of a NaN that it is one.
void ForgetPayloads(work::Correctness& correctness) {
  for (double* error : {&correctness.max_relative_error, &correctness.relative_frobenius}) {
    if (std::isnan(*error)) *error = std::numeric_limits<double>::quiet_NaN();
  }
}
void ForgetPayloads(work::Measurement& measurement) { ForgetPayloads(measurement.correctness); }
void ForgetPayloads(work::Comparison& comparison) {
  for (work::FinalistSamples& finalist : comparison.finalists) ForgetPayloads(finalist.correctness);
}

template <typename Result>
void CheckStored(Result result) {
  ForgetPayloads(result);
  Result read{.outcome = result.outcome, .message = result.message};
  const absl::Status decoded = store::sql::DecodeDetails(store::sql::EncodeDetails(result), read);
  CHECK(decoded.ok()) << decoded;
  const auto environment =
      store::sql::DecodeEnvironment(store::sql::EncodeEnvironment(result.environment));
  CHECK(environment.ok()) << environment.status();
  read.environment = *environment;
  if constexpr (std::is_same_v<Result, work::Measurement>) {
    if (result.latency.has_value()) {
      const std::string text = store::sql::EncodeLatency(*result.latency, result.figures);
      const auto latency = store::sql::DecodeLatency(text);
      CHECK(latency.ok()) << latency.status();
      read.latency = *latency;
      const auto figures = store::sql::DecodeFigures(text);
      CHECK(figures.ok()) << figures.status();
      read.figures = *figures;
    }
    const auto correctness =
        store::sql::DecodeCorrectness(store::sql::EncodeCorrectness(result.correctness));
    CHECK(correctness.ok()) << correctness.status();
    read.correctness = *correctness;
    const auto stripped = store::sql::StripSamples(store::sql::EncodeDetails(result));
    CHECK(stripped.ok() && stripped->samples == static_cast<int64_t>(result.samples.size()));
  }
  CHECK(TextOf(wire::ToProto(read)) == TextOf(wire::ToProto(result)))
      << wire::ToProto(result).DebugString() << wire::ToProto(read).DebugString();
}

void ReadHello(const pb::Hello& message) {
  const auto hello = rpc::FromProto(message);
  CHECK(hello.ok() || absl::IsInvalidArgument(hello.status())) << hello.status();
  for (const pb::DeviceInfo& device : message.devices()) {
    const auto info = CheckedConversion(device);
    if (!info.ok()) continue;
    const auto read = store::sql::DecodeDevice(store::sql::EncodeDevice(*info));
    CHECK(read.ok()) << read.status();
    CHECK(TextOf(wire::ToProto(*read)) == TextOf(wire::ToProto(*info)));
  }
}

void ReadAgentMessage(const pb::AgentMessage& message) {
  if (message.has_hello()) ReadHello(message.hello());
  (void)rpc::HeldFromProto(message.heartbeat().holding());
  if (message.has_report()) {
    const auto report = CheckedConversion(message.report());
    if (report.ok()) std::visit([](const auto& result) { CheckStored(result); }, report->result);
  }
  if (message.has_canary()) (void)CheckedConversion(message.canary().measurement());
}

void ReadSubmission(const pb::SubmitRequest& request) {
  const auto submission = rpc::SubmissionOf(request);
  if (!submission.ok()) {
    CHECK(DiagnosticOf(submission.status()).has_value()) << submission.status();
    return;
  }
  const auto spec = spec::ReadJob(submission->job, spec::SourceCheck::kRequired);
  CHECK(spec.ok() || DiagnosticOf(spec.status()).has_value()) << spec.status();
  if (!spec.ok()) return;
  size_t configurations = 1;
  for (const space::Parameter& parameter : spec->parameters) {
    configurations *= parameter.values.size();
    if (configurations > kFewConfigurations) return;
  }
  const auto plan = jobs::JobPlan::Read(submission->job);
  if (!plan.ok()) {
    CHECK(DiagnosticOf(plan.status()).has_value()) << plan.status();
    return;
  }
  const work::TaskDefinition definition = work::MakeTaskDefinition(plan->spec());
  const auto received = wire::FromProto(Transmitted(wire::ToProto(definition)));
  CHECK(received.ok()) << received.status();
  CHECK(work::HashOf(*received) == work::HashOf(definition));
}

// --- to the agent, and to its workers -----------------------------------------------------------

// Whatever passes as an operator can be worked with.
void UseOperator(const op::Operator& op) {
  CHECK(!op::CanonicalKey(op).empty() && !op::Describe(op).empty());
  if (op::Bytes(op) > kSmallTensorsBytes || op::Flops(op) > kFewOperations) return;
  std::vector<std::vector<std::byte>> contents;
  for (const op::Tensor& tensor : op.tensors) {
    size_t bytes = DtypeBytes(tensor.dtype);
    for (const int64_t extent : tensor.shape) bytes *= static_cast<size_t>(extent);
    contents.emplace_back(bytes);
  }
  const std::vector<std::span<const std::byte>> tensors(contents.begin(), contents.end());
  const std::vector<int64_t> elements = op::SampleOutput(op, 1, 1000);
  CHECK(op::Evaluate(op, tensors, elements).size() == elements.size());
}

void ReadTask(const pb::TaskDefinition& message) {
  const auto definition = CheckedConversion(message);
  if (!definition.ok()) return;
  for (const spec::Argument& argument : definition->arguments) {
    CHECK(argument.ElementCount() >= 1);
  }
  if (definition->reference.op.has_value()) UseOperator(*definition->reference.op);
  CHECK(!work::HashOf(*definition).value().empty());
}

void ReadCandidate(const pb::TaskDefinition& task, const pb::Configuration& message) {
  const auto definition = wire::FromProto(task);
  const auto configuration = CheckedConversion(message);
  if (!definition.ok() || !configuration.ok()) return;
  for (const spec::Kernel& stage : definition->stages) {
    (void)work::ExpandFlags(stage.flags, *configuration);
    (void)work::MacroLines(*definition, stage, *configuration);
  }
}

void ReadServerMessage(const pb::ServerMessage& message) {
  if (message.has_task()) ReadTask(message.task().definition());
  if (message.has_assignment()) {
    const auto assignment = CheckedConversion(message.assignment());
    if (!assignment.ok()) return;
    const std::string kind = work::WorkKindName(assignment->work);
    const auto read = store::sql::DecodeWork(kind, store::sql::EncodeWork(assignment->work));
    CHECK(read.ok()) << read.status();
  }
  if (message.has_acknowledgement()) {
    (void)wire::FromProto(message.acknowledgement().result());
  }
}

void ReadWorkerRequest(const pb::WorkerRequest& request) {
  ReadTask(request.compile().task());
  ReadCandidate(request.compile().task(), request.compile().configuration());
  ReadCandidate(request.measure().task(), request.measure().candidate().configuration());
  for (const pb::CandidateArtefact& finalist : request.compare().finalists()) {
    ReadCandidate(request.compare().task(), finalist.configuration());
  }
}

void ReadWorkerReply(const pb::WorkerReply& reply) {
  for (const pb::DeviceInfo& device : reply.describe().devices()) (void)CheckedConversion(device);
  (void)wire::FromProto(reply.compile().outcome());
  if (reply.has_measurement()) (void)CheckedConversion(reply.measurement());
  if (reply.has_comparison()) (void)CheckedConversion(reply.comparison());
}

// Whatever comes through the pipe, up to its end or the first fault.
template <typename Message, typename Read>
void ReadFrames(const std::string& bytes, Read read) {
  if (bytes.size() > kPipeBytes) return;
  int ends[2];
  CHECK(::pipe(ends) == 0);
  const UniqueFd out(ends[0]);
  {
    const UniqueFd in(ends[1]);
    CHECK(::write(in.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  Message message;
  while (wire::ReadFrame(out.get(), absl::InfiniteDuration(), message).ok()) read(message);
}

template <typename Message, typename Read>
void ReadMessage(const std::string& bytes, Read read) {
  Message message;
  if (message.ParseFromString(bytes)) read(message);
}

}  // namespace
}  // namespace burnish

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace burnish;  // NOLINT
  // Text that is not UTF-8 is refused with a line on standard error.
  [[maybe_unused]] static const auto default_log = google::protobuf::SetLogHandler(nullptr);
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 5) {
    case 0:
      ReadMessage<pb::AgentMessage>(bytes, ReadAgentMessage);
      break;
    case 1:
      ReadMessage<pb::SubmitRequest>(bytes, ReadSubmission);
      break;
    case 2:
      ReadMessage<pb::ServerMessage>(bytes, ReadServerMessage);
      break;
    case 3:
      ReadFrames<pb::WorkerRequest>(bytes, ReadWorkerRequest);
      break;
    default:
      ReadFrames<pb::WorkerReply>(bytes, ReadWorkerReply);
  }
  return 0;
}
