#include "agent/worker/service.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/backends/registry.h"
#include "agent/sandbox/isolation/namespaces.h"
#include "agent/worker/attempts.h"
#include "agent/worker/candidate_failure.h"
#include "agent/worker/device_sensor.h"
#include "agent/worker/hangup_watch.h"
#include "agent/worker/roofs.h"
#include "agent/worker/runner_pool.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/base/utf8_text.h"
#include "common/wire/configuration.h"
#include "common/wire/device.h"
#include "common/wire/frame.h"
#include "common/wire/measurement.h"
#include "common/wire/task.h"

namespace burnish::worker {
namespace {

namespace pb = burnish::v1;

absl::StatusOr<const backends::Backend*> RequiredBackend(const std::string& name) {
  const backends::Backend* backend = backends::FindBackend(name);
  if (backend != nullptr) return backend;
  return InvalidInput(absl::StrCat("unknown backend '", name, "'"),
                      NameHint(name, backends::BackendNames()));
}

absl::StatusOr<work::TaskDefinition> ReadTask(const pb::TaskDefinition& proto) {
  ASSIGN_OR_RETURN(work::TaskDefinition task, wire::FromProto(proto));
  if (task.stages.size() != 1) {
    return InvalidInput(absl::StrCat("a task of ", task.stages.size(), " kernels; one is built"));
  }
  return task;
}

absl::StatusOr<pb::DescribeReply> Describe(const pb::DescribeRequest& request) {
  ASSIGN_OR_RETURN(const backends::Backend* backend, RequiredBackend(request.backend()));
  pb::DescribeReply reply;
  for (work::DeviceInfo& device : backend->Devices()) {
    if (backend->answerer() == nullptr) {
      device.metrics.push_back(spec::Metric::kSustained);
      AddSensor(device);
    }
    *reply.add_devices() = wire::ToProto(device);
  }
  return reply;
}

absl::StatusOr<backends::CompileJob> ReadCompileJob(const pb::CompileRequest& request) {
  ASSIGN_OR_RETURN(const work::TaskDefinition task, ReadTask(request.task()));
  backends::CompileJob job;
  if (request.has_reference()) {
    if (task.reference.kind != spec::Reference::Kind::kFunction) {
      return InvalidInput("the task has no reference function");
    }
    job.role = "reference";
    job.kernel.language = task.reference.language;
    job.kernel.source = task.reference.source;
    job.kernel.entry = task.reference.entry;
    job.kernel.flags = task.reference.flags;
  } else {
    ASSIGN_OR_RETURN(job.configuration, wire::FromProto(request.configuration()));
    job.kernel = task.stages[0];
    ASSIGN_OR_RETURN(job.kernel.source, work::SourceOf(task.stages[0], job.configuration));
    job.kernel.flags = work::ExpandFlags(job.kernel.flags, job.configuration);
    job.macros = work::MacroLines(task, task.stages[0], job.configuration);
  }
  job.arguments = task.arguments;
  job.artefact_folder = request.artefact_folder();
  job.timeout =
      absl::Seconds(request.time_limit_seconds() > 0 ? request.time_limit_seconds()
                                                     : task.measure.compile_timeout_seconds);
  return job;
}

absl::StatusOr<pb::CompileReply> Compile(const pb::CompileRequest& request, int cancel_fd) {
  ASSIGN_OR_RETURN(const backends::Backend* backend, RequiredBackend(request.backend()));
  ASSIGN_OR_RETURN(backends::CompileJob job, ReadCompileJob(request));
  job.cancel_fd = cancel_fd;
  const absl::Duration start = SystemClock().Monotonic();
  const backends::CompileResult result = backend->compiler().Compile(job);
  pb::CompileReply reply;
  reply.set_outcome(wire::ToProto(result.outcome));
  reply.set_message(Utf8Text(result.message));
  reply.set_seconds(absl::ToDoubleSeconds(SystemClock().Monotonic() - start));
  if (result.outcome == work::Outcome::kOk) {
    reply.mutable_artefact()->set_path(result.artefact.path);
    reply.mutable_artefact()->set_key(result.artefact.key);
    if (result.artefact.path.empty()) reply.set_seconds(0);  // there was nothing to compile
  }
  reply.set_cached(result.cached);
  return reply;
}

// The backend of a MeasureRequest or a CompareRequest, which has its device.
template <typename Request>
absl::StatusOr<const backends::Backend*> BackendOf(const Request& request) {
  ASSIGN_OR_RETURN(const backends::Backend* backend, RequiredBackend(request.backend()));
  const auto devices = static_cast<int>(backend->Devices().size());
  if (request.device_index() < 0 || request.device_index() >= devices) {
    return InvalidInput(absl::StrCat("device_index: ", request.device_index(), "; there are ",
                                     devices, " ", request.backend(), " devices"));
  }
  return backend;
}

template <typename Request>
absl::StatusOr<Task> PrepareTask(const Request& request, const backends::Backend* backend,
                                 RunnerPool& runners) {
  ASSIGN_OR_RETURN(work::TaskDefinition definition, ReadTask(request.task()));
  return Task::Prepare(*backend, request.device_index(), std::move(definition), runners);
}

template <typename Request>
ReferenceValues ReferenceOf(const Request& request, const Task& task) {
  return ReferenceValues(task, TaskHash(request.task_hash()), request.reference().path(),
                         request.reference_folder());
}

absl::StatusOr<CandidateArtefact> ReadCandidate(const pb::CandidateArtefact& proto) {
  CandidateArtefact candidate;
  ASSIGN_OR_RETURN(candidate.configuration, wire::FromProto(proto.configuration()));
  candidate.path = proto.artefact().path();
  return candidate;
}

absl::StatusOr<pb::Measurement> AnswerMeasure(const pb::MeasureRequest& request,
                                              RunnerPool& runners) {
  ASSIGN_OR_RETURN(const backends::Backend* backend, BackendOf(request));
  ASSIGN_OR_RETURN(const CandidateArtefact candidate, ReadCandidate(request.candidate()));
  if (const backends::Answerer* const answerer = backend->answerer()) {
    return wire::ToProto(
        answerer->Measure(request.device_index(), candidate.configuration, request.seed()));
  }
  const absl::StatusOr<Task> task = PrepareTask(request, backend, runners);
  if (!task.ok() && OutcomeOf(task.status()) != work::Outcome::kInfrastructure) {
    work::Measurement unfit;
    unfit.outcome = OutcomeOf(task.status());
    unfit.message = std::string(task.status().message());
    return wire::ToProto(unfit);
  }
  RETURN_IF_ERROR(task.status());
  return wire::ToProto(Measure(*task, candidate, ReferenceOf(request, *task),
                               std::max(request.incumbent_seconds(), 0.0)));
}

absl::StatusOr<pb::Comparison> AnswerCompare(const pb::CompareRequest& request,
                                             RunnerPool& runners) {
  ASSIGN_OR_RETURN(const backends::Backend* backend, BackendOf(request));
  std::vector<CandidateArtefact> finalists;
  for (const pb::CandidateArtefact& finalist : request.finalists()) {
    ASSIGN_OR_RETURN(finalists.emplace_back(), ReadCandidate(finalist));
  }
  if (const backends::Answerer* const answerer = backend->answerer()) {
    std::vector<space::Configuration> configurations;
    for (CandidateArtefact& finalist : finalists) {
      configurations.push_back(std::move(finalist.configuration));
    }
    return wire::ToProto(answerer->Compare(request.device_index(), configurations, request.rounds(),
                                           request.order_seed()));
  }
  ASSIGN_OR_RETURN(work::TaskDefinition definition, ReadTask(request.task()));
  // Inputs that no candidate has seen; their reference values are of no use to anybody else.
  definition.input_seed = RandomStream(request.order_seed(), "finalists' inputs").NextUint64();
  const TaskHash hash = work::HashOf(definition);
  ASSIGN_OR_RETURN(const Task task,
                   Task::Prepare(*backend, request.device_index(), std::move(definition), runners));
  const ReferenceValues reference(task, hash, request.reference().path(), /*folder=*/"");
  return wire::ToProto(Compare(task, finalists, reference, request.rounds(), request.order_seed()));
}

// Puts the value, or the refusal, into the reply.
template <typename Value>
void Put(absl::StatusOr<Value> value, Value* (pb::WorkerReply::*field)(), pb::WorkerReply& reply) {
  if (value.ok()) {
    *(reply.*field)() = *std::move(value);
  } else {
    reply.set_refusal(Utf8Text(std::string(value.status().message())));
  }
}

// The reply to one request.
pb::WorkerReply Answer(WorkerRole role, const pb::WorkerRequest& request, RunnerPool& runners) {
  pb::WorkerReply reply;
  reply.set_id(request.id());
  const bool builds = role == WorkerRole::kBuild;
  if (request.has_describe()) {
    Put(Describe(request.describe()), &pb::WorkerReply::mutable_describe, reply);
  } else if (request.has_compile() && builds) {
    Put(Compile(request.compile(), runners.cancel_fd()), &pb::WorkerReply::mutable_compile, reply);
  } else if (request.has_measure() && !builds) {
    Put(AnswerMeasure(request.measure(), runners), &pb::WorkerReply::mutable_measurement, reply);
  } else if (request.has_compare() && !builds) {
    Put(AnswerCompare(request.compare(), runners), &pb::WorkerReply::mutable_comparison, reply);
  } else if (request.has_measure_roofs() && !builds) {
    Put(MeasureRoofs(request.measure_roofs(), runners.cancel_fd()), &pb::WorkerReply::mutable_roofs,
        reply);
  } else {
    reply.set_refusal(absl::StrCat("not a request for a ", builds ? "build" : "run", " worker"));
  }
  return reply;
}

}  // namespace

absl::Status ServeAgent(WorkerRole role, isolation::Found found) {
  RunnerPool runners(std::move(found), WatchForHangup(STDIN_FILENO));
  pb::WorkerRequest request;
  while (true) {
    const absl::Status read = wire::ReadFrame(STDIN_FILENO, absl::InfiniteDuration(), request);
    if (absl::IsUnavailable(read)) return absl::OkStatus();
    RETURN_IF_ERROR(read);
    const pb::WorkerReply reply = Answer(role, request, runners);
    // What a compiler that was ended has left.
    if (role == WorkerRole::kBuild) isolation::EndAllOthers();
    const absl::Status written = wire::WriteFrame(STDOUT_FILENO, reply);
    if (absl::IsUnavailable(written)) return absl::OkStatus();
    RETURN_IF_ERROR(written);
  }
}

}  // namespace burnish::worker
