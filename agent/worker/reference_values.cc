#include "agent/worker/reference_values.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "agent/verify/poison.h"
#include "agent/worker/candidate_failure.h"
#include "agent/worker/kernel_run.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/status_macros.h"

namespace burnish::worker {
namespace {

constexpr size_t kDigestBytes = 64;
// References are written for clarity, not for speed.
constexpr absl::Duration kMinTimeLimit = absl::Seconds(60);
constexpr int kTimeLimitFactor = 10;

size_t OutputBytes(const Task& task) {
  size_t bytes = 0;
  for (const spec::Argument& argument : task.arguments()) {
    if (IsOutput(argument)) bytes += argument.ElementCount() * DtypeBytes(argument.dtype);
  }
  return bytes;
}

}  // namespace

ReferenceValues::ReferenceValues(const Task& task, const TaskHash& hash, std::string artefact_path,
                                 const std::string& folder)
    : task_(task),
      hash_(hash),
      artefact_path_(std::move(artefact_path)),
      path_(absl::StrCat(folder, "/", hash.value(), ".ref")) {}

absl::StatusOr<ExpectedOutputs> ReferenceValues::Get() const {
  switch (task_.definition().reference.kind) {
    case spec::Reference::Kind::kFunction:
      return FunctionValues();
    case spec::Reference::Kind::kOperator:
      return OperatorValues(task_, hash_);
    case spec::Reference::Kind::kAbsent:
    case spec::Reference::Kind::kNone:
      break;
  }
  return ExpectedOutputs();
}

absl::StatusOr<BufferContents> ReferenceValues::FunctionValues() const {
  if (absl::StatusOr<BufferContents> stored = Load(); stored.ok()) return stored;
  absl::StatusOr<BufferContents> computed = Compute();
  if (computed.ok()) {
    RETURN_IF_ERROR(Store(*computed));
    return computed;
  }
  if (OutcomeOf(computed.status()) == work::Outcome::kInfrastructure) return computed.status();
  return CandidateFailed(
      work::Outcome::kRejected,
      absl::StrCat("the reference failed: ", std::string(computed.status().message())));
}

absl::Status ReferenceValues::Store(const BufferContents& outputs) const {
  std::string values;
  values.reserve(OutputBytes(task_));
  for (const std::vector<std::byte>& output : outputs) {
    values.append(reinterpret_cast<const char*>(output.data()), output.size());
  }
  RETURN_IF_ERROR(MakeFolders(path_.substr(0, path_.rfind('/'))));
  return WriteFileAtomically(path_, Sha256Hex(values) + values, /*durable=*/false);
}

absl::StatusOr<BufferContents> ReferenceValues::Load() const {
  const size_t bytes = OutputBytes(task_);
  ASSIGN_OR_RETURN(const std::string file, ReadFile(path_, kDigestBytes + bytes));
  if (file.size() != kDigestBytes + bytes) return absl::DataLossError("wrong size");
  std::string_view values(file);
  values.remove_prefix(kDigestBytes);
  if (Sha256Hex(values) != file.substr(0, kDigestBytes)) return absl::DataLossError("wrong digest");
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

absl::StatusOr<BufferContents> ReferenceValues::Compute() const {
  const absl::Duration time_limit = std::max(kTimeLimitFactor * task_.run_timeout(), kMinTimeLimit);
  ASSIGN_OR_RETURN(KernelRun run, KernelRun::Start(task_, artefact_path_));
  RETURN_IF_ERROR(run.Load(task_.definition().reference.entry, time_limit));
  RETURN_IF_ERROR(run.ExecuteFresh().status());
  for (size_t i = 0; i < task_.arguments().size(); ++i) {
    const spec::Argument& argument = task_.arguments()[i];
    // Else a candidate that writes nothing would be as right as the reference.
    if (IsOutput(argument) && verify::FirstUnpoisoned(run.Buffer(i)) == run.Buffer(i).size()) {
      return CandidateFailed(work::Outcome::kWrongResult,
                             absl::StrCat("it never writes its output '", argument.name, "'"));
    }
  }
  return run.Outputs();
}

}  // namespace burnish::worker
