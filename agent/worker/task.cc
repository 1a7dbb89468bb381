#include "agent/worker/task.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "agent/verify/fill.h"
#include "agent/worker/candidate_failure.h"

namespace burnish::worker {

Task::Task(const backends::Backend& backend, int device_index, work::TaskDefinition definition,
           RunnerPool& runners)
    : backend_(&backend),
      device_index_(device_index),
      definition_(std::move(definition)),
      layout_(definition_.arguments),
      inputs_(definition_.arguments.size()),
      runners_(&runners) {}

absl::StatusOr<Task> Task::Prepare(const backends::Backend& backend, int device_index,
                                   work::TaskDefinition definition, RunnerPool& runners) {
  Task task(backend, device_index, std::move(definition), runners);
  const auto machine_bytes =
      static_cast<size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  // The shared buffers, and copies of inputs and of the expected and first outputs beside them.
  if (task.layout_.total_bytes() > machine_bytes / 4) {
    return CandidateFailed(work::Outcome::kOutOfMemory,
                           absl::StrCat("the buffers take ", task.layout_.total_bytes() >> 20,
                                        " MiB; this machine's memory of ", machine_bytes >> 20,
                                        " MiB allows a quarter of that"));
  }
  for (size_t i = 0; i < task.arguments().size(); ++i) {
    const spec::Argument& argument = task.arguments()[i];
    if (!IsInput(argument)) continue;
    task.inputs_[i].resize(argument.ElementCount() * DtypeBytes(argument.dtype));
    verify::FillBuffer(argument, task.definition_.input_seed, task.inputs_[i]);
  }
  return task;
}

work::DeviceInfo DeviceOf(const Task& task) {
  return task.backend().Devices()[task.device_index()];
}

bool IsInput(const spec::Argument& argument) {
  return argument.is_buffer &&
         (argument.role == spec::Role::kInput || argument.role == spec::Role::kInout);
}

bool IsOutput(const spec::Argument& argument) {
  return argument.is_buffer &&
         (argument.role == spec::Role::kOutput || argument.role == spec::Role::kInout);
}

}  // namespace burnish::worker
