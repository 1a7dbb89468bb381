#include "agent/sandbox/framed_worker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/wire/configuration.h"
#include "common/wire/device.h"
#include "common/wire/measurement.h"
#include "common/wire/task.h"

namespace burnish::agent {
namespace {

v1::Artefact ToProto(const Artefact& artefact) {
  v1::Artefact proto;
  proto.set_path(artefact.path);
  proto.set_key(artefact.key);
  return proto;
}

v1::CandidateArtefact ToProto(const Candidate& candidate) {
  v1::CandidateArtefact proto;
  *proto.mutable_configuration() = wire::ToProto(candidate.configuration);
  *proto.mutable_artefact() = ToProto(candidate.artefact);
  return proto;
}

// MeasureRequest and CompareRequest name the target by the same fields.
template <typename Request>
void SetTarget(const RunTarget& target, Request& request) {
  request.set_backend(target.backend);
  request.set_device_index(target.device_index);
  *request.mutable_task() = wire::ToProto(*target.task);
  request.set_task_hash(target.task_hash.value());
  *request.mutable_reference() = ToProto(target.reference);
  request.set_reference_folder(target.reference_folder);
}

// What a worker says is checked like any input: nonsense is its fault, not the candidate's.
template <typename Domain>
absl::StatusOr<Domain> Checked(absl::StatusOr<Domain> value) {
  if (value.ok()) return value;
  return absl::InternalError(
      absl::StrCat("the worker's answer is malformed: ", std::string(value.status().message())));
}

}  // namespace

absl::StatusOr<v1::WorkerReply> FramedWorker::Ask(v1::WorkerRequest request,
                                                  v1::WorkerReply::KindCase expected,
                                                  const CallLimits& limits) {
  ASSIGN_OR_RETURN(v1::WorkerReply reply,
                   process_.Exchange(std::move(request), limits.timeout, limits.stop));
  if (reply.kind_case() == v1::WorkerReply::kRefusal) {
    return absl::InvalidArgumentError(reply.refusal());
  }
  if (reply.kind_case() != expected) {
    return absl::InternalError(absl::StrCat("the worker's answer is of kind ",
                                            static_cast<int>(reply.kind_case()), " instead of ",
                                            static_cast<int>(expected)));
  }
  return reply;
}

absl::StatusOr<std::vector<work::DeviceInfo>> FramedWorker::Describe(const std::string& backend,
                                                                     const CallLimits& limits) {
  v1::WorkerRequest request;
  request.mutable_describe()->set_backend(backend);
  ASSIGN_OR_RETURN(const v1::WorkerReply reply,
                   Ask(std::move(request), v1::WorkerReply::kDescribe, limits));
  std::vector<work::DeviceInfo> devices;
  for (const v1::DeviceInfo& device : reply.describe().devices()) {
    ASSIGN_OR_RETURN(devices.emplace_back(), Checked(wire::FromProto(device)));
  }
  return devices;
}

absl::StatusOr<CompileResult> FramedWorker::Compile(const CompileOrder& order,
                                                    const CallLimits& limits) {
  v1::WorkerRequest request;
  v1::CompileRequest& compile = *request.mutable_compile();
  compile.set_backend(order.backend);
  *compile.mutable_task() = wire::ToProto(*order.task);
  if (order.configuration) {
    *compile.mutable_configuration() = wire::ToProto(*order.configuration);
  } else {
    compile.mutable_reference();
  }
  compile.set_artefact_folder(order.artefact_folder);
  if (order.time_limit) compile.set_time_limit_seconds(absl::ToDoubleSeconds(*order.time_limit));
  ASSIGN_OR_RETURN(const v1::WorkerReply reply,
                   Ask(std::move(request), v1::WorkerReply::kCompile, limits));
  CompileResult result;
  ASSIGN_OR_RETURN(result.outcome, Checked(wire::FromProto(reply.compile().outcome())));
  result.message = reply.compile().message();
  result.artefact = {reply.compile().artefact().path(), reply.compile().artefact().key()};
  result.seconds = reply.compile().seconds();
  result.cached = reply.compile().cached();
  return result;
}

absl::StatusOr<work::Measurement> FramedWorker::Measure(const MeasureOrder& order,
                                                        const CallLimits& limits) {
  v1::WorkerRequest request;
  SetTarget(order.target, *request.mutable_measure());
  *request.mutable_measure()->mutable_candidate() = ToProto(order.candidate);
  request.mutable_measure()->set_seed(order.seed);
  request.mutable_measure()->set_incumbent_seconds(order.incumbent_seconds);
  ASSIGN_OR_RETURN(const v1::WorkerReply reply,
                   Ask(std::move(request), v1::WorkerReply::kMeasurement, limits));
  return Checked(wire::FromProto(reply.measurement()));
}

absl::StatusOr<work::Comparison> FramedWorker::Compare(const CompareOrder& order,
                                                       const CallLimits& limits) {
  v1::WorkerRequest request;
  v1::CompareRequest& compare = *request.mutable_compare();
  SetTarget(order.target, compare);
  for (const Candidate& finalist : order.finalists) *compare.add_finalists() = ToProto(finalist);
  compare.set_rounds(order.rounds);
  compare.set_order_seed(order.order_seed);
  ASSIGN_OR_RETURN(const v1::WorkerReply reply,
                   Ask(std::move(request), v1::WorkerReply::kComparison, limits));
  return Checked(wire::FromProto(reply.comparison()));
}

absl::StatusOr<work::Roofs> FramedWorker::MeasureRoofs(const RoofOrder& order,
                                                       const CallLimits& limits) {
  v1::WorkerRequest request;
  v1::MeasureRoofsRequest& measure = *request.mutable_measure_roofs();
  measure.set_backend(order.backend);
  measure.set_device_index(order.device_index);
  measure.set_artefact_folder(order.artefact_folder);
  ASSIGN_OR_RETURN(const v1::WorkerReply reply,
                   Ask(std::move(request), v1::WorkerReply::kRoofs, limits));
  return Checked(wire::FromProto(reply.roofs()));
}

}  // namespace burnish::agent
