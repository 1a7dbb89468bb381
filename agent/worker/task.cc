#include "agent/worker/task.h"

#include "absl/strings/str_cat.h"
#include "agent/worker/candidate_failure.h"

namespace burnish::worker {
namespace {

std::shared_ptr<TaskInputs> InputsOf(const work::TaskDefinition& definition) {
  struct Remembered {
    TaskHash hash;
    std::shared_ptr<TaskInputs> inputs;
  };
  static Remembered& last = *new Remembered;
  const TaskHash hash = work::HashOf(definition);
  if (last.inputs == nullptr || last.hash != hash) {
    last = {hash, std::make_shared<TaskInputs>(definition.arguments, definition.input_seed)};
  }
  return last.inputs;
}

}  // namespace

Task::Task(const backends::Backend& backend, int device_index, work::TaskDefinition definition,
           RunnerPool& runners)
    : backend_(&backend),
      device_index_(device_index),
      definition_(std::move(definition)),
      layout_(definition_.arguments),
      runners_(&runners) {}

absl::StatusOr<Task> Task::Prepare(const backends::Backend& backend, int device_index,
                                   work::TaskDefinition definition, RunnerPool& runners) {
  Task task(backend, device_index, std::move(definition), runners);
  const size_t machine_bytes = MachineBytes();
  // The shared buffers, and copies of inputs and of the expected and first outputs beside them (of
  // one set of inputs at a time, where they are large).
  if (task.layout_.total_bytes() > machine_bytes / 4) {
    return CandidateFailed(work::Outcome::kOutOfMemory,
                           absl::StrCat("the buffers take ", task.layout_.total_bytes() >> 20,
                                        " MiB; this machine's memory of ", machine_bytes >> 20,
                                        " MiB allows a quarter of that"));
  }
  task.inputs_ = InputsOf(task.definition_);
  return task;
}

work::DeviceInfo DeviceOf(const Task& task) {
  return task.backend().Devices()[task.device_index()];
}

}  // namespace burnish::worker
