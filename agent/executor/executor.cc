#include "agent/executor/executor.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/executor/compile_limit.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/space/configuration.h"
#include "common/work/control_kernel.h"

namespace burnish::agent {
namespace {

// The last tenth of a lease is left to killing the worker and to clocks that differ.
constexpr double kTrustedShareOfLease = 0.9;

// The group of devices that are the host's own processor, where compiling disturbs the clock.
constexpr const char* kHostProcessorGroup = "cpu";

std::string GroupOf(const work::DeviceInfo& device) {
  if (!device.exclusion_group.empty()) return device.exclusion_group;
  return absl::StrCat(device.backend, ":", device.index);
}

std::vector<space::Configuration> ConfigurationsOf(const work::Work& work) {
  if (const auto* compare = std::get_if<work::CompareWork>(&work)) return compare->finalists;
  return {std::get<work::MeasureWork>(work).configuration};
}

// The result of an attempt that did not get to its end.
std::variant<work::Measurement, work::Comparison> Failure(const work::Work& work,
                                                          work::Outcome outcome,
                                                          const std::string& message) {
  if (std::holds_alternative<work::CompareWork>(work)) {
    work::Comparison comparison;
    // Finalists have compiled and run before, so it is not they who fail.
    comparison.outcome = work::Outcome::kInfrastructure;
    comparison.message = message;
    return comparison;
  }
  work::Measurement measurement;
  measurement.outcome = outcome;
  measurement.message = message;
  return measurement;
}

// Against what a candidate races. Devices of a class are alike, but one that is warmer or busier
// than the incumbent's shall not lose all its races for that.
constexpr double kOtherDevice = 1.2;

double IncumbentSeconds(const work::MeasureWork& measure, const DeviceId& device) {
  if (!measure.incumbent) return 0;
  return measure.incumbent->seconds * (measure.incumbent->device == device ? 1 : kOtherDevice);
}

// Before a launch: should it take the whole machine down, the log says what did.
void LogStart(const work::Assignment& assignment, const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates) {
    Log(LogLevel::kInfo, "configuration_started",
        {{"attempt_id", assignment.attempt.value()},
         {"device", assignment.device.value()},
         {"artefact", candidate.artefact.key},
         {"configuration", space::ToJson(candidate.configuration)}});
  }
}

}  // namespace

DeviceId DeviceIdOf(const AgentId& agent, const work::DeviceInfo& device) {
  return DeviceId(absl::StrCat(agent.value(), "/", device.backend, ":", device.index));
}

// Runs candidates on the devices of one exclusion group, one at a time.
struct Executor::Lane {
  explicit Lane(const WorkerFactory& factory)
      : runner(WorkerRole::kRun, /*size=*/1, &group, factory) {}
  ExclusionGroup group;
  WorkerCrew runner;
};

// Guarded by mutex_, but for what is const.
struct Executor::Task {
  enum class Reference { kUnbuilt, kBuilding, kReady };

  explicit Task(const TaskHash& hash) : hash(hash) {}
  void Define(work::TaskDefinition what) {
    definition = std::make_shared<const work::TaskDefinition>(std::move(what));
  }

  const TaskHash hash;
  std::shared_ptr<const work::TaskDefinition> definition;  // fixed once it is there
  std::string failure;                                     // why it will not come; empty: it may
  Reference reference = Reference::kUnbuilt;
  Artefact reference_artefact;
  bool reference_computed = false;  // its values are known to be in the reference folder
  CompileLimit compile_limit;
};

// Guarded by mutex_, but for what is const.
struct Executor::Attempt {
  Attempt(const work::Assignment& assignment, std::shared_ptr<Task> task,
          const work::DeviceInfo* device, Lane* lane, absl::Duration now,
          ControlDone done = nullptr)
      : assignment(assignment),
        task(std::move(task)),
        device(device),
        lane(lane),
        done(std::move(done)),
        renewed_at(now) {}

  bool leased() const { return done == nullptr; }
  WorkerCrew::Place place() const {
    return leased() ? WorkerCrew::Place::kLast : WorkerCrew::Place::kFirst;
  }

  void Cancel() const {
    if (crew != nullptr) crew->Cancel(ticket);
  }

