// Workers without processes: what each call does is a function that the test sets, shared by all
// the workers of a script. Thread-safe as far as the functions are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "agent/sandbox/worker_channel.h"
#include "common/work/work_item.h"

namespace burnish::agent {

inline CompileResult CompiledOk(const CompileOrder& order) {
  CompileResult result;
  result.outcome = work::Outcome::kOk;
  result.artefact.path = order.configuration ? space::ToJson(*order.configuration) : "reference";
  result.seconds = 0.25;
  return result;
}

inline work::Measurement MeasuredOk() {
  work::Measurement measurement;
  measurement.outcome = work::Outcome::kOk;
  measurement.samples = {{.total_ns = 1000, .launches = 1}};
  measurement.latency = work::Latency{"p20", 1e-6, {1e-6, 1e-6}, 0, 1e-6};
  return measurement;
}

// As a real worker: waits, and dies when stopped.
inline absl::Status HangUntilStopped(const CallLimits& limits) {
  absl::Notification stopped;
  const std::stop_callback notify(limits.stop, [&stopped] { stopped.Notify(); });
  stopped.WaitForNotification();
  return absl::CancelledError("stopped");
}

struct WorkerScript {
  std::function<absl::StatusOr<std::vector<work::DeviceInfo>>(const std::string& backend)>
      describe = [](const std::string&) { return std::vector<work::DeviceInfo>(); };
  std::function<absl::StatusOr<CompileResult>(const CompileOrder&, const CallLimits&)> compile =
      [](const CompileOrder& order, const CallLimits&) { return CompiledOk(order); };
  std::function<absl::StatusOr<work::Measurement>(const MeasureOrder&, const CallLimits&)> measure =
      [](const MeasureOrder&, const CallLimits&) { return MeasuredOk(); };
  std::function<absl::StatusOr<work::Comparison>(const CompareOrder&, const CallLimits&)> compare =
      [](const CompareOrder&, const CallLimits&) { return work::Comparison(); };
  std::function<absl::StatusOr<work::Roofs>(const RoofOrder&, const CallLimits&)> measure_roofs =
      [](const RoofOrder&, const CallLimits&) { return work::Roofs(); };

  WorkerFactory Factory();
};

class ScriptedWorker : public WorkerChannel {
 public:
  explicit ScriptedWorker(const WorkerScript& script) : script_(script) {}
  absl::StatusOr<std::vector<work::DeviceInfo>> Describe(const std::string& backend,
                                                         const CallLimits&) override {
    return script_.describe(backend);
  }
  absl::StatusOr<CompileResult> Compile(const CompileOrder& order,
                                        const CallLimits& limits) override {
    return script_.compile(order, limits);
  }
  absl::StatusOr<work::Measurement> Measure(const MeasureOrder& order,
                                            const CallLimits& limits) override {
    return script_.measure(order, limits);
  }
  absl::StatusOr<work::Comparison> Compare(const CompareOrder& order,
                                           const CallLimits& limits) override {
    return script_.compare(order, limits);
  }
  absl::StatusOr<work::Roofs> MeasureRoofs(const RoofOrder& order,
                                           const CallLimits& limits) override {
    return script_.measure_roofs(order, limits);
  }

 private:
  const WorkerScript& script_;
};

inline WorkerFactory WorkerScript::Factory() {
  return [this](WorkerRole) { return std::make_unique<ScriptedWorker>(*this); };
}

inline work::DeviceInfo TestDevice(const std::string& exclusion_group) {
  work::DeviceInfo device;
  device.backend = "cpu";
  device.device_class = "test silicon";
  device.exclusion_group = exclusion_group;
  device.environment = {{"compiler", "test"}};
  return device;
}

inline work::TaskDefinition TestTask(bool with_reference) {
  work::TaskDefinition task;
  task.problem = "test";
  task.stages.emplace_back().entry = "kernel";
  task.reference.kind =
      with_reference ? spec::Reference::Kind::kFunction : spec::Reference::Kind::kNone;
  return task;
}

inline work::Assignment TestAssignment(int number) {
  work::Assignment assignment;
  assignment.attempt = AttemptId("attempt-" + std::to_string(number));
  assignment.work_item = WorkItemId(100 + number);
  assignment.fence = Fence(number);
  assignment.device = DeviceId("agent/cpu:0");
  assignment.task = TaskHash("task");
  assignment.work = work::MeasureWork{{{"N", int64_t{number}}}};
  return assignment;
}

}  // namespace burnish::agent
