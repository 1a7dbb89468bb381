#include "agent/worker/kernel_run.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "agent/verify/poison.h"
#include "agent/worker/candidate_failure.h"
#include "common/base/status_macros.h"
#include "common/wire/task.h"

namespace burnish::worker {

absl::StatusOr<KernelRun> KernelRun::Start(const Task& task, const std::string& artefact_path) {
  ASSIGN_OR_RETURN(const UniqueFd artefact, SealedCopy(artefact_path));
  ASSIGN_OR_RETURN(SharedMemory memory, SharedMemory::Create(task.layout().total_bytes()));
  ASSIGN_OR_RETURN(RunnerProcess runner,
                   RunnerProcess::Start(task.runners(), memory.fd(), artefact.get()));
  return KernelRun(task, std::move(memory), std::move(runner));
}

absl::Status KernelRun::Load(const std::string& entry, absl::Duration time_limit) {
  burnish::v1::RunnerRequest::Load load;
  load.set_backend(task_->backend().name());
  load.set_device_index(task_->device_index());
  load.set_entry(entry);
  for (size_t i = 0; i < task_->arguments().size(); ++i) {
    *load.add_arguments() = wire::ToProto(task_->arguments()[i]);
    load.add_buffer_offsets(task_->layout().offset(i));
  }
  load.set_shared_bytes(task_->layout().total_bytes());
  return runner_.Load(std::move(load), time_limit);
}

absl::StatusOr<int64_t> KernelRun::ExecuteFresh(verify::InputSet set) {
  inputs_ = task_->inputs().Get(set);
  task_->layout().PoisonAll(memory_.bytes());
  for (size_t i = 0; i < task_->arguments().size(); ++i) {
    std::ranges::copy((*inputs_)[i], task_->layout().Buffer(memory_.bytes(), i).begin());
  }
  if (!task_->definition().stages[0].prepare.empty()) RETURN_IF_ERROR(runner_.Prepare());
  ASSIGN_OR_RETURN(const int64_t elapsed_ns, Execute(1));
  RETURN_IF_ERROR(CheckHarmless());
  return elapsed_ns;
}

void KernelRun::PoisonOutputs() {
  for (size_t i = 0; i < task_->arguments().size(); ++i) {
    const spec::Argument& argument = task_->arguments()[i];
    if (argument.is_buffer && argument.role == spec::Role::kOutput) {
      verify::Poison(task_->layout().Buffer(memory_.bytes(), i));
    }
  }
}

absl::StatusOr<int64_t> KernelRun::Execute(int64_t launches) {
  const bool cold = task_->definition().measure.cache == spec::CacheState::kCold;
  went_on_ = false;
  return runner_.Run(launches, cold, /*restore_inouts=*/FillInouts());
}

absl::StatusOr<int64_t> KernelRun::ExecuteBackToBack(int64_t launches) {
  went_on_ = FillInouts();
  return runner_.Run(launches, /*flush_caches=*/false, /*restore_inouts=*/false);
}

bool KernelRun::FillInouts() {
  bool any = false;
  for (size_t i = 0; i < task_->arguments().size(); ++i) {
    if (task_->arguments()[i].role != spec::Role::kInout) continue;
    std::ranges::copy((*inputs_)[i], task_->layout().Buffer(memory_.bytes(), i).begin());
    any = true;
  }
  return any;
}

absl::Status KernelRun::CheckHarmless() const {
  if (const auto damage = task_->layout().FindDamage(memory_.bytes())) {
    return CandidateFailed(work::Outcome::kWrongResult, *damage);
  }
  for (size_t i = 0; i < task_->arguments().size(); ++i) {
    const spec::Argument& argument = task_->arguments()[i];
    if (!argument.is_buffer || argument.role != spec::Role::kInput) continue;
    if (!std::ranges::equal(Buffer(i), (*inputs_)[i])) {
      return CandidateFailed(work::Outcome::kWrongResult,
                             absl::StrCat("changed its input '", argument.name, "'"));
    }
  }
  return absl::OkStatus();
}

BufferContents KernelRun::Outputs() const {
  BufferContents outputs(task_->arguments().size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!IsOutput(task_->arguments()[i])) continue;
    const std::span<const std::byte> buffer = Buffer(i);
    outputs[i].assign(buffer.begin(), buffer.end());
  }
  return outputs;
}

}  // namespace burnish::worker
