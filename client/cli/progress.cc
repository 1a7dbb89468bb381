#include "client/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/metric_text.h"
#include "client/cli/watcher.h"
#include "common/base/numbers.h"
#include "common/wire/measurement.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kRedrawInterval = absl::Milliseconds(200);
constexpr absl::Duration kPlainInterval = absl::Seconds(5);
constexpr absl::Duration kSilenceBeforeNote = absl::Seconds(12);
constexpr int kBarCells = 24;

int TerminalColumns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

struct Totals {
  int64_t done = 0;
  int64_t budget = 0;
  int64_t failed = 0;
  FirstObjective first;
  int front = 0;  // size of it
};

Totals TotalsOf(const pb::JobSnapshot& snapshot) {
  Totals totals;
  for (const pb::TaskSnapshot& task : snapshot.tasks()) {
    totals.done += task.trials();
    totals.budget += TrialsAtMost(task);
    totals.failed += task.trials() - task.valid();
    // Several tasks are several devices: the line shows the first, the table shows all.
    if (!totals.first.best) {
      totals.first = FirstObjectiveOf(task);
      totals.front = task.front_size();
    }
  }
  return totals;
}

size_t Width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string ProgressBar(int64_t done, int64_t total) {
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarCells);
  std::string bar;
  for (int i = 0; i < kBarCells; ++i) absl::StrAppend(&bar, i < filled ? "━" : "─");
  return bar;
}

std::string ProgressLine(const pb::JobSnapshot& snapshot, const Rate& rate, int columns) {
  const Totals totals = TotalsOf(snapshot);
  std::vector<std::string> fields = {
      absl::StrCat(snapshot.job_id(), " ", ProgressBar(totals.done, totals.budget)),
      absl::StrCat(totals.done, "/", totals.budget)};
  if (totals.first.best) {
    std::string best = absl::StrCat("best ", MetricText(totals.first.metric, *totals.first.best));
    if (totals.first.gain > 0) absl::StrAppend(&best, absl::StrFormat(" %.2fx", totals.first.gain));
    fields.push_back(best);
  }
  if (totals.front > 0) fields.push_back(absl::StrCat("front ", totals.front));
  if (snapshot.state() == pb::STATE_FINISHING) fields.push_back("comparing finalists");
  if (!snapshot.waiting().empty()) fields.push_back(snapshot.waiting());
  if (totals.failed > 0) fields.push_back(absl::StrCat("failed ", totals.failed));
  if (rate.trials_per_second > 0) {
    fields.push_back(absl::StrFormat("%.1f/s", rate.trials_per_second));
  }
  if (const std::string eta = EtaText(rate.eta_seconds); !eta.empty()) fields.push_back(eta);

  std::string line;
  for (const std::string& field : fields) {
    const std::string longer = line.empty() ? field : absl::StrCat(line, "  ", field);
    if (Width(longer) >= static_cast<size_t>(columns)) break;
    line = longer;
  }
  return line;
}

std::string PlainProgressLine(const pb::JobSnapshot& snapshot, const Rate& rate) {
  const Totals totals = TotalsOf(snapshot);
  std::string line = absl::StrCat("job=", snapshot.job_id(), " state=", StateText(snapshot.state()),
                                  " done=", totals.done, " total=", totals.budget);
  if (totals.first.best) {
    const bool is_latency = totals.first.metric == spec::Metric::kLatency;
    absl::StrAppendFormat(&line, " best_%s=%.4g",
                          is_latency ? "s" : spec::MetricName(totals.first.metric),
                          *totals.first.best);
  }
  if (totals.front > 0) absl::StrAppend(&line, " front=", totals.front);
  if (rate.trials_per_second > 0) {
    absl::StrAppendFormat(&line, " rate=%.2f", rate.trials_per_second);
  }
  if (rate.eta_seconds) absl::StrAppendFormat(&line, " eta_s=%.0f", *rate.eta_seconds);
  for (const pb::TaskSnapshot& task : snapshot.tasks()) {
    for (const pb::OutcomeCount& count : task.outcomes()) {
      const auto outcome = wire::FromProto(count.outcome());
      absl::StrAppend(&line, " ", outcome.ok() ? work::OutcomeName(*outcome) : "unknown", "=",
                      count.count());
    }
  }
  if (!snapshot.waiting().empty()) absl::StrAppend(&line, " waiting=\"", snapshot.waiting(), "\"");
  return line;
}

Progress::Progress(Style style, const Clock& clock)
    : style_(style), clock_(clock), last_result_(clock.Monotonic()) {}

Progress::Style Progress::StyleFor(bool quiet) {
  if (quiet) return Style::kSilent;
  return ::isatty(STDERR_FILENO) != 0 ? Style::kTerminal : Style::kPlain;
}

void Progress::Show(const pb::JobSnapshot& snapshot) {
  snapshot_ = snapshot;
  const int64_t trials = TotalsOf(snapshot).done;
  const absl::Duration now = clock_.Monotonic();
  meter_.Show(snapshot, now);
  if (trials != last_trials_) last_result_ = now;
  last_trials_ = trials;
  shown_ = true;
  Tick();
}

void Progress::Tick() {
  if (style_ == Style::kSilent || !shown_) return;
  const absl::Duration interval = style_ == Style::kTerminal ? kRedrawInterval : kPlainInterval;
  const absl::Duration now = clock_.Monotonic();
  if (drawn_ && now - last_drawn_ < interval && !IsFinalState(snapshot_.state())) return;
  Draw();
  last_drawn_ = now;
  drawn_ = true;
}

void Progress::Draw() {
  const absl::Duration now = clock_.Monotonic();
  const Rate rate = meter_.At(now);
  if (style_ == Style::kPlain) {
    const std::string line = PlainProgressLine(snapshot_, rate);
    // The rate alone is no news.
    if (line == last_plain_) return;
    last_plain_ = line;
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  const int columns = TerminalColumns();
  std::string line = ProgressLine(snapshot_, rate, columns);
  const bool active = snapshot_.state() == pb::STATE_RUNNING && snapshot_.waiting().empty();
  if (active && now - last_result_ > kSilenceBeforeNote) {
    const std::string note =
        absl::StrFormat("  no result for %.0f s", absl::ToDoubleSeconds(now - last_result_));
    if (Width(line) + note.size() < static_cast<size_t>(columns)) absl::StrAppend(&line, note);
  }
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

void Progress::Note(const std::string& text) {
  if (style_ == Style::kSilent) return;
  if (style_ == Style::kTerminal && drawn_) std::fprintf(stderr, "\r\033[K");
  std::fprintf(stderr, "%s\n", text.c_str());
  if (style_ == Style::kTerminal && shown_) Draw();
}

void Progress::End() {
  if (style_ == Style::kTerminal && drawn_) std::fprintf(stderr, "\n");
  drawn_ = false;
  shown_ = false;
}

}  // namespace burnish::cli
