// Carries out the assignments an agent holds: compiles ahead with several build workers, runs one
// candidate at a time per exclusion group, and hands each result to the sink.
//
// An attempt is held from Accept() until its report is in the sink or it is dropped: revoked, not
// kept by the server, or without a renewal for 90 % of its lease. A dropped attempt's worker is
// killed and nothing is reported. A worker that dies or hangs makes the outcome `infrastructure`,
// which the server retries; what a candidate does wrong is the worker's to report.
//
// The control kernel is measured in the same way, in a local attempt: no lease, so it is never
// dropped, nor told to the server as held.
//
// What a device can do at most is measured by its run worker between attempts, in its turn.
//
// Thread-safe. The sink and a control kernel's `done` are called with the executor's lock held, so
// that every attempt is at all times either held here or in the sink: they must not call back.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "agent/executor/deadlines.h"
#include "agent/executor/exclusion_group.h"
#include "agent/executor/worker_crew.h"
#include "agent/sandbox/worker_channel.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/work/device.h"
#include "common/work/task_definition.h"
#include "common/work/work_item.h"

namespace burnish::agent {

struct ExecutorOptions {
  AgentId agent;
  std::vector<work::DeviceInfo> devices;
  std::string artefact_folder;
  std::string reference_folder;
  int build_workers = 1;
  Deadlines deadlines;
};

struct HeldAttempt {
  AttemptId attempt;
  WorkItemId work_item;
  Fence fence;
};

// As the server names it.
DeviceId DeviceIdOf(const AgentId& agent, const work::DeviceInfo& device);

class Executor {
 public:
  using Sink = std::function<void(const DeviceId& device, work::Report report)>;
  using ControlDone = std::function<void(work::Measurement)>;
  using RoofsDone = std::function<void(absl::StatusOr<work::Roofs>)>;

  Executor(ExecutorOptions options, const WorkerFactory& factory, const Clock& clock, Sink sink);
  // Drops everything; workers are dead when it returns.
  ~Executor();

  // How long a lease lasts from its last renewal.
  void SetLease(absl::Duration lease);
  // The task's definition comes later, by AddTask(), or never, by FailTask(). Until then its
  // attempts are held and wait.
  void ExpectTask(const TaskHash& hash);
  void AddTask(const TaskHash& hash, work::TaskDefinition definition);
  // Its attempts, those that come later too, end as `infrastructure`.
  void FailTask(const TaskHash& hash, const std::string& reason);
  void Accept(const work::Assignment& assignment);
  // Measures the control kernel ahead of what waits for the device; one at a time per device, which
  // has to be one of this agent's whose backend has a control kernel.
  void MeasureControl(const DeviceId& device, ControlDone done);
  // Behind what waits for the device, which has to be one of this agent's. `done` is called by the
  // device's thread without a lock held, and not at all once the executor ends.
  void MeasureRoofs(const DeviceId& device, RoofsDone done);
  // `at` (monotonic) is when the renewal was asked for: the server's clock starts no earlier.
  void Renew(const std::vector<AttemptId>& attempts, absl::Duration at);
  void Drop(const AttemptId& attempt, std::string_view reason);
  // Drops all but these, and the tasks that none of these is of.
  void KeepOnly(const std::vector<AttemptId>& attempts);
  std::vector<HeldAttempt> Holding() const;

 private:
  struct Task;
  struct Attempt;
  struct Lane;
  using Result = std::variant<work::Measurement, work::Comparison>;
  using AttemptPtr = std::shared_ptr<Attempt>;

  // Null if the agent does not have it.
  const work::DeviceInfo* FindDevice(const DeviceId& id) const;
  std::vector<AttemptPtr> AttemptsOf(const std::shared_ptr<Task>& task) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The steps of an attempt, in order; Start once the task is known. Build and Run are jobs of the
  // crews.
  void Start(const AttemptPtr& attempt) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Build(const AttemptPtr& attempt, WorkerChannel& worker, const std::stop_token& stop);
  void BuildReference(const std::shared_ptr<Task>& task, const std::string& backend,
                      WorkerChannel& worker, const std::stop_token& stop);
  // A lost worker is `infrastructure`; nothing if it was stopped. No configuration: the reference.
  std::optional<CompileResult> Compile(Task& task, const std::string& backend,
                                       const std::optional<space::Configuration>& configuration,
                                       WorkerChannel& worker, const std::stop_token& stop);
  // Less than the job's limit: what other configurations took.
  std::optional<absl::Duration> CompileLimitOf(const Task& task) const ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteCompiled(Task& task, const CompileOrder& order, CompileResult& result)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Queues what is built, and whose task has its reference, for its device.
  void QueueReady(const AttemptPtr& attempt) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Run(const AttemptPtr& attempt, WorkerChannel& worker, const std::stop_token& stop);
  // Hands the result to the sink, unless the attempt was dropped.
  void Finish(const AttemptPtr& attempt, Result result) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void QueueReference(const AttemptPtr& attempt) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropLocked(const AttemptPtr& attempt, std::string_view reason)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Drops attempts whose lease is about to end; the thread of `lease_watch_`.
  void WatchLeases();

  const ExecutorOptions options_;
  const Clock& clock_;
  const Sink sink_;

  mutable absl::Mutex mutex_;
  absl::CondVar leases_changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Duration lease_ ABSL_GUARDED_BY(mutex_) = absl::Seconds(30);
  std::map<TaskHash, std::shared_ptr<Task>> tasks_ ABSL_GUARDED_BY(mutex_);
  std::map<AttemptId, AttemptPtr> attempts_ ABSL_GUARDED_BY(mutex_);

  // Fixed after construction. Lanes outlive the builders, which may hold a lane's group.
  std::map<std::string, std::unique_ptr<Lane>> lanes_;  // by exclusion group
  std::unique_ptr<WorkerCrew> builders_;
  std::thread lease_watch_;
};

}  // namespace burnish::agent
