#include "server/dispatch/task_definitions.h"

#include <utility>

#include "absl/status/statusor.h"
#include "common/base/log.h"
#include "common/spec/job_reader.h"

namespace burnish::dispatch {
namespace {

// A definition holds its sources; tasks beyond these are read again when their turn comes.
constexpr size_t kDefinitionsKept = 64;

void NameBlob(const store::JobSource& job, spec::Source& source) {
  const auto blob = job.blobs.find(source.file);
  if (blob != job.blobs.end()) source.blob = blob->second;
}

absl::StatusOr<work::TaskDefinition> Read(const store::JobSource& job) {
  absl::StatusOr<spec::JobSpec> spec =
      spec::ReadJob({.file_name = job.file_name, .text = job.text, .files = job.files},
                    spec::SourceCheck::kRequired);
  if (!spec.ok()) return spec.status();
  work::TaskDefinition definition = work::MakeTaskDefinition(*spec);
  for (spec::Kernel& stage : definition.stages) NameBlob(job, stage.source);
  NameBlob(job, definition.reference.source);
  return definition;
}

}  // namespace

std::shared_ptr<const work::TaskDefinition> TaskDefinitions::Find(const store::OpenTask& task) {
  const auto found = definitions_.find(task.hash);
  if (found != definitions_.end()) return found->second;
  const absl::StatusOr<store::JobSource> stored = store_.GetJobSource(task.owner, task.id.job);
  if (!stored.ok()) return nullptr;
  absl::StatusOr<work::TaskDefinition> read = Read(*stored);
  std::shared_ptr<const work::TaskDefinition> definition;
  if (read.ok()) {
    definition = std::make_shared<const work::TaskDefinition>(*std::move(read));
  } else {
    Log(LogLevel::kWarning, "task.unreadable",
        {{"task", ToText(task.id)}, {"error", std::string(read.status().message())}});
  }
  if (oldest_first_.size() == kDefinitionsKept) {
    definitions_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
  definitions_.emplace(task.hash, definition);
  oldest_first_.push_back(task.hash);
  return definition;
}

}  // namespace burnish::dispatch
