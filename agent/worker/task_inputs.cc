#include "agent/worker/task_inputs.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace burnish::worker {
namespace {

// Of all sets together. Making them anew for every check takes longer than most kernels.
size_t KeptBytes() {
  constexpr size_t kShareOfMachine = 16;
  constexpr size_t kLeast = 64 << 20;
  return std::max(MachineBytes() / kShareOfMachine, kLeast);
}

size_t BytesOf(const spec::Argument& argument) {
  return argument.ElementCount() * DtypeBytes(argument.dtype);
}

}  // namespace

TaskInputs::TaskInputs(std::vector<spec::Argument> arguments, uint64_t seed)
    : arguments_(std::move(arguments)), seed_(seed) {
  size_t bytes = 0;
  for (const spec::Argument& argument : arguments_) {
    if (!IsInput(argument)) continue;
    bytes += BytesOf(argument);
    vary_by_set_ = vary_by_set_ || verify::VariesBySet(argument);
  }
  keeps_all_ = bytes <= KeptBytes() / kept_.size();
}

std::shared_ptr<const BufferContents> TaskInputs::Get(verify::InputSet set) {
  const size_t slot = vary_by_set_ ? static_cast<size_t>(set) : 0;
  if (auto made = made_[slot].lock()) return made;
  if (!keeps_all_) kept_ = {};
  auto contents = std::make_shared<BufferContents>(arguments_.size());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!IsInput(arguments_[i])) continue;
    (*contents)[i].resize(BytesOf(arguments_[i]));
    verify::FillBuffer(arguments_[i], set, seed_, (*contents)[i]);
  }
  made_[slot] = kept_[slot] = contents;
  return contents;
}

size_t MachineBytes() {
  return static_cast<size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<size_t>(::sysconf(_SC_PAGESIZE));
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