  const work::Assignment assignment;
  const std::shared_ptr<Task> task;
  const work::DeviceInfo* const device;
  Lane* const lane;
  const ControlDone done;  // of a local attempt; null: leased
  absl::Duration renewed_at;
  WorkerCrew* crew = nullptr;  // that has the job of the present step; null: not started
  WorkerCrew::Ticket ticket = 0;
  bool built = false;
  std::vector<Candidate> candidates;
  double compile_seconds = 0;
};

Executor::Executor(ExecutorOptions options, const WorkerFactory& factory, const Clock& clock,
                   Sink sink)
    : options_(std::move(options)), clock_(clock), sink_(std::move(sink)) {
  for (const work::DeviceInfo& device : options_.devices) {
    std::unique_ptr<Lane>& lane = lanes_[GroupOf(device)];
    if (lane == nullptr) lane = std::make_unique<Lane>(factory);
  }
  const auto host = lanes_.find(kHostProcessorGroup);
  builders_ =
      std::make_unique<WorkerCrew>(WorkerRole::kBuild, options_.build_workers,
                                   host == lanes_.end() ? nullptr : &host->second->group, factory);
  lease_watch_ = std::thread([this] { WatchLeases(); });
}

Executor::~Executor() {
  KeepOnly({});
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    leases_changed_.Signal();
  }
  lease_watch_.join();
  builders_.reset();
  lanes_.clear();
}

void Executor::SetLease(absl::Duration lease) {
  absl::MutexLock lock(&mutex_);
  lease_ = lease;
  leases_changed_.Signal();
}

void Executor::ExpectTask(const TaskHash& hash) {
  absl::MutexLock lock(&mutex_);
  std::shared_ptr<Task>& task = tasks_[hash];
  if (task == nullptr) task = std::make_shared<Task>(hash);
}

void Executor::AddTask(const TaskHash& hash, work::TaskDefinition definition) {
  absl::MutexLock lock(&mutex_);
  std::shared_ptr<Task>& task = tasks_[hash];
  if (task == nullptr) task = std::make_shared<Task>(hash);
  if (task->definition != nullptr) return;
  task->Define(std::move(definition));
  task->failure.clear();
  for (const AttemptPtr& attempt : AttemptsOf(task)) Start(attempt);
}

void Executor::FailTask(const TaskHash& hash, const std::string& reason) {
  absl::MutexLock lock(&mutex_);
  const auto task = tasks_.find(hash);
  if (task == tasks_.end() || task->second->definition != nullptr) return;
  task->second->failure = reason;
  for (const AttemptPtr& attempt : AttemptsOf(task->second)) {
    Finish(attempt, Failure(attempt->assignment.work, work::Outcome::kInfrastructure, reason));
  }
}

std::vector<Executor::AttemptPtr> Executor::AttemptsOf(const std::shared_ptr<Task>& task) const {
  std::vector<AttemptPtr> attempts;
  for (const auto& [id, attempt] : attempts_) {
    if (attempt->task == task) attempts.push_back(attempt);
  }
  return attempts;
}

const work::DeviceInfo* Executor::FindDevice(const DeviceId& id) const {
  const auto device = std::ranges::find_if(options_.devices, [&](const work::DeviceInfo& info) {
    return DeviceIdOf(options_.agent, info) == id;
  });
  return device == options_.devices.end() ? nullptr : &*device;
}

void Executor::Accept(const work::Assignment& assignment) {
  absl::MutexLock lock(&mutex_);
  if (attempts_.contains(assignment.attempt)) return;
  const work::DeviceInfo* const device = FindDevice(assignment.device);
  const auto task = tasks_.find(assignment.task);
  std::string failure;
  if (device == nullptr) {
    failure = absl::StrCat("the agent does not have device ", assignment.device.value());
  } else if (task == tasks_.end()) {
    failure = absl::StrCat("the agent does not have task ", assignment.task.value());
  } else {
    failure = task->second->failure;
  }
  if (!failure.empty()) {
    sink_(assignment.device, {assignment.attempt, assignment.work_item, assignment.fence,
                              Failure(assignment.work, work::Outcome::kInfrastructure, failure)});
    return;
  }
  Start(std::make_shared<Attempt>(assignment, task->second, device,
                                  lanes_.at(GroupOf(*device)).get(), clock_.Monotonic()));
  leases_changed_.Signal();
}

