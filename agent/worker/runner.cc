#include "agent/worker/runner.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/backends/registry.h"
#include "agent/sandbox/isolation/candidate_limits.h"
#include "agent/sandbox/isolation/namespaces.h"
#include "agent/sandbox/isolation/syscall_filter.h"
#include "agent/verify/scalar.h"
#include "agent/worker/shared_memory.h"
#include "burnish/v1/worker.pb.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"
#include "common/wire/frame.h"
#include "common/wire/task.h"

namespace burnish::worker {
namespace {

namespace pb = burnish::v1;

// A candidate that crashes shall die of its signal at once: no core file, no handler of ours (nor
// of a sanitizer) that would turn the signal into an exit code.
void PrepareToCrash() {
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    std::signal(signal, SIG_DFL);
  }
}

// A loaded kernel with all that its arguments point to.
struct Loaded {
  SharedMemory memory;
  std::vector<uint64_t> scalars;
  std::vector<std::span<std::byte>> inouts;
  std::vector<std::vector<std::byte>> saved_inouts;
  std::unique_ptr<backends::LoadedKernel> kernel;

  void SaveInouts() {
    saved_inouts.resize(inouts.size());
    for (size_t i = 0; i < inouts.size(); ++i) {
      saved_inouts[i].assign(inouts[i].begin(), inouts[i].end());
    }
  }
  void RestoreInouts() {
    for (size_t i = 0; i < inouts.size(); ++i) {
      std::ranges::copy(saved_inouts[i], inouts[i].begin());
    }
  }
};

// The address space that sanitizers reserve is no use of memory.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
// Code, libraries and the stacks of some threads.
constexpr int64_t kAddressSpaceBytes = int64_t{1} << 30;
constexpr int64_t kSpareCpuSeconds = 10;

absl::Status Confine(const RunnerConfinement& confinement, const pb::RunnerRequest::Load& request) {
  if (!confinement.limits) return absl::OkStatus();
  if (confinement.changes_user) RETURN_IF_ERROR(isolation::BecomeNobody());
  isolation::ProcessLimits limits;
  const auto cores = static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
  limits.cpu_seconds =
      static_cast<int64_t>(request.time_limit_seconds() * cores) + kSpareCpuSeconds;
  if (!confinement.in_group && confinement.own_user) limits.tasks = isolation::MaxTasks();
  // (A backend whose driver reserves address space without end will need the group.)
  if (!confinement.in_group && !kSanitized) {
    limits.address_space_bytes = confinement.memory_bytes + kAddressSpaceBytes +
                                 static_cast<int64_t>(request.shared_bytes());
  }
  RETURN_IF_ERROR(isolation::LimitCandidate(limits));
  RETURN_IF_ERROR(isolation::DropPrivileges());
  DieWithParent();  // a change of users has cancelled it
  if (!confinement.seccomp) return absl::OkStatus();
  return isolation::FilterSyscalls(isolation::Profile::kCandidate);
}

absl::StatusOr<std::unique_ptr<Loaded>> Load(const pb::RunnerRequest::Load& request) {
  const backends::Backend* backend = backends::FindBackend(request.backend());
  if (backend == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("no backend '", request.backend(), "'"));
  }
  ASSIGN_OR_RETURN(SharedMemory memory,
                   SharedMemory::Open(UniqueFd(kRunnerMemory), request.shared_bytes()));
  auto loaded = std::make_unique<Loaded>(Loaded{std::move(memory), {}, {}, {}, nullptr});
  loaded->scalars.resize(request.arguments_size());
  backends::LoadJob job;
  job.device_index = request.device_index();
  job.artefact_path = absl::StrCat("/proc/self/fd/", kRunnerArtefact);
  for (int i = 0; i < request.arguments_size(); ++i) {
    ASSIGN_OR_RETURN(const spec::Argument argument, wire::FromProto(request.arguments(i)));
    bool prepared = true;  // whether `prepare` sees it
    if (argument.is_buffer) {
      job.arguments.push_back(loaded->memory.bytes().data() + request.buffer_offsets(i));
      if (argument.role == spec::Role::kInout) {
        loaded->inouts.push_back(loaded->memory.bytes().subspan(
            request.buffer_offsets(i), argument.ElementCount() * DtypeBytes(argument.dtype)));
      }
      prepared = argument.constant || argument.role == spec::Role::kWorkspace;
    } else {
      verify::StoreScalar(argument.dtype, argument.value, &loaded->scalars[i]);
      job.arguments.push_back(&loaded->scalars[i]);
    }
    job.prepare_arguments.push_back(prepared ? job.arguments.back() : nullptr);
  }
  ASSIGN_OR_RETURN(loaded->kernel, backend->loader().Load(job));
  return loaded;
}

absl::StatusOr<int64_t> Run(const pb::RunnerRequest::Run& request, Loaded* loaded) {
  if (loaded == nullptr) return absl::FailedPreconditionError("nothing is loaded");
  if (!request.flush_caches() && !request.restore_inouts()) {
    return loaded->kernel->Run(request.launches());
  }
  // Each execution finds cold caches, and what it works in place on as it was; neither is timed.
  if (request.restore_inouts()) loaded->SaveInouts();
  int64_t total_ns = 0;
  for (int64_t i = 0; i < request.launches(); ++i) {
    if (request.restore_inouts() && i > 0) loaded->RestoreInouts();
    if (request.flush_caches()) loaded->kernel->FlushCaches();
    ASSIGN_OR_RETURN(const int64_t elapsed_ns, loaded->kernel->Run(1));
    total_ns += elapsed_ns;
  }
  return total_ns;
}

}  // namespace

int ServeRunner(const RunnerConfinement& confinement) {
  PrepareToCrash();
  std::unique_ptr<Loaded> loaded;
  pb::RunnerRequest request;
  while (wire::ReadFrame(kRunnerSocket, absl::InfiniteDuration(), request).ok()) {
    pb::RunnerReply reply;
    absl::Status status = absl::InvalidArgumentError("unknown request");
    if (request.has_load()) {
      status = Confine(confinement, request.load());
      if (!status.ok()) {
        reply.set_unconfined(std::string(status.message()));
      } else {
        auto result = Load(request.load());
        status = result.status();
        if (result.ok()) loaded = *std::move(result);
      }
    } else if (request.has_prepare()) {
      status = loaded != nullptr ? loaded->kernel->Prepare()
                                 : absl::FailedPreconditionError("nothing is loaded");
    } else if (request.has_run()) {
      const auto elapsed_ns = Run(request.run(), loaded.get());
      status = elapsed_ns.status();
      if (elapsed_ns.ok()) reply.set_elapsed_ns(*elapsed_ns);
    }
    reply.set_id(request.id());
    if (!status.ok()) reply.set_error(std::string(status.message()));
    if (!wire::WriteFrame(kRunnerSocket, reply).ok()) break;
  }
  return 0;
}

}  // namespace burnish::worker
