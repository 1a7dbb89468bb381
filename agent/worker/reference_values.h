// What the outputs should be. A reference function computes them once per task, in a runner that
// holds no candidate's code, and they are kept in the agent's state folder; a damaged file is
// computed anew. An operator is evaluated in this process, at some elements.
#pragma once

#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/worker/operator_values.h"
#include "agent/worker/task.h"
#include "common/base/ids.h"

namespace burnish::worker {

// Nothing (`reference: none`), every output's bytes by argument, or some elements of the one
// output.
using ExpectedOutputs = std::variant<std::monostate, BufferContents, SampledOutput>;

class ReferenceValues {
 public:
  // `artefact_path` is the compiled reference function, where the reference is one.
  ReferenceValues(const Task& task, const TaskHash& hash, std::string artefact_path,
                  const std::string& folder);

  // A reference that fails makes the task impossible: `rejected`, "the reference failed: ...".
  absl::StatusOr<ExpectedOutputs> Get() const;

 private:
  // A function's: computed and stored if they are not there.
  absl::StatusOr<BufferContents> FunctionValues() const;
  absl::StatusOr<BufferContents> Load() const;
  absl::Status Store(const BufferContents& outputs) const;
  absl::StatusOr<BufferContents> Compute() const;

  const Task& task_;
  const TaskHash hash_;
  const std::string artefact_path_;
  const std::string path_;
};

}  // namespace burnish::worker
