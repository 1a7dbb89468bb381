// burnish replay: strategies against fully measured spaces, without a device.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/eta.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/replay_input.h"
#include "client/cli/replay_report.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(50);
constexpr absl::Duration kPlainInterval = absl::Seconds(5);

struct ReplayArguments {
  std::vector<std::string> records;
  std::vector<std::string> history;
  std::vector<std::string> strategies = {"auto"};
  int64_t seeds = 20;
  int64_t seed_base = 0;
  int64_t budget = 400;
  int64_t pending = 1;
  bool noise = false;
  std::string svg;
  bool force = false;
};

absl::Status CheckStrategies(const std::vector<std::string>& names) {
  const std::vector<std::string> known = search::StrategyNames();
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::find(known, names[i]) == known.end()) {
      return InvalidInput(absl::StrCat("--strategy: unknown strategy '", names[i], "'"),
                          NameHint(names[i], known));
    }
    if (std::find(names.begin(), names.begin() + i, names[i]) != names.begin() + i) {
      return InvalidInput(absl::StrCat("--strategy: '", names[i], "' is named twice"));
    }
  }
  return absl::OkStatus();
}

// Each trial of each run is kept.
absl::Status CheckSize(const ReplayArguments& arguments) {
  const double trials = static_cast<double>(arguments.records.size()) *
                        static_cast<double>(arguments.strategies.size()) *
                        static_cast<double>(arguments.seeds) *
                        static_cast<double>(arguments.budget);
  if (trials <= limits::kReplayTrials) return absl::OkStatus();
  return InvalidInput(absl::StrCat("these are ", trials, " trials in all; at most ",
                                   limits::kReplayTrials, " are possible"),
                      "give less --records, --strategy, --seeds or --budget");
}

// The replay on threads of its own, so that the calling one can wait for Ctrl-C.
class ReplayJob {
 public:
  explicit ReplayJob(const ReplayArguments& arguments)
      : arguments_(arguments), thread_([this](const std::stop_token& stop) {
          result_ = Run(stop);
          done_ = true;
        }) {}

  bool done() const { return done_; }
  int64_t runs() const { return runs_; }
  int64_t runs_ended() const { return runs_ended_; }
  void Stop() { thread_.request_stop(); }

  // Waits for the end; once.
  absl::StatusOr<ReplayResult> Take() {
    thread_.join();
    return std::move(result_);
  }
  const ReplayInput& input() const { return input_; }

 private:
  absl::StatusOr<ReplayResult> Run(const std::stop_token& stop) {
    ASSIGN_OR_RETURN(input_, ReadReplayInput(arguments_.records, arguments_.history, stop));
    const auto noisy = [](const TablePtr& table) {
      return std::ranges::any_of(table->measured().records, [](const measured::Record& record) {
        return !record.samples_seconds.empty();
      });
    };
    for (const TablePtr& table : input_.tables) {
      if (!arguments_.noise || noisy(table)) continue;
      input_.warnings.push_back(
          absl::StrCat(table->measured().name, " has no single runs: --noise changes nothing"));
    }
    const search::TournamentOptions options = {
        .strategies = arguments_.strategies,
        .seeds = arguments_.seeds,
        .run = {.seed = static_cast<uint64_t>(arguments_.seed_base),
                .budget_trials = arguments_.budget,
                .pending = arguments_.pending,
                .noise = arguments_.noise,
                .stop = stop},
        .threads = static_cast<int>(std::thread::hardware_concurrency()),
        .on_run = [this] { ++runs_ended_; }};
    runs_ = static_cast<int64_t>(input_.spaces.size() * options.strategies.size()) * options.seeds;
    ReplayResult result{.spaces = input_.spaces,
                        .strategies = options.strategies,
                        .seeds = options.seeds,
                        .budget_trials = arguments_.budget};
    ASSIGN_OR_RETURN(result.standings, search::RunTournament(input_.spaces, options));
    return result;
  }

  const ReplayArguments& arguments_;
  ReplayInput input_;
  absl::StatusOr<ReplayResult> result_;
  std::atomic<int64_t> runs_ = 0;  // 0: still reading
  std::atomic<int64_t> runs_ended_ = 0;
  std::atomic<bool> done_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

class ReplayProgress {
 public:
  explicit ReplayProgress(Progress::Style style) : style_(style) {}

