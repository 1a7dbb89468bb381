// repeat_bench: whether the answer would be the same tomorrow, on this machine's processor. Exit
// code 1 if a figure missed its target.
//
// Order: two kernels whose work differs by 2 % go through the finalists' protocol, a hundred times;
// how often does the slower one win? Jobs: the same job is tuned ten times, each from an empty
// database; in how many of them do the winner or those that tie with it overlap with the others'?
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agent/backends/registry.h"
#include "agent/sandbox/isolation/probe.h"
#include "agent/worker/attempts.h"
#include "agent/worker/zygote.h"
#include "common/base/clock.h"
#include "common/base/environment.h"
#include "common/base/limits.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"
#include "nlohmann/json.hpp"
#include "server/jobs/finalists.h"
#include "tests/bench/report.h"

namespace burnish::bench {
namespace {

constexpr int kComparisons = 100;
constexpr double kWrongOrder = 0.05;
constexpr int kJobs = 10;
constexpr double kAgreeingJobs = 9;
constexpr double kMostTied = 10;

// A chain of dependent operations, so that its time is proportional to STEPS.
work::TaskDefinition ChainTask() {
  work::TaskDefinition task;
  task.problem = "chain";
  spec::Kernel& kernel = task.stages.emplace_back();
  kernel.language = "cpp";
  kernel.source = {.file = "chain.cc",
                   .text =
                       "void chain(const float* a, float* c) {\n"
                       "  float x = a[0];\n"
                       "  for (int i = 0; i < STEPS; ++i) x = x * 0.999f + a[i & 1023];\n"
                       "  for (int i = 0; i < 1024; ++i) c[i] = x;\n}\n"};
  kernel.entry = "chain";
  kernel.flags = {"-O2"};
  for (const auto& [name, role] :
       {std::pair("a", spec::Role::kInput), {"c", spec::Role::kOutput}}) {
    spec::Argument& argument = task.arguments.emplace_back();
    argument.name = name;
    argument.is_buffer = true;
    argument.shape = {1024};
    argument.role = role;
  }
  task.parameter_names = {"STEPS"};
  task.reference.kind = spec::Reference::Kind::kNone;
  return task;
}

absl::StatusOr<worker::CandidateArtefact> Compiled(const work::TaskDefinition& task, int64_t steps,
                                                   const std::string& folder) {
  backends::CompileJob job;
  job.configuration = {{"STEPS", steps}};
  job.kernel = task.stages[0];
  job.macros = work::MacroLines(task, task.stages[0], job.configuration);
  job.arguments = task.arguments;
  job.artefact_folder = folder;
  job.timeout = absl::Seconds(60);
  const auto compiled = backends::FindBackend("cpu")->compiler().Compile(job);
  if (compiled.outcome != work::Outcome::kOk) return absl::UnavailableError(compiled.message);
  return worker::CandidateArtefact{job.configuration, compiled.artefact.path};
}

// As screening would have found them, for the ranking statistic of this device.
std::vector<store::Trial> TrialsOf(const std::vector<worker::CandidateArtefact>& finalists) {
  std::vector<store::Trial> trials;
  for (const worker::CandidateArtefact& finalist : finalists) {
    store::Trial& trial = trials.emplace_back();
    trial.what.number = TrialNumber(static_cast<int64_t>(trials.size()));
    trial.what.configuration = finalist.configuration;
    trial.finished_position = static_cast<int64_t>(trials.size()) - 1;
    trial.outcome = work::Outcome::kOk;
    trial.latency = work::Latency{.statistic = "p20", .seconds = 1, .interval = {1, 1}};
  }
  return trials;
}

absl::Status MeasureOrder(const std::string& folder, Report& report) {
  const work::TaskDefinition definition = ChainTask();
  std::vector<worker::CandidateArtefact> finalists;
  for (const int64_t steps : {102'000, 100'000}) {
    ASSIGN_OR_RETURN(finalists.emplace_back(), Compiled(definition, steps, folder));
  }
  worker::RunnerPool pool(isolation::Probe(isolation::Level::kFull), /*cancel_fd=*/-1);
  ASSIGN_OR_RETURN(const worker::Task task,
                   worker::Task::Prepare(*backends::FindBackend("cpu"), 0, definition, pool));
  const std::vector<store::Trial> trials = TrialsOf(finalists);
  const worker::ReferenceValues none(task, work::HashOf(definition), "", folder);
  int wrong = 0;
  int claimed = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const work::Comparison comparison =
        worker::Compare(task, finalists, none, limits::kComparisonRounds, i);
    const jobs::Verdict verdict = jobs::Decide(trials, {.verified_only = false}, comparison);
    if (!verdict.result.best) return absl::UnavailableError(verdict.remark);
    if (!space::SameConfiguration(*verdict.result.best, finalists[0].configuration)) continue;
    ++wrong;
    if (verdict.result.tie.empty()) ++claimed;
  }
  const auto share = [](int count) { return static_cast<double>(count) / kComparisons; };
  report.Add({.group = "order",
              .name = "the slower of two kernels 2 % apart wins",
              .value = share(wrong),
              .unit = "of comparisons",
              .at_most = kWrongOrder});
  report.Add({.group = "order",
              .name = "and the faster one does not even tie with it",
              .value = share(claimed),
              .unit = "of comparisons"});
  return absl::OkStatus();
}

// What a job's answer names: the winner, and what ties with it.
using Answer = std::set<std::string>;

absl::StatusOr<Answer> Tune(const std::string& job, const std::string& folder) {
  std::filesystem::create_directories(folder);
  SpawnOptions options;
  options.arguments = {ExecutableFolder() + "/burnish", "tune", job, "--json"};
  std::vector<std::string> environment = {"XDG_DATA_HOME=" + folder, "XDG_RUNTIME_DIR=" + folder};
  for (const char* name : {"PATH", "HOME"}) {
    if (const auto value = EnvironmentVariable(name)) {
      environment.push_back(absl::StrCat(name, "=", *value));
    }
  }
  options.environment = environment;
  ASSIGN_OR_RETURN(const CapturedRun run, RunCaptured(options, absl::Minutes(10), 1 << 22));
  // Behind the lines of progress.
  const std::string text = run.output.substr(std::min(run.output.find("{\n"), run.output.size()));
  const auto document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!run.status.ok() || document.is_discarded()) {
    return absl::UnavailableError(
        absl::StrCat("burnish tune: ", ToText(run.status), ": ", run.output));
  }
  const nlohmann::json& best = document["tasks"][0]["best"];
  Answer answer = {best["configuration"].dump()};
  for (const nlohmann::json& tied : best["tie"]) answer.insert(tied.dump());
  return answer;
}

