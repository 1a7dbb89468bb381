// What the outputs should be, on each set of inputs. A reference function computes them once per
// task, in a runner that holds no candidate's code, and they are kept in the agent's state folder;
// a damaged file is computed anew. An operator is evaluated in this process, at some elements. Not
// thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/verify/compare.h"
#include "agent/worker/operator_values.h"
#include "agent/worker/task.h"
#include "common/base/ids.h"

namespace burnish::worker {

// On one set: every output's bytes by argument, or some elements of the one output.
using OutputValues = std::variant<BufferContents, std::shared_ptr<const SampledOutput>>;

class ReferenceValues;

// Of a task; `reference` must outlive it.
class ExpectedOutputs {
 public:
  // On which the reference is defined: all, or only as filled where no input varies, or none with
  // `reference: none`. The first is as filled.
  const std::vector<verify::InputSet>& sets() const { return sets_; }
  // Large ones are read from their file when they are needed.
  absl::StatusOr<std::shared_ptr<const OutputValues>> On(verify::InputSet set) const;
  verify::ReferenceFacts FactsOf(verify::InputSet set, size_t argument) const;

 private:
  friend class ReferenceValues;
  explicit ExpectedOutputs(const ReferenceValues& reference) : reference_(&reference) {}

  const ReferenceValues* reference_;
  std::vector<verify::InputSet> sets_;
  std::map<verify::InputSet, std::shared_ptr<const OutputValues>> kept_;
  std::vector<double> largest_rms_;  // of each argument, on any set
};

class ReferenceValues {
 public:
  // `artefact_path` is the compiled reference function, where the reference is one. Without a
  // folder nothing is stored.
  ReferenceValues(const Task& task, const TaskHash& hash, std::string artefact_path,
                  const std::string& folder);

  // A reference that fails makes the task impossible: `rejected`, "the reference failed: ...". One
  // that fails only on inputs that are not those of the job file leaves that set out.
  absl::StatusOr<ExpectedOutputs> Get() const;

 private:
  friend class ExpectedOutputs;

  // Null where the reference is not defined.
  absl::StatusOr<std::shared_ptr<const OutputValues>> On(verify::InputSet set) const;
  // A function's: computed and stored if they are not there. Empty where it is not defined.
  absl::StatusOr<BufferContents> FunctionValues(verify::InputSet set) const;
  absl::StatusOr<BufferContents> Load(verify::InputSet set) const;
  absl::Status Store(verify::InputSet set, const BufferContents& outputs) const;
  absl::StatusOr<BufferContents> Compute(verify::InputSet set) const;
  std::string PathOf(verify::InputSet set) const;

  const Task& task_;
  const TaskHash hash_;
  const std::string artefact_path_;
  const std::string folder_;
};

}  // namespace burnish::worker
