#include "client/cli/job_names.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/watcher.h"
#include "common/base/diagnostic.h"
#include "common/base/ids.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

constexpr size_t kSuggestions = 3;

std::string Label(const pb::JobSnapshot& job) {
  return absl::StrCat(job.job_id(), " (", job.name(), ", ", StateText(job.state()), ")");
}

std::string Labels(const std::vector<pb::JobSnapshot>& jobs) {
  std::vector<std::string> labels;
  for (const pb::JobSnapshot& job : jobs) {
    if (labels.size() == kSuggestions) break;
    labels.push_back(Label(job));
  }
  return absl::StrJoin(labels, ", ");
}

// Those whose number or name is nearest come first.
std::vector<pb::JobSnapshot> Nearest(const std::string& text, std::vector<pb::JobSnapshot> jobs) {
  if (const auto wanted = ParseJobId(text)) {
    const auto distance = [&](const pb::JobSnapshot& job) {
      const auto id = ParseJobId(job.job_id());
      return id.has_value() ? std::llabs(id->value() - wanted->value()) : 0;
    };
    std::ranges::stable_sort(jobs, {}, distance);
    return jobs;
  }
  std::vector<std::string> names;
  for (const pb::JobSnapshot& job : jobs) names.push_back(job.name());
  if (const auto near = NearestName(text, names)) {
    std::ranges::stable_sort(jobs, {},
                             [&](const pb::JobSnapshot& job) { return job.name() != *near; });
  }
  return jobs;
}

// An id that was given once, if the newest job's is higher.
bool MayBeDeleted(const std::string& text, const std::vector<pb::JobSnapshot>& jobs) {
  const auto wanted = ParseJobId(text);
  return wanted.has_value() && (jobs.empty() || *wanted < ParseJobId(jobs.front().job_id()));
}

absl::Status NoSuchJob(const std::string& text, const std::vector<pb::JobSnapshot>& jobs) {
  std::string hint = jobs.empty() ? "job ids look like j42; `burnish list` shows them"
                                  : absl::StrCat("nearest: ", Labels(Nearest(text, jobs)));
  if (MayBeDeleted(text, jobs)) {
    absl::StrAppend(&hint, "; a server with --keep-jobs deletes jobs some time after their end");
  }
  return DiagnosticStatus(absl::StatusCode::kNotFound,
                          {.message = text == "@" ? "there is no job yet"
                                                  : absl::StrCat("there is no job '", text, "'"),
                           .hint = std::move(hint)});
}

}  // namespace

absl::StatusOr<std::string> PickJob(const std::string& text,
                                    const std::vector<pb::JobSnapshot>& jobs) {
  if (text == "@" && !jobs.empty()) return jobs.front().job_id();
  std::vector<pb::JobSnapshot> exact;
  std::vector<pb::JobSnapshot> beginning;
  for (const pb::JobSnapshot& job : jobs) {
    if (job.name() == text) exact.push_back(job);
    if (!text.empty() && job.name().starts_with(text)) beginning.push_back(job);
  }
  const std::vector<pb::JobSnapshot>& found = exact.empty() ? beginning : exact;
  if (found.size() == 1) return found.front().job_id();
  if (found.empty()) return NoSuchJob(text, jobs);
  return InvalidInput(absl::StrCat("'", text, "' means ", found.size(), " jobs"),
                      absl::StrCat("give an id: ", Labels(found)));
}

absl::StatusOr<std::string> ResolveJob(JobClient& client, const std::string& text) {
  if (ParseJobId(text).has_value()) {
    const auto job = client.Get(text);
    if (job.ok()) return job->job_id();
    if (!absl::IsNotFound(job.status())) return job.status();
  }
  ASSIGN_OR_RETURN(const pb::ListReply listed, client.List(text == "@" ? 1 : limits::kListedJobs));
  return PickJob(text, {listed.jobs().begin(), listed.jobs().end()});
}

}  // namespace burnish::cli