void Executor::MeasureControl(const DeviceId& id, ControlDone done) {
  const work::DeviceInfo* const device = FindDevice(id);
  CHECK(device != nullptr);
  std::optional<work::TaskDefinition> definition = work::ControlKernel(device->backend);
  CHECK(definition.has_value());
  work::Assignment assignment;
  assignment.attempt = AttemptId(absl::StrCat("control ", id.value()));
  assignment.device = id;
  assignment.task = work::HashOf(*definition);
  assignment.work = work::MeasureWork();
  absl::MutexLock lock(&mutex_);
  CHECK(!attempts_.contains(assignment.attempt));
  std::shared_ptr<Task>& task = tasks_[assignment.task];
  if (task == nullptr) {
    task = std::make_shared<Task>(assignment.task);
    task->Define(*std::move(definition));
  }
  Start(std::make_shared<Attempt>(assignment, task, device, lanes_.at(GroupOf(*device)).get(),
                                  clock_.Monotonic(), std::move(done)));
}

void Executor::MeasureRoofs(const DeviceId& id, RoofsDone done) {
  const work::DeviceInfo* const device = FindDevice(id);
  CHECK(device != nullptr);
  lanes_.at(GroupOf(*device))
      ->runner.Add([this, device, done = std::move(done)](WorkerChannel& worker,
                                                          const std::stop_token& stop) {
        absl::StatusOr<work::Roofs> roofs =
            worker.MeasureRoofs({device->backend, device->index, options_.artefact_folder},
                                {options_.deadlines.roofs, stop});
        if (!absl::IsCancelled(roofs.status())) done(std::move(roofs));
      });
}

void Executor::Start(const AttemptPtr& attempt) {
  attempts_[attempt->assignment.attempt] = attempt;
  if (attempt->task->definition == nullptr) return;  // AddTask() starts it
  QueueReference(attempt);
  attempt->crew = builders_.get();
  attempt->ticket =
      builders_->Add([this, attempt](WorkerChannel& worker,
                                     const std::stop_token& stop) { Build(attempt, worker, stop); },
                     attempt->place());
}

void Executor::QueueReference(const AttemptPtr& attempt) {
  const std::shared_ptr<Task>& task = attempt->task;
  if (task->reference != Task::Reference::kUnbuilt) return;
  if (task->definition->reference.kind != spec::Reference::Kind::kFunction) {
    task->reference = Task::Reference::kReady;
    return;
  }
  task->reference = Task::Reference::kBuilding;
  builders_->Add([this, task, backend = attempt->device->backend](
                     WorkerChannel& worker,
                     const std::stop_token& stop) { BuildReference(task, backend, worker, stop); },
                 attempt->place());
}

std::optional<CompileResult> Executor::Compile(
    Task& task, const std::string& backend,
    const std::optional<space::Configuration>& configuration, WorkerChannel& worker,
    const std::stop_token& stop) {
  CompileOrder order{backend, task.definition, configuration, options_.artefact_folder};
  if (configuration) order.time_limit = CompileLimitOf(task);
  absl::StatusOr<CompileResult> result =
      worker.Compile(order, {CompileDeadline(options_.deadlines, *task.definition), stop});
  if (absl::IsCancelled(result.status())) return std::nullopt;
  if (result.ok()) {
    if (configuration) NoteCompiled(task, order, *result);
    return *std::move(result);
  }
  CompileResult lost;
  lost.outcome = work::Outcome::kInfrastructure;
  lost.message = absl::StrCat("compiling: ", std::string(result.status().message()));
  return lost;
}

std::optional<absl::Duration> Executor::CompileLimitOf(const Task& task) const {
  absl::MutexLock lock(&mutex_);
  return task.compile_limit.Limit(absl::Seconds(task.definition->measure.compile_timeout_seconds));
}