  void Tick(const ReplayJob& job) {
    if (style_ == Progress::Style::kSilent) return;
    const absl::Duration now = SystemClock().Monotonic();
    if (job.runs() > 0 && !started_) started_ = now;
    if (style_ == Progress::Style::kTerminal) {
      std::fprintf(stderr, "\r\033[K%s", Line(job, now).c_str());
      std::fflush(stderr);
      drawn_ = true;
    } else if (now - last_plain_ >= kPlainInterval) {
      last_plain_ = now;
      std::fprintf(stderr, "replay done=%lld total=%lld\n",
                   static_cast<long long>(job.runs_ended()), static_cast<long long>(job.runs()));
    }
  }

  void End() {
    if (drawn_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  std::string Line(const ReplayJob& job, absl::Duration now) const {
    if (job.runs() == 0) return "replay: reading the records";
    const double seconds = absl::ToDoubleSeconds(now - *started_);
    const double rate = seconds > 0 ? static_cast<double>(job.runs_ended()) / seconds : 0;
    return absl::StrCat("replay ", ProgressBar(job.runs_ended(), job.runs()), "  ",
                        job.runs_ended(), "/", job.runs(), " runs  ",
                        EtaText(SecondsLeft(job.runs_ended(), job.runs(), rate)));
  }

  const Progress::Style style_;
  std::optional<absl::Duration> started_;  // the runs
  absl::Duration last_plain_ = SystemClock().Monotonic();
  bool drawn_ = false;
};

absl::StatusOr<int> Replay(const ReplayArguments& arguments, CommandContext& context) {
  const GlobalOptions& options = context.options;
  RETURN_IF_ERROR(CheckStrategies(arguments.strategies));
  RETURN_IF_ERROR(CheckSize(arguments));
  RETURN_IF_ERROR(CheckMayWrite(arguments.svg, arguments.force));
  ReplayJob job(arguments);
  ReplayProgress progress(Progress::StyleFor(options.quiet));
  while (!job.done()) {
    if (context.signals->Wait(kPollInterval)) job.Stop();
    progress.Tick(job);
  }
  progress.End();
  ASSIGN_OR_RETURN(const ReplayResult result, job.Take());
  if (!arguments.svg.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(arguments.svg, ReplaySvg(result), /*durable=*/false));
  }
  for (const std::string& warning : job.input().warnings) PrintWarning(warning, options);
  if (options.json) {
    nlohmann::ordered_json document = ReplayDocument(result);
    document["warnings"] = job.input().warnings;
    PrintDocument(document);
    return kExitDone;
  }
  std::printf("%s", ReplayTable(result).c_str());
  if (!arguments.svg.empty()) std::printf("\n%s: the curves\n", arguments.svg.c_str());
  return kExitDone;
}

}  // namespace

void AddReplay(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "replay",
      "how near to the optimum strategies come in fully measured spaces; needs no device");
  const auto arguments = std::make_shared<ReplayArguments>();
  command
      ->add_option(
          "--records", arguments->records,
          "files with every configuration measured (T4, Kernel Tuner cache, KTT; also .gz)")
      ->required();
  command->add_option("--strategy", arguments->strategies, "the strategies to compare")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--seeds", arguments->seeds, "runs of each strategy in each space")
      ->check(CLI::Range(int64_t{1}, limits::kReplayTrials))
      ->capture_default_str();
  command->add_option("--budget", arguments->budget, "trials of a run")
      ->check(CLI::Range(int64_t{1}, limits::kBudgetTrials))
      ->capture_default_str();
  command->add_option("--seed-base", arguments->seed_base, "the first seed")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  command->add_option("--history", arguments->history,
                      "files of the same kernel on other devices, to learn from");
  command->add_option("--pending", arguments->pending, "trials that are always under way")
      ->check(CLI::Range(int64_t{1}, limits::kBudgetTrials))
      ->capture_default_str();
  command->add_flag("--noise", arguments->noise,
                    "observe one recorded run, drawn by the seed, in place of the mean of all");
  command->add_option("--svg", arguments->svg, "draw the curves into this file");
  command->add_flag("--force", arguments->force, "overwrite the file");
  command->footer(
      "Example: burnish replay --records gemm-*.json.gz --strategy auto,random --seeds 20 "
      "--budget 400");
  SetAction(command, context, Acts::kNowhere,
            [arguments, &context] { return Replay(*arguments, context); });
}

}  // namespace burnish::cli