bool Overlap(const Answer& a, const Answer& b) {
  return std::ranges::any_of(a, [&](const std::string& one) { return b.contains(one); });
}

absl::Status MeasureJobs(const std::string& folder, Report& report) {
  const std::string root = BURNISH_SOURCE_DIR;
  for (const char* file : {"examples/matmul/matmul.cc", "examples/matmul/reference.cc",
                           "tests/bench/repeat/job.yaml"}) {
    std::filesystem::copy(absl::StrCat(root, "/", file), folder);
  }
  const std::string job = folder + "/job.yaml";
  std::vector<Answer> answers;
  for (int i = 0; i < kJobs; ++i) {
    ASSIGN_OR_RETURN(answers.emplace_back(), Tune(job, absl::StrCat(folder, "/", i)));
  }
  int64_t agreeing = 0;
  size_t tied = 0;
  for (const Answer& one : answers) {
    agreeing = std::max<int64_t>(agreeing, std::ranges::count_if(answers, [&](const Answer& other) {
                                   return Overlap(one, other);
                                 }));
    tied = std::max(tied, one.size());
  }
  report.Add({.group = "jobs",
              .name = "of ten runs of one job, name the same winner or tie with it",
              .value = static_cast<double>(agreeing),
              .unit = "runs",
              .at_least = kAgreeingJobs});
  report.Add({.group = "jobs",
              .name = "configurations in the largest tie",
              .value = static_cast<double>(tied),
              .unit = "configurations",
              .at_most = kMostTied});
  return absl::OkStatus();
}

int Main(const std::vector<std::string>& arguments) {
  // Sandboxes are started from this program, as a worker starts them from its own.
  if (arguments.size() >= 2 && arguments[1] == "zygote") {
    return worker::ServeZygote(
        *worker::ZygotePlan::Parse({arguments.begin() + 2, arguments.end()}));
  }
  if (arguments.size() != 2 || arguments[0] != "--out") {
    std::cerr << "usage: repeat_bench --out FILE.json\n";
    return 2;
  }
  const std::string folder = std::filesystem::absolute(arguments[1] + ".folder").string();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  Report report;
  report.command = "./dev bench repeat";
  absl::Status status = MeasureOrder(folder, report);
  if (status.ok()) status = MeasureJobs(folder, report);
  std::filesystem::remove_all(folder);
  if (!status.ok()) {
    std::cerr << "repeat_bench: " << status.message() << "\n";
    return 1;
  }
  std::ofstream(arguments[1]) << report.Json().dump(2) << "\n";
  return report.pass() ? 0 : 1;
}

}  // namespace
}  // namespace burnish::bench

int main(int argc, char** argv) {
  return burnish::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
}
