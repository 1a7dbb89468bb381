#include "client/cli/replay_input.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/measured/reader.h"

namespace burnish::cli {
namespace {

constexpr char kRecordsHint[] =
    "wanted is the file of a fully measured space: T4, Kernel Tuner cache, KTT; also .gz";
constexpr char kHistoryHint[] =
    "a history is the file of the same kernel on another device, or in another shape";

bool SameMeasurements(const measured::MeasuredSpace& a, const measured::MeasuredSpace& b) {
  return std::ranges::equal(a.parameters, b.parameters,
                            [](const space::Parameter& x, const space::Parameter& y) {
                              return x.name == y.name &&
                                     std::ranges::equal(x.values, y.values, expr::Equal);
                            }) &&
         std::ranges::equal(a.records, b.records,
                            [](const measured::Record& x, const measured::Record& y) {
                              return x.values == y.values && x.outcome == y.outcome &&
                                     x.latency_seconds == y.latency_seconds;
                            });
}

const space::Parameter* FindParameter(const measured::MeasuredSpace& measured,
                                      const std::string& name) {
  const auto found = std::ranges::find(measured.parameters, name, &space::Parameter::name);
  return found == measured.parameters.end() ? nullptr : &*found;
}

// Why no record of `history` is one of `space`.
std::string WhyNothingMatches(const measured::MeasuredSpace& history,
                              const measured::MeasuredSpace& space) {
  for (const space::Parameter& wanted : space.parameters) {
    const space::Parameter* const found = FindParameter(history, wanted.name);
    if (found == nullptr) return absl::StrCat("it has no parameter '", wanted.name, "'");
    const bool shared = std::ranges::any_of(wanted.values, [&](const expr::Value& value) {
      return std::ranges::any_of(
          found->values, [&](const expr::Value& other) { return expr::Equal(value, other); });
    });
    if (!shared) return absl::StrCat("it has no value of '", wanted.name, "' in common");
  }
  for (const space::Parameter& parameter : history.parameters) {
    if (FindParameter(space, parameter.name) == nullptr) {
      return absl::StrCat("its parameter '", parameter.name, "' is unknown there");
    }
  }
  return "it has no configuration in common";
}

absl::Status NoHistory(const measured::MeasuredSpace& history,
                       const measured::MeasuredSpace& space) {
  return InvalidInput(absl::StrCat(history.name, " says nothing of ", space.name, ": ",
                                   WhyNothingMatches(history, space)),
                      kHistoryHint);
}

// Each path once.
class Reader {
 public:
  explicit Reader(const std::stop_token& stop) : stop_(stop) {}

  absl::StatusOr<std::vector<TablePtr>> Read(const std::vector<std::string>& paths) {
    std::vector<TablePtr> tables;
    for (const std::string& path : paths) {
      if (stop_.stop_requested()) return absl::CancelledError("interrupted");
      TablePtr& table = read_[path];
      if (table == nullptr) {
        ASSIGN_OR_RETURN(table, ReadOne(path));
      }
      tables.push_back(table);
    }
    return tables;
  }

 private:
  static absl::StatusOr<TablePtr> ReadOne(const std::string& path) {
    const auto refused = [&](const absl::Status& status) {
      Diagnostic diagnostic =
          DiagnosticOf(status).value_or(Diagnostic{.message = std::string(status.message())});
      if (!diagnostic.message.starts_with(path)) diagnostic.file = path;
      if (diagnostic.hint.empty()) diagnostic.hint = kRecordsHint;
      return DiagnosticStatus(status.code(), diagnostic);
    };
    absl::StatusOr<measured::MeasuredSpace> measured = measured::ReadFile(path);
    if (!measured.ok()) return refused(measured.status());
    absl::StatusOr<measured::Table> table = measured::Table::Create(*std::move(measured));
    if (!table.ok()) return refused(table.status());
    if (!table->OptimumSeconds()) {
      return refused(absl::InvalidArgumentError("every configuration failed, none is the best"));
    }
    return std::make_shared<const measured::Table>(*std::move(table));
  }

  const std::stop_token stop_;
  std::map<std::string, TablePtr> read_;
};

}  // namespace

absl::StatusOr<ReplayInput> MakeReplayInput(std::vector<TablePtr> spaces,
                                            const std::vector<TablePtr>& histories) {
  ReplayInput input;
  std::vector<bool> used(histories.size(), false);
  for (const TablePtr& table : spaces) {
    const measured::MeasuredSpace& measured = table->measured();
    search::TournamentSpace space{.table = table.get()};
    for (size_t i = 0; i < histories.size(); ++i) {
      if (SameMeasurements(histories[i]->measured(), measured)) {
        used[i] = true;
        input.warnings.push_back(
            absl::StrCat(measured.name, ": its own measurements are left out of its history"));
        continue;
      }
      search::HistorySource source = search::HistoryFrom(*histories[i], table->space());
      if (source.records.empty()) continue;
      used[i] = true;
      if (source.name.empty()) source.name = histories[i]->measured().name;
      space.history.push_back(std::move(source));
    }
    if (space.history.empty() && !histories.empty()) {
      const bool own = SameMeasurements(histories[0]->measured(), measured);
      if (!own || histories.size() > 1) {
        return NoHistory(histories[own ? 1 : 0]->measured(), measured);
      }
      return InvalidInput(absl::StrCat(measured.name, " is no history of itself"), kHistoryHint);
    }
    input.spaces.push_back(std::move(space));
  }
  for (size_t i = 0; i < histories.size(); ++i) {
    if (!used[i]) return NoHistory(histories[i]->measured(), spaces[0]->measured());
  }
  input.tables = std::move(spaces);
  return input;
}

absl::StatusOr<ReplayInput> ReadReplayInput(const std::vector<std::string>& records,
                                            const std::vector<std::string>& histories,
                                            const std::stop_token& stop) {
  Reader reader(stop);
  ASSIGN_OR_RETURN(const std::vector<TablePtr> spaces, reader.Read(records));
  ASSIGN_OR_RETURN(const std::vector<TablePtr> others, reader.Read(histories));
  std::vector<std::string> warnings;
  for (const std::vector<TablePtr>* const tables : {&spaces, &others}) {
    for (const TablePtr& table : *tables) {
      for (const std::string& warning : table->measured().warnings) {
        warnings.push_back(absl::StrCat(table->measured().name, ": ", warning));
      }
    }
  }
  ASSIGN_OR_RETURN(ReplayInput input, MakeReplayInput(spaces, others));
  input.warnings.insert(input.warnings.begin(), warnings.begin(), warnings.end());
  return input;
}

}  // namespace burnish::cli
