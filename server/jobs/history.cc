#include "server/jobs/history.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::jobs {
namespace {

// Its devices measure nothing.
constexpr char kNullClass[] = "null";

std::string NameOf(const store::RecordSet& set) {
  return absl::StrCat(set.import ? absl::StrCat("imported ", set.file_name) : set.problem, " on ",
                      set.device_class);
}

double OrderOf(const store::HistoryRecord& record) {
  return record.latency_seconds > 0 ? record.latency_seconds
                                    : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<store::HistoryRecord> ReduceRecords(std::vector<store::HistoryRecord> records) {
  std::ranges::stable_sort(records, {}, OrderOf);
  if (records.size() <= limits::kHistoryRecords) return records;
  constexpr size_t kFastest = limits::kHistoryRecords / 2;
  constexpr size_t kSpaced = limits::kHistoryRecords - kFastest;
  const size_t rest = records.size() - kFastest;
  for (size_t i = 0; i < kSpaced; ++i)
    records[kFastest + i] = records[kFastest + i * rest / kSpaced];
  records.resize(limits::kHistoryRecords);
  return records;
}

absl::StatusOr<std::vector<store::HistorySource>> FindHistory(store::Store& store,
                                                              const Namespace& owner,
                                                              const store::NewTask& task,
                                                              const space::SearchSpace& space) {
  ASSIGN_OR_RETURN(const std::vector<store::RecordSet> sets,
                   store.RecordSets(owner, task, limits::kHistorySets));
  std::vector<store::HistorySource> sources;
  for (const store::RecordSet& set : sets) {
    if (set.device_class == kNullClass) continue;
    ASSIGN_OR_RETURN(const std::vector<store::MeasuredConfiguration> measured,
                     store.Records(owner, task.family, set, limits::kHistoryRowsRead));
    std::vector<store::HistoryRecord> records;
    for (const store::MeasuredConfiguration& one : measured) {
      const std::optional<space::ConfigurationIndex> index = space.IndexOf(one.configuration);
      if (index) records.push_back({.index = *index, .latency_seconds = one.latency_seconds});
    }
    if (records.size() < limits::kHistoryLeastRecords) continue;
    records = ReduceRecords(std::move(records));
    if (records.front().latency_seconds <= 0) continue;
    sources.push_back({.name = NameOf(set), .records = std::move(records)});
    if (sources.size() == limits::kHistorySources) break;
  }
  return sources;
}

}  // namespace burnish::jobs