void Executor::NoteCompiled(Task& task, const CompileOrder& order, CompileResult& result) {
  absl::MutexLock lock(&mutex_);
  if (result.outcome == work::Outcome::kOk && !result.cached) {
    task.compile_limit.Note(absl::Seconds(result.seconds));
  } else if (result.outcome == work::Outcome::kCompileTimeout && order.time_limit) {
    absl::StrAppend(&result.message, " (", CompileLimit::kFactor,
                    " times the longest that another configuration took)");
  }
}

void Executor::BuildReference(const std::shared_ptr<Task>& task, const std::string& backend,
                              WorkerChannel& worker, const std::stop_token& stop) {
  const std::optional<CompileResult> result =
      Compile(*task, backend, /*configuration=*/std::nullopt, worker, stop);
  if (!result) return;
  absl::MutexLock lock(&mutex_);
  const bool built = result->outcome == work::Outcome::kOk;
  // After a failure the next attempt of the task tries again.
  task->reference = built ? Task::Reference::kReady : Task::Reference::kUnbuilt;
  task->reference_artefact = result->artefact;

  for (const AttemptPtr& attempt : AttemptsOf(task)) {
    if (built) {
      QueueReady(attempt);
    } else {
      Finish(attempt, Failure(attempt->assignment.work, result->outcome,
                              absl::StrCat("the reference: ", result->message)));
    }
  }
}

void Executor::Build(const AttemptPtr& attempt, WorkerChannel& worker,
                     const std::stop_token& stop) {
  const work::Work& work = attempt->assignment.work;
  std::vector<Candidate> candidates;
  double seconds = 0;
  for (const space::Configuration& configuration : ConfigurationsOf(work)) {
    const std::optional<CompileResult> result =
        Compile(*attempt->task, attempt->device->backend, configuration, worker, stop);
    if (!result) return;  // dropped
    seconds += result->seconds;
    if (result->outcome != work::Outcome::kOk) {
      absl::MutexLock lock(&mutex_);
      attempt->compile_seconds = seconds;
      return Finish(attempt, Failure(work, result->outcome, result->message));
    }
    candidates.push_back({configuration, result->artefact});
  }
  absl::MutexLock lock(&mutex_);
  attempt->built = true;
  attempt->candidates = std::move(candidates);
  attempt->compile_seconds = seconds;
  if (attempts_.contains(attempt->assignment.attempt)) QueueReady(attempt);
}

void Executor::QueueReady(const AttemptPtr& attempt) {
  if (!attempt->built || attempt->task->reference != Task::Reference::kReady) return;
  attempt->crew = &attempt->lane->runner;
  attempt->ticket = attempt->lane->runner.Add(
      [this, attempt](WorkerChannel& worker, const std::stop_token& stop) {
        Run(attempt, worker, stop);
      },
      attempt->place());
}

void Executor::Run(const AttemptPtr& attempt, WorkerChannel& worker, const std::stop_token& stop) {
  RunTarget target{.backend = attempt->device->backend,
                   .device_index = attempt->device->index,
                   .task = attempt->task->definition,
                   .task_hash = attempt->task->hash,
                   .reference_folder = options_.reference_folder,
                   .reference = {}};
  std::vector<Candidate> candidates;
  CallLimits limits{absl::ZeroDuration(), stop};
  {
    absl::MutexLock lock(&mutex_);
    target.reference = attempt->task->reference_artefact;
    candidates = attempt->candidates;
    limits.timeout = RunDeadline(options_.deadlines, *target.task, attempt->assignment.work,
                                 attempt->task->reference_computed);
  }
  LogStart(attempt->assignment, candidates);
  absl::StatusOr<Result> result;
  const auto seed = static_cast<uint64_t>(attempt->assignment.work_item.value());
  if (const auto* compare = std::get_if<work::CompareWork>(&attempt->assignment.work)) {
    result = worker.Compare({target, candidates, compare->rounds, seed}, limits);
  } else {
    const auto& measure = std::get<work::MeasureWork>(attempt->assignment.work);
    result = worker.Measure(
        {target, candidates.front(), seed, IncumbentSeconds(measure, attempt->assignment.device)},
        limits);
  }
  if (absl::IsCancelled(result.status())) return;  // dropped

  absl::MutexLock lock(&mutex_);
  if (result.ok()) {
    const auto* const measurement = std::get_if<work::Measurement>(&*result);
    if (measurement != nullptr && measurement->outcome != work::Outcome::kInfrastructure) {
      attempt->task->reference_computed = true;
    }
    Finish(attempt, *std::move(result));
  } else {
    Finish(attempt, Failure(attempt->assignment.work, work::Outcome::kInfrastructure,
                            std::string(result.status().message())));
  }
}

