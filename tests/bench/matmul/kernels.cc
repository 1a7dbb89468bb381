#include "tests/bench/matmul/kernels.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/backends/cpu/compiler.h"
#include "agent/backends/cpu/device.h"
#include "agent/backends/cpu/kernel.h"
#include "common/base/status_macros.h"
#include "common/work/schedule.h"
#include "tests/bench/matmul/process.h"

namespace burnish::bench {
namespace {

constexpr absl::Duration kCompileTimeout = absl::Minutes(2);

absl::StatusOr<std::string> PathOf(const backends::CompileResult& result) {
  if (result.outcome == work::Outcome::kOk) return result.artefact.path;
  return absl::FailedPreconditionError(
      absl::StrCat(work::OutcomeName(result.outcome), ": ", result.message));
}

std::vector<absl::StatusOr<std::string>> CompileAll(
    const std::vector<absl::StatusOr<backends::CompileJob>>& jobs) {
  std::vector<absl::StatusOr<std::string>> paths(jobs.size(), absl::UnknownError(""));
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    UseAllCores();
    for (size_t i = next++; i < jobs.size(); i = next++) {
      paths[i] = jobs[i].ok() ? PathOf(backends::cpu::CpuCompiler().Compile(*jobs[i]))
                              : absl::StatusOr<std::string>(jobs[i].status());
    }
  };
  std::vector<std::jthread> threads;
  for (int64_t i = 0; i < backends::cpu::HostCpu().cores; ++i) threads.emplace_back(work);
  threads.clear();  // joins
  return paths;
}

}  // namespace

Contender Kernel::AsContender(std::string name) const {
  backends::LoadedKernel* const loaded = code.get();
  return {.name = std::move(name),
          .run = [loaded](int64_t launches) { return loaded->Run(launches); }};
}

KernelFactory::KernelFactory(const Instance& instance, std::string folder,
                             templates::Lowered lowered, work::TaskDefinition task,
                             space::SearchSpace space)
    : instance_(&instance),
      folder_(std::move(folder)),
      lowered_(std::move(lowered)),
      task_(std::move(task)),
      space_(std::move(space)) {}

absl::StatusOr<KernelFactory> KernelFactory::Make(const Instance& instance, std::string folder) {
  templates::Target target = templates::TargetOf(backends::cpu::HostDevice());
  target.cores = instance.problem().threads;
  ASSIGN_OR_RETURN(templates::Lowered lowered, templates::Lower(instance.op(), target));
  lowered.schedule.constraints.push_back(absl::StrCat("THREADS == ", target.cores));
  spec::JobSpec job;
  job.workload = instance.op();
  ASSIGN_OR_RETURN(job, work::WithSchedule(job, lowered.schedule));
  ASSIGN_OR_RETURN(space::SearchSpace space,
                   space::SearchSpace::Create(job.parameters, job.constraints));
  return KernelFactory(instance, std::move(folder), std::move(lowered),
                       work::MakeTaskDefinition(job), std::move(space));
}

absl::StatusOr<backends::CompileJob> KernelFactory::JobFor(
    const space::Configuration& configuration) const {
  backends::CompileJob job;
  job.kernel = task_.stages[0];
  ASSIGN_OR_RETURN(job.kernel.source, work::SourceOf(task_.stages[0], configuration));
  job.macros = work::MacroLines(task_, task_.stages[0], configuration);
  job.arguments = task_.arguments;
  job.configuration = configuration;
  job.artefact_folder = folder_;
  job.timeout = kCompileTimeout;
  return job;
}

absl::StatusOr<Kernel> KernelFactory::Finish(const space::Configuration& configuration,
                                             const std::string& artefact_path) const {
  Memory workspace = Allocate(lowered_.schedule.workspace_bytes);
  backends::LoadJob load{.artefact_path = artefact_path};
  for (size_t i = 0; i < instance_->TensorCount(); ++i) {
    load.arguments.push_back(instance_->Tensor(i));
    load.prepare_arguments.push_back(instance_->op().tensors[i].constant ? instance_->Tensor(i)
                                                                         : nullptr);
  }
  load.arguments.push_back(workspace.get());
  load.prepare_arguments.push_back(workspace.get());
  Kernel kernel{.configuration = configuration, .workspace = std::move(workspace)};
  ASSIGN_OR_RETURN(kernel.code, backends::cpu::CpuLoader().Load(load));
  RETURN_IF_ERROR(kernel.code->Prepare());
  RETURN_IF_ERROR(instance_->Check([&] { return kernel.code->Run(1).status(); }));
  return kernel;
}

std::vector<absl::StatusOr<Kernel>> KernelFactory::Build(
    const std::vector<space::Configuration>& configurations) const {
  std::vector<absl::StatusOr<backends::CompileJob>> jobs;
  for (const space::Configuration& one : configurations) jobs.push_back(JobFor(one));
  const std::vector<absl::StatusOr<std::string>> paths = CompileAll(jobs);
  std::vector<absl::StatusOr<Kernel>> kernels;
  for (size_t i = 0; i < configurations.size(); ++i) {
    if (paths[i].ok()) {
      kernels.push_back(Finish(configurations[i], *paths[i]));
    } else {
      kernels.push_back(paths[i].status());
    }
  }
  return kernels;
}

absl::StatusOr<std::function<void()>> CompileWritten(const WrittenKernel& kernel,
                                                     const std::string& folder) {
  backends::CompileJob job;
  job.kernel.language = "cpp";
  job.kernel.source = {.file = absl::StrCat(kernel.entry, ".cc"), .text = kernel.source};
  job.kernel.entry = kernel.entry;
  job.kernel.flags = {"-ffp-contract=fast"};
  for (const Dtype type : kernel.types) {
    spec::Argument argument;
    argument.dtype = type;
    argument.is_buffer = true;
    job.arguments.push_back(std::move(argument));
  }
  job.artefact_folder = folder;
  job.timeout = kCompileTimeout;
  ASSIGN_OR_RETURN(const std::string path, CompileAll({job})[0]);
  ASSIGN_OR_RETURN(
      std::shared_ptr<backends::LoadedKernel> loaded,
      backends::cpu::CpuLoader().Load({.artefact_path = path, .arguments = kernel.addresses}));
  return [loaded = std::move(loaded)] { (void)loaded->Run(1); };
}

}  // namespace burnish::bench
