#include "server/jobs/history.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/work/schedule.h"

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

bool IsValueOf(const space::Parameter& parameter, const expr::Value& value) {
  return std::ranges::any_of(parameter.values,
                             [&](const expr::Value& one) { return expr::Equal(one, value); });
}

// From the space of one schedule into that of another. A parameter's first value is what it is
// without: no block (which is the whole extent, and so another number in another shape), one
// thread, the widest vector. Other values mean the same everywhere.
space::Configuration Translated(space::Configuration configuration,
                                const std::vector<space::Parameter>& from,
                                const std::vector<space::Parameter>& to) {
  for (space::Setting& setting : configuration) {
    const auto source = std::ranges::find(from, setting.name, &space::Parameter::name);
    const auto target = std::ranges::find(to, setting.name, &space::Parameter::name);
    if (source == from.end() || target == to.end() || IsValueOf(*target, setting.value)) continue;
    if (expr::Equal(setting.value, source->values.front())) setting.value = target->values.front();
  }
  return configuration;
}

// What of the set is in the space, each configuration once.
absl::StatusOr<std::vector<store::HistoryRecord>> RecordsIn(store::Store& store,
                                                            const Namespace& owner,
                                                            const store::NewTask& task,
                                                            const store::RecordSet& set,
                                                            const space::SearchSpace& space) {
  ASSIGN_OR_RETURN(const std::vector<store::MeasuredConfiguration> measured,
                   store.Records(owner, task.family, set, limits::kHistoryRowsRead));
  std::vector<store::HistoryRecord> records;
  std::vector<space::Parameter> from;
  if (!task.schedule.empty()) {
    const absl::StatusOr<std::string> text = store.TaskSchedule(owner, set.task);
    if (absl::IsNotFound(text.status())) return records;  // deleted meanwhile
    RETURN_IF_ERROR(text.status());
    ASSIGN_OR_RETURN(work::Schedule schedule, work::ScheduleFromText(*text));
    from = std::move(schedule.parameters);
  }
  absl::flat_hash_set<space::ConfigurationIndex> seen;
  for (const store::MeasuredConfiguration& one : measured) {
    const std::optional<space::ConfigurationIndex> index =
        space.IndexOf(Translated(one.configuration, from, space.parameters()));
    if (!index || !seen.insert(*index).second) continue;
    records.push_back({.index = *index, .latency_seconds = one.latency_seconds});
  }
  return records;
}

}  // namespace

std::vector<store::HistoryRecord> ReduceRecords(std::vector<store::HistoryRecord> records) {
  std::ranges::stable_sort(records, {}, OrderOf);
  if (records.size() <= limits::kHistoryRecords) return records;
  constexpr size_t kFastest = limits::kHistoryRecords / 2;
  constexpr size_t kSpaced = limits::kHistoryRecords - kFastest;
  const size_t rest = records.size() - kFastest;
  for (size_t i = 0; i < kSpaced; ++i) {
    records[kFastest + i] = records[kFastest + i * rest / kSpaced];
  }
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
    ASSIGN_OR_RETURN(std::vector<store::HistoryRecord> records,
                     RecordsIn(store, owner, task, set, space));
    if (records.size() < limits::kHistoryLeastRecords) continue;
    records = ReduceRecords(std::move(records));
    if (records.front().latency_seconds <= 0) continue;
    sources.push_back({.name = NameOf(set), .records = std::move(records)});
    if (sources.size() == limits::kHistorySources) break;
  }
  return sources;
}

}  // namespace burnish::jobs
