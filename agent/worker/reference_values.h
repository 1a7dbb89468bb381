// What the outputs should be: computed once per task by the reference, in a runner that holds no
// candidate's code, and kept in the agent's state folder. A damaged file is computed anew.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/worker/task.h"
#include "common/base/ids.h"

namespace burnish::worker {

class ReferenceValues {
 public:
  // `artefact_path` is the compiled reference.
  ReferenceValues(const Task& task, const TaskHash& hash, std::string artefact_path,
                  const std::string& folder);

  // The outputs, by argument; computed and stored if they are not there. A reference that fails
  // makes the task impossible: `rejected`, "the reference failed: ...".
  absl::StatusOr<BufferContents> Get() const;

 private:
  absl::StatusOr<BufferContents> Load() const;
  absl::Status Store(const BufferContents& outputs) const;
  absl::StatusOr<BufferContents> Compute() const;

  const Task& task_;
  const std::string artefact_path_;
  const std::string path_;
};

}  // namespace burnish::worker
