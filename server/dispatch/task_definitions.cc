#include "server/dispatch/task_definitions.h"

#include <utility>

#include "absl/status/statusor.h"
#include "common/base/log.h"
#include "common/work/schedule.h"

namespace burnish::dispatch {
namespace {

// A definition holds its sources; tasks beyond these are read again whenever they are looked at,
// which is in every round.
constexpr size_t kBytesKept = 256 << 20;

size_t SizeOf(const store::JobSource& job) {
  size_t bytes = job.text.size();
  for (const auto& [name, content] : job.files) bytes += content.size();
  return bytes;
}

void NameBlob(const store::JobSource& job, spec::Source& source) {
  const auto blob = job.blobs.find(source.file);
  if (blob != job.blobs.end()) source.blob = blob->second;
}

absl::StatusOr<work::TaskDefinition> Read(const store::JobSource& job,
                                          const std::string& schedule) {
  absl::StatusOr<spec::JobSpec> spec = work::ReadScheduledJob(
      {.file_name = job.file_name, .text = job.text, .files = job.files}, schedule);
  if (!spec.ok()) return spec.status();
  work::TaskDefinition definition = work::MakeTaskDefinition(*spec);
  for (spec::Kernel& stage : definition.stages) NameBlob(job, stage.source);
  NameBlob(job, definition.reference.source);
  return definition;
}

}  // namespace

std::shared_ptr<const work::TaskDefinition> TaskDefinitions::Find(const store::OpenTask& task) {
  const auto found = definitions_.find(task.hash);
  if (found != definitions_.end()) return found->second.definition;
  const absl::StatusOr<store::JobSource> stored = store_.GetJobSource(task.owner, task.id.job);
  if (!stored.ok()) return nullptr;
  const absl::StatusOr<std::string> schedule = store_.TaskSchedule(task.owner, task.id);
  if (!schedule.ok()) return nullptr;
  const size_t bytes = SizeOf(*stored) + schedule->size();
  absl::StatusOr<work::TaskDefinition> read = Read(*stored, *schedule);
  std::shared_ptr<const work::TaskDefinition> definition;
  if (read.ok()) {
    definition = std::make_shared<const work::TaskDefinition>(*std::move(read));
  } else {
    Log(LogLevel::kWarning, "task.unreadable",
        {{"task", ToText(task.id)}, {"error", std::string(read.status().message())}});
  }
  bytes_ += bytes;
  while (bytes_ > kBytesKept && !oldest_first_.empty()) {
    const auto oldest = definitions_.find(oldest_first_.front());
    bytes_ -= oldest->second.bytes;
    definitions_.erase(oldest);
    oldest_first_.pop_front();
  }
  definitions_.emplace(task.hash, Kept{definition, bytes});
  oldest_first_.push_back(task.hash);
  return definition;
}

}  // namespace burnish::dispatch