void Executor::Finish(const AttemptPtr& attempt, Result result) {
  const work::Assignment& assignment = attempt->assignment;
  const auto held = attempts_.find(assignment.attempt);
  if (held == attempts_.end() || held->second != attempt) return;  // dropped meanwhile
  if (auto* measurement = std::get_if<work::Measurement>(&result)) {
    // Unless the device knows what it would have taken.
    if (measurement->compile_seconds == 0) measurement->compile_seconds = attempt->compile_seconds;
  }
  std::visit(
      [&](auto& value) {
        if (value.environment.empty()) value.environment = attempt->device->environment;
      },
      result);
  if (attempt->leased()) {
    sink_(assignment.device,
          {assignment.attempt, assignment.work_item, assignment.fence, std::move(result)});
  } else {
    attempt->done(std::get<work::Measurement>(std::move(result)));
  }
  attempts_.erase(held);
  attempt->Cancel();  // a build that a failed reference makes pointless
}

void Executor::Renew(const std::vector<AttemptId>& attempts, absl::Duration at) {
  absl::MutexLock lock(&mutex_);
  for (const AttemptId& id : attempts) {
    const auto held = attempts_.find(id);
    if (held != attempts_.end()) held->second->renewed_at = std::max(held->second->renewed_at, at);
  }
  leases_changed_.Signal();
}

void Executor::Drop(const AttemptId& attempt, std::string_view reason) {
  absl::MutexLock lock(&mutex_);
  const auto held = attempts_.find(attempt);
  if (held != attempts_.end()) DropLocked(AttemptPtr(held->second), reason);
}

void Executor::DropLocked(const AttemptPtr& attempt, std::string_view reason) {
  Log(LogLevel::kInfo, "attempt_dropped",
      {{"attempt_id", attempt->assignment.attempt.value()}, {"reason", std::string(reason)}});
  attempts_.erase(attempt->assignment.attempt);
  attempt->Cancel();
}

void Executor::KeepOnly(const std::vector<AttemptId>& attempts) {
  const std::set<AttemptId> kept(attempts.begin(), attempts.end());
  absl::MutexLock lock(&mutex_);
  std::vector<AttemptPtr> dropped;
  for (const auto& [id, attempt] : attempts_) {
    if (attempt->leased() && !kept.contains(id)) dropped.push_back(attempt);
  }
  for (const AttemptPtr& attempt : dropped) DropLocked(attempt, "no longer wanted");
  std::set<TaskHash> needed;
  for (const auto& [id, attempt] : attempts_) needed.insert(attempt->task->hash);
  std::erase_if(tasks_, [&](const auto& task) { return !needed.contains(task.first); });
}

std::vector<HeldAttempt> Executor::Holding() const {
  absl::MutexLock lock(&mutex_);
  std::vector<HeldAttempt> holding;
  for (const auto& [id, attempt] : attempts_) {
    if (!attempt->leased()) continue;
    holding.push_back({id, attempt->assignment.work_item, attempt->assignment.fence});
  }
  return holding;
}

void Executor::WatchLeases() {
  absl::MutexLock lock(&mutex_);
  while (!stopping_) {
    const absl::Duration now = clock_.Monotonic();
    absl::Duration next = absl::InfiniteDuration();
    std::vector<AttemptPtr> lost;
    for (const auto& [id, attempt] : attempts_) {
      if (!attempt->leased()) continue;
      const absl::Duration end = attempt->renewed_at + kTrustedShareOfLease * lease_;
      if (end <= now) {
        lost.push_back(attempt);
      } else {
        next = std::min(next, end);
      }
    }
    for (const AttemptPtr& attempt : lost) DropLocked(attempt, "its lease was not renewed");
    leases_changed_.WaitWithTimeout(&mutex_, next - now);
  }
}

}  // namespace burnish::agent
