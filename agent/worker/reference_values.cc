#include "agent/worker/reference_values.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/verify/poison.h"
#include "agent/worker/candidate_failure.h"
#include "agent/worker/kernel_run.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

using verify::InputSet;

constexpr size_t kDigestBytes = 64;
// References are written for clarity, not for speed.
constexpr absl::Duration kMinTimeLimit = absl::Seconds(60);
constexpr int kTimeLimitFactor = 10;
constexpr size_t kKeptBytes = 64 << 20;  // of all sets together
// A reference that takes longer is computed on one set only where its values are not stored.
constexpr absl::Duration kSlow = absl::Seconds(2);
// How large an output counts at least, beside what it is on another set.
constexpr double kLeastShare = 0.1;

size_t OutputBytes(const Task& task) {
  size_t bytes = 0;
  for (const spec::Argument& argument : task.arguments()) {
    if (IsOutput(argument)) bytes += argument.ElementCount() * DtypeBytes(argument.dtype);
  }
  return bytes;
}

void RaiseLargestRms(const Task& task, const OutputValues& values, std::vector<double>& largest) {
  if (const auto* sampled = std::get_if<std::shared_ptr<const SampledOutput>>(&values)) {
    double& rms = largest[(*sampled)->argument];
    rms = std::max(rms, verify::RootMeanSquare((*sampled)->values));
    return;
  }
  const BufferContents& outputs = std::get<BufferContents>(values);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Dtype dtype = task.arguments()[i].dtype;
    largest[i] = std::max(largest[i], verify::RootMeanSquare(dtype, outputs[i]));
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<const OutputValues>> ExpectedOutputs::On(InputSet set) const {
  const auto kept = kept_.find(set);
  if (kept != kept_.end()) return kept->second;
  ASSIGN_OR_RETURN(std::shared_ptr<const OutputValues> values, reference_->On(set));
  if (values == nullptr) return absl::DataLossError("the stored reference values have changed");
  return values;
}

verify::ReferenceFacts ExpectedOutputs::FactsOf(InputSet set, size_t argument) const {
  verify::ReferenceFacts facts;
  const spec::Reference& reference = reference_->task_.definition().reference;
  if (reference.kind == spec::Reference::Kind::kOperator) {
    facts.reduction_length = op::ReductionLength(*reference.op);
  }
  facts.least_rms = kLeastShare * largest_rms_[argument];
  facts.numbers_only = set != InputSet::kAsFilled;
  return facts;
}

ReferenceValues::ReferenceValues(const Task& task, const TaskHash& hash, std::string artefact_path,
                                 const std::string& folder)
    : task_(task), hash_(hash), artefact_path_(std::move(artefact_path)), folder_(folder) {}

absl::StatusOr<ExpectedOutputs> ReferenceValues::Get() const {
  ExpectedOutputs expected(*this);
  const spec::Reference::Kind kind = task_.definition().reference.kind;
  if (kind != spec::Reference::Kind::kFunction && kind != spec::Reference::Kind::kOperator) {
    return expected;
  }
  const bool keeps = folder_.empty() || kind == spec::Reference::Kind::kOperator ||
                     OutputBytes(task_) <= kKeptBytes / verify::kInputSets.size();
  expected.largest_rms_.resize(task_.arguments().size());
  const absl::Duration start = SystemClock().Monotonic();
  const bool varies = task_.definition().measure.varies_inputs && task_.inputs().vary_by_set();
  for (const InputSet set : verify::kInputSets) {
    const bool slow = folder_.empty() && SystemClock().Monotonic() - start > kSlow;
    if (set != InputSet::kAsFilled && (slow || !varies)) continue;
    ASSIGN_OR_RETURN(std::shared_ptr<const OutputValues> values, On(set));
    if (values == nullptr) continue;
    expected.sets_.push_back(set);
    RaiseLargestRms(task_, *values, expected.largest_rms_);
    if (keeps) expected.kept_[set] = std::move(values);
  }
  return expected;
}

absl::StatusOr<std::shared_ptr<const OutputValues>> ReferenceValues::On(InputSet set) const {
  if (task_.definition().reference.kind == spec::Reference::Kind::kOperator) {
    ASSIGN_OR_RETURN(auto sampled, OperatorValues(task_, hash_, set));
    return std::make_shared<const OutputValues>(std::move(sampled));
  }
  ASSIGN_OR_RETURN(BufferContents outputs, FunctionValues(set));
  if (outputs.empty()) return nullptr;
  return std::make_shared<const OutputValues>(std::move(outputs));
}

absl::StatusOr<BufferContents> ReferenceValues::FunctionValues(InputSet set) const {
  if (absl::StatusOr<BufferContents> stored = Load(set); stored.ok()) return stored;
  absl::StatusOr<BufferContents> computed = Compute(set);
  if (!computed.ok()) {
    const absl::Status& status = computed.status();
    if (OutcomeOf(status) == work::Outcome::kInfrastructure) return status;
    const std::string message(status.message());
    if (set == InputSet::kAsFilled) {
      return CandidateFailed(work::Outcome::kRejected,
                             absl::StrCat("the reference failed: ", message));
    }
    Log(LogLevel::kWarning, "reference fails on some inputs",
        {{"task", hash_.value()},
         {"inputs", std::string(verify::InputSetName(set))},
         {"reason", message}});
    computed = BufferContents();
  }
  if (!folder_.empty()) RETURN_IF_ERROR(Store(set, *computed));
  return computed;
}

std::string ReferenceValues::PathOf(InputSet set) const {
  const std::string name(set == InputSet::kAsFilled ? "" : verify::InputSetName(set));
  return absl::StrCat(folder_, "/", hash_.value(), name.empty() ? "" : ".", name, ".ref");
}

absl::Status ReferenceValues::Store(InputSet set, const BufferContents& outputs) const {
  std::string values;
  values.reserve(OutputBytes(task_));
  for (const std::vector<std::byte>& output : outputs) {
    values.append(reinterpret_cast<const char*>(output.data()), output.size());
  }
  RETURN_IF_ERROR(MakeFolders(folder_));
  return WriteFileAtomically(PathOf(set), Sha256Hex(values) + values, /*durable=*/false);
}

absl::StatusOr<BufferContents> ReferenceValues::Load(InputSet set) const {
  if (folder_.empty()) return absl::NotFoundError("nothing is stored");
  const size_t bytes = OutputBytes(task_);
  ASSIGN_OR_RETURN(const std::string file, ReadFile(PathOf(set), kDigestBytes + bytes));
  std::string_view values(file);
  values.remove_prefix(std::min(kDigestBytes, file.size()));
  if (Sha256Hex(values) != file.substr(0, kDigestBytes)) return absl::DataLossError("wrong digest");
  // Where the reference is not defined there are none.
  if (set != InputSet::kAsFilled && values.empty()) return BufferContents();
  if (values.size() != bytes) return absl::DataLossError("wrong size");
  BufferContents outputs(task_.arguments().size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const spec::Argument& argument = task_.arguments()[i];
    if (!IsOutput(argument)) continue;
    outputs[i].resize(argument.ElementCount() * DtypeBytes(argument.dtype));
    std::memcpy(outputs[i].data(), values.data(), outputs[i].size());
    values.remove_prefix(outputs[i].size());
  }
  return outputs;
}

absl::StatusOr<BufferContents> ReferenceValues::Compute(InputSet set) const {
  const absl::Duration time_limit = std::max(kTimeLimitFactor * task_.run_timeout(), kMinTimeLimit);
  ASSIGN_OR_RETURN(KernelRun run, KernelRun::Start(task_, artefact_path_));
  RETURN_IF_ERROR(run.Load(task_.definition().reference.entry, time_limit));
  RETURN_IF_ERROR(run.ExecuteFresh(set).status());
  for (size_t i = 0; i < task_.arguments().size(); ++i) {
    const spec::Argument& argument = task_.arguments()[i];
    if (!IsOutput(argument)) continue;
    // Else a candidate that writes nothing would be as right as the reference.
    if (verify::FirstUnpoisoned(run.Buffer(i)) == run.Buffer(i).size()) {
      return CandidateFailed(work::Outcome::kWrongResult,
                             absl::StrCat("it never writes its output '", argument.name, "'"));
    }
    // Else nothing but NaN would be asked for.
    if (!verify::HasNumbers(argument.dtype, run.Buffer(i))) {
      return CandidateFailed(work::Outcome::kWrongResult,
                             absl::StrCat("its output '", argument.name, "' holds no number"));
    }
  }
  return run.Outputs();
}

}  // namespace burnish::worker
