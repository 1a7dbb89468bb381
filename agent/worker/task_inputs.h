// What a task's kernels read, on each set of inputs. Small ones are made once and kept; of large
// ones only the set that was asked for last, and those that somebody holds. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "agent/verify/input_set.h"
#include "common/spec/job_spec.h"

namespace burnish::worker {

// Bytes of each argument's buffer, by argument; empty for those that are not meant.
using BufferContents = std::vector<std::vector<std::byte>>;

size_t MachineBytes();  // of memory

bool IsInput(const spec::Argument& argument);   // has a first content: input, inout
bool IsOutput(const spec::Argument& argument);  // has a result: output, inout

class TaskInputs {
 public:
  TaskInputs(std::vector<spec::Argument> arguments, uint64_t seed);

  // Else all sets are the same one.
  bool vary_by_set() const { return vary_by_set_; }
  // Of roles input and inout.
  std::shared_ptr<const BufferContents> Get(verify::InputSet set);

 private:
  const std::vector<spec::Argument> arguments_;
  const uint64_t seed_;
  bool vary_by_set_ = false;
  bool keeps_all_ = false;
  std::array<std::weak_ptr<const BufferContents>, verify::kInputSets.size()> made_;
  std::array<std::shared_ptr<const BufferContents>, verify::kInputSets.size()> kept_;
};

}  // namespace burnish::worker
