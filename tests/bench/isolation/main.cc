// isolation_bench: what keeping candidates apart costs on the cpu backend. Exit code 1 if a figure
// missed its target.
//
// Isolation per attempt is all that a warm worker does beside running the candidate: taking a
// sandbox, forking a runner in it, the runner's own confinement and loading of the code, and, at
// the end, killing and wiping. The worker's loop is one execution of a kernel on 1,024 floats, less
// what the kernel itself took: the request to the runner and its answer; with verification also
// poisoned buffers, guard zones and the comparison with the expected output.
#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/backends/registry.h"
#include "agent/sandbox/isolation/probe.h"
#include "agent/verify/compare.h"
#include "agent/worker/kernel_run.h"
#include "agent/worker/zygote.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "tests/bench/report.h"

namespace burnish::bench {
namespace {

constexpr int kAttempts = 300;
constexpr int kExecutions = 2000;
constexpr double kAttemptSeconds = 5e-3;
constexpr double kLoopSeconds = 100e-6;

work::TaskDefinition ScaleTask() {
  work::TaskDefinition task;
  task.problem = "scale";
  spec::Kernel& kernel = task.stages.emplace_back();
  kernel.language = "cpp";
  kernel.source = {.file = "scale.cc",
                   .text =
                       "void scale(const float* a, float* c) {\n"
                       "  for (int i = 0; i < 1024; ++i) c[i] = 2 * a[i];\n}\n"};
  kernel.entry = "scale";
  for (const auto& [name, role] :
       {std::pair("a", spec::Role::kInput), {"c", spec::Role::kOutput}}) {
    spec::Argument& argument = task.arguments.emplace_back();
    argument.name = name;
    argument.is_buffer = true;
    argument.shape = {1024};
    argument.role = role;
  }
  task.reference.kind = spec::Reference::Kind::kNone;
  return task;
}

// Quantile of the seconds that so many calls took, or that each says of itself.
absl::StatusOr<std::vector<double>> Sorted(int calls,
                                           const std::function<absl::StatusOr<double>()>& call) {
  std::vector<double> seconds;
  for (int i = 0; i < calls; ++i) {
    ASSIGN_OR_RETURN(seconds.emplace_back(), call());
  }
  std::ranges::sort(seconds);
  return seconds;
}

double SecondsSince(absl::Duration start) {
  return absl::ToDoubleSeconds(SystemClock().Monotonic() - start);
}

void Add(Report& report, const std::string& group, const std::string& name,
         const std::vector<double>& sorted, std::optional<double> at_most) {
  const auto quantile = [&](double q) {
    return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1))];
  };
  report.Add({.group = group,
              .name = name + ", p50",
              .value = quantile(0.5),
              .unit = "s",
              .at_least = {},
              .at_most = at_most});
  report.Add({.group = group,
              .name = name + ", p99",
              .value = quantile(0.99),
              .unit = "s",
              .at_least = {},
              .at_most = {}});
}

struct Lab {
  const backends::Backend& backend;
  std::string artefact;
};

// One attempt, without running anything.
absl::StatusOr<double> Attempt(const worker::Task& task, const Lab& lab) {
  const absl::Duration start = SystemClock().Monotonic();
  {
    ASSIGN_OR_RETURN(worker::KernelRun run, worker::KernelRun::Start(task, lab.artefact));
    RETURN_IF_ERROR(run.Load("scale", absl::Seconds(60)));
  }
  return SecondsSince(start);
}

absl::Status MeasureLevel(spec::IsolationLevel level, const Lab& lab, Report& report) {
  isolation::Found found = isolation::Probe(level);
  const std::string name = spec::IsolationLevelName(level);
  if (found.isolation.level() != level) {
    report.Remark(absl::StrCat(name, " is left out: there is only ", found.isolation.ToText()));
    return absl::OkStatus();
  }
  worker::RunnerPool pool(std::move(found), /*cancel_fd=*/-1);
  ASSIGN_OR_RETURN(const worker::Task task,
                   worker::Task::Prepare(lab.backend, 0, ScaleTask(), pool));
  const absl::Duration start = SystemClock().Monotonic();
  RETURN_IF_ERROR(Attempt(task, lab).status());
  report.Add({.group = name,
              .name = "first attempt",
              .value = SecondsSince(start),
              .unit = "s",
              .at_least = {},
              .at_most = {}});
  ASSIGN_OR_RETURN(const std::vector<double> attempts,
                   Sorted(kAttempts, [&] { return Attempt(task, lab); }));
  Add(report, name, "isolation per attempt", attempts, kAttemptSeconds);

  ASSIGN_OR_RETURN(worker::KernelRun run, worker::KernelRun::Start(task, lab.artefact));
  RETURN_IF_ERROR(run.Load("scale", absl::Seconds(600)));
  RETURN_IF_ERROR(run.ExecuteFresh().status());
  const worker::BufferContents expected = run.Outputs();
  ASSIGN_OR_RETURN(const std::vector<double> plain,
                   Sorted(kExecutions, [&]() -> absl::StatusOr<double> {
                     const absl::Duration before = SystemClock().Monotonic();
                     ASSIGN_OR_RETURN(const int64_t kernel_ns, run.Execute(1));
                     return SecondsSince(before) - static_cast<double>(kernel_ns) * 1e-9;
                   }));
  Add(report, name, "worker's loop, verification off", plain, kLoopSeconds);
  ASSIGN_OR_RETURN(
      const std::vector<double> verified, Sorted(kExecutions, [&]() -> absl::StatusOr<double> {
        const absl::Duration before = SystemClock().Monotonic();
        ASSIGN_OR_RETURN(const int64_t kernel_ns, run.ExecuteFresh());
        CHECK(verify::CompareOutput(task.arguments()[1], run.Buffer(1), expected[1]).right());
        return SecondsSince(before) - static_cast<double>(kernel_ns) * 1e-9;
      }));
  Add(report, name, "worker's loop, verification on", verified, {});
  return absl::OkStatus();
}

absl::Status MeasureAll(const std::string& folder, Report& report) {
  const backends::Backend* const cpu = backends::FindBackend("cpu");
  backends::CompileJob job;
  job.kernel = ScaleTask().stages[0];
  job.arguments = ScaleTask().arguments;
  job.artefact_folder = folder;
  job.timeout = absl::Seconds(60);
  const backends::CompileResult compiled = cpu->compiler().Compile(job);
  if (compiled.outcome != work::Outcome::kOk) return absl::UnavailableError(compiled.message);
  const Lab lab{*cpu, compiled.artefact.path};
  for (const std::string& name : spec::IsolationLevelNames()) {
    RETURN_IF_ERROR(MeasureLevel(*spec::ParseIsolationLevel(name), lab, report));
  }
  return absl::OkStatus();
}

int Main(const std::vector<std::string>& arguments) {
  // Sandboxes are started from this program, as a worker starts them from its own.
  if (arguments.size() >= 2 && arguments[1] == "zygote") {
    return worker::ServeZygote(
        *worker::ZygotePlan::Parse({arguments.begin() + 2, arguments.end()}));
  }
  if (arguments.size() != 2 || arguments[0] != "--out") {
    std::cerr << "usage: isolation_bench --out FILE.json\n";
    return 2;
  }
  const std::string folder = arguments[1] + ".artefacts";
  Report report;
  report.command = "./dev bench isolation";
  if (const absl::Status status = MeasureAll(folder, report); !status.ok()) {
    std::cerr << "isolation_bench: " << status.message() << "\n";
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
