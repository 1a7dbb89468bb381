#include "common/spec/job_reader.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/document.h"
#include "common/spec/fields.h"
#include "common/spec/section_readers.h"
#include "common/spec/t1_reader.h"

namespace burnish::spec {
namespace {

const Vocabulary& JobKeys() {
  static const Vocabulary& keys =
      *new Vocabulary{{"name", "kernel", "workload", "devices", "objectives", "limits", "measure",
                       "budget", "strategy"},
                      {"model", "kernels"}};
  return keys;
}

absl::Status CheckJobKeys(const Node& root) {
  RETURN_IF_ERROR(
      CheckMapping(root, "a job file starts with `name:` and `kernel:` or `workload:`"));
  const std::pair<const char*, const Vocabulary&> sections[] = {{"kernel", KernelKeys()},
                                                                {"workload", WorkloadKeys()}};
  for (const Node* node : root.children) {
    for (const auto& [section, keys] : sections) {
      if (std::ranges::find(keys.known, node->key) == keys.known.end()) continue;
      return ErrorAtKey(*node, "unknown key '" + node->key + "'",
                        std::string("it stands under `") + section + ":`");
    }
  }
  return CheckKeys(root, JobKeys());
}

absl::Status ReadJobName(const Node& node, JobSpec& spec) {
  ASSIGN_OR_RETURN(spec.name, ReadText(node));
  if (spec.name.size() <= limits::kNameBytes) return absl::OkStatus();
  return ErrorAt(node, "is longer than " + std::to_string(limits::kNameBytes) + " bytes");
}

// What is to be tuned.
absl::Status ReadProblem(const Node& root, const JobText& job, SourceCheck check, JobSpec& spec) {
  const Node* kernel = root.Find("kernel");
  const Node* workload = root.Find("workload");
  if (kernel != nullptr && workload != nullptr) {
    return ErrorAtKey(*workload, "a job has a `kernel` or a `workload`, not both",
                      "remove one of them");
  }
  if (kernel != nullptr) return ReadKernel(*kernel, job, check, spec);
  if (workload != nullptr) return ReadWorkload(*workload, spec);
  return ErrorAtKey(root, "the key 'kernel' or 'workload' is missing",
                    "`kernel:` is code of your own, `workload:` an operator such as matmul");
}

}  // namespace

absl::StatusOr<JobSpec> ReadJob(const JobText& job, SourceCheck source_check) {
  ASSIGN_OR_RETURN(const std::unique_ptr<const Document> document,
                   Document::Parse(job.file_name, job.text));
  const Node& root = document->root();
  if (IsT1(root)) return ReadT1(root, job, source_check);
  RETURN_IF_ERROR(CheckJobKeys(root));
  JobSpec spec;
  ASSIGN_OR_RETURN(const Node* name, Require(root, "name"));
  RETURN_IF_ERROR(ReadJobName(*name, spec));
  RETURN_IF_ERROR(ReadProblem(root, job, source_check, spec));

  using Reader = absl::Status (*)(const Node&, JobSpec&);
  constexpr std::pair<const char*, Reader> kOptions[] = {
      {"devices", ReadDevices}, {"objectives", ReadObjectives}, {"limits", ReadLimits},
      {"measure", ReadMeasure}, {"budget", ReadBudget},         {"strategy", ReadStrategy},
  };
  for (const auto& [key, reader] : kOptions) {
    if (const Node* node = root.Find(key)) RETURN_IF_ERROR(reader(*node, spec));
  }
  return spec;
}

absl::StatusOr<std::vector<FileReference>> FindFileReferences(std::string_view file_name,
                                                              std::string_view text) {
  ASSIGN_OR_RETURN(const std::unique_ptr<const Document> document,
                   Document::Parse(file_name, text));
  std::vector<FileReference> references;
  const Node* kernel = document->root().Find("kernel");
  const Node* reference = kernel != nullptr ? kernel->Find("reference") : nullptr;
  std::vector<const Node*> files = {FindT1KernelFile(document->root())};
  for (const Node* code : {kernel, reference}) {
    const Node* source = code != nullptr ? code->Find("source") : nullptr;
    files.push_back(source != nullptr ? source->Find("file") : nullptr);
  }
  for (const Node* file : files) {
    if (file == nullptr || file->kind != Node::Kind::kScalar || file->text.empty()) continue;
    const Place place = document->InCharacters(file->place);
    references.push_back({file->text, file->Path(), place.line, place.column});
  }
  return references;
}

}  // namespace burnish::spec
