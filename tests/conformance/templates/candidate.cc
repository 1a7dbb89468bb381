#include "tests/conformance/templates/candidate.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <span>

#include "absl/strings/str_cat.h"
#include "agent/backends/cpu/compiler.h"
#include "agent/backends/cpu/kernel.h"
#include "agent/verify/buffers.h"
#include "agent/verify/compare.h"
#include "agent/verify/fill.h"
#include "agent/verify/poison.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"
#include "common/op/evaluate.h"

namespace burnish::templates {
namespace {

constexpr unsigned kTimeoutSeconds = 120;
constexpr int64_t kMaxPoints = int64_t{4} << 20;
constexpr uint64_t kInputSeed = 1;

enum class Placement {
  kGuarded,              // between guard zones; sanitized, each in a piece of heap of its size
  kBeforeUnreadablePage  // where reading behind a buffer is fatal, whatever instruction does it
};

// A candidate's buffers. Their memory is left to the end of the process.
class Buffers {
 public:
  Buffers(const std::vector<spec::Argument>& arguments, Placement placement)
      : layout_(arguments), guarded_(placement == Placement::kGuarded && !kSanitized) {
    if (guarded_) memory_ = {BeforeUnreadablePage(layout_.total_bytes()), layout_.total_bytes()};
    for (size_t i = 0; i < arguments.size(); ++i) {
      const size_t bytes = arguments[i].ElementCount() * DtypeBytes(arguments[i].dtype);
      if (guarded_) {
        buffers_.push_back(layout_.Buffer(memory_, i));
      } else if (placement == Placement::kGuarded) {
        buffers_.emplace_back(static_cast<std::byte*>(::operator new(bytes)), bytes);
      } else {
        buffers_.emplace_back(BeforeUnreadablePage(bytes), bytes);
      }
    }
  }

  std::span<std::byte> At(size_t i) const { return buffers_[i]; }
  void Poison() const {
    if (guarded_) layout_.PoisonAll(memory_);
    for (const std::span<std::byte> buffer : buffers_) verify::Poison(buffer);
  }
  std::optional<std::string> FindDamage() const {
    return guarded_ ? layout_.FindDamage(memory_) : std::nullopt;
  }

 private:
  static std::byte* BeforeUnreadablePage(size_t bytes) {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    const size_t room = (bytes + page - 1) / page * page;
    void* start =
        ::mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(start != MAP_FAILED);
    std::byte* end = static_cast<std::byte*>(start) + room;
    CHECK(::mprotect(end, page, PROT_NONE) == 0);
    return end - bytes;
  }

  verify::BufferLayout layout_;
  bool guarded_;
  std::span<std::byte> memory_;  // if guarded
  std::vector<std::span<std::byte>> buffers_;
};

class Check {
 public:
  explicit Check(const Pair& pair) : pair_(pair), arguments_(pair.task.arguments) {
    for (size_t i = 0; i < pair_.op.tensors.size(); ++i) {
      inputs_.emplace_back(arguments_[i].ElementCount() * DtypeBytes(arguments_[i].dtype));
      if (i != output()) verify::FillBuffer(arguments_[i], kInputSeed, inputs_[i]);
    }
    const std::vector<std::span<const std::byte>> tensors(inputs_.begin(), inputs_.end());
    elements_ = op::SampleOutput(pair_.op, kInputSeed, kMaxPoints);
    values_ = op::Evaluate(pair_.op, tensors, elements_);
  }

  absl::Status Run(const std::string& artefact_path) {
    RETURN_IF_ERROR(Load(artefact_path, Placement::kGuarded));
    RETURN_IF_ERROR(ExecuteFresh());
    const std::span<const std::byte> first = buffers_->At(output());
    const std::vector<std::byte> expected(first.begin(), first.end());
    RETURN_IF_ERROR(ExecuteFresh());
    RETURN_IF_ERROR(ExpectSame(expected, "two executions on fresh buffers"));
    RETURN_IF_ERROR(kernel_->Run(2).status());
    RETURN_IF_ERROR(CheckHarmless());
    RETURN_IF_ERROR(ExpectSame(expected, "executions back to back"));
    RETURN_IF_ERROR(Load(artefact_path, Placement::kBeforeUnreadablePage));
    RETURN_IF_ERROR(ExecuteFresh());
    return ExpectSame(expected, "executions at different places");
  }

 private:
  size_t output() const { return pair_.op.output.tensor; }

  absl::Status Load(const std::string& artefact_path, Placement placement) {
    buffers_.emplace(arguments_, placement);
    backends::LoadJob job{.artefact_path = artefact_path};
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const bool prepared = arguments_[i].constant || arguments_[i].role == spec::Role::kWorkspace;
      job.arguments.push_back(buffers_->At(i).data());
      job.prepare_arguments.push_back(prepared ? job.arguments.back() : nullptr);
    }
    ASSIGN_OR_RETURN(kernel_, backends::cpu::CpuLoader().Load(job));
    return absl::OkStatus();
  }

  absl::Status ExecuteFresh() {
    buffers_->Poison();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (i != output()) std::ranges::copy(inputs_[i], buffers_->At(i).begin());
    }
    RETURN_IF_ERROR(kernel_->Prepare());
    RETURN_IF_ERROR(CheckHarmless());
    RETURN_IF_ERROR(kernel_->Run(1).status());
    RETURN_IF_ERROR(CheckHarmless());
    const verify::OutputCheck check =
        verify::CompareSampled(arguments_[output()], buffers_->At(output()), elements_, values_,
                               {.reduction_length = op::ReductionLength(pair_.op)});
    return check.right() ? absl::OkStatus() : absl::InternalError("wrong: " + check.worst);
  }

  absl::Status CheckHarmless() {
    if (const auto damage = buffers_->FindDamage()) return absl::InternalError(*damage);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (i != output() && !std::ranges::equal(inputs_[i], buffers_->At(i))) {
        return absl::InternalError(absl::StrCat("changed its input '", arguments_[i].name, "'"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ExpectSame(const std::vector<std::byte>& expected, const char* where) {
    if (std::ranges::equal(expected, buffers_->At(output()))) return absl::OkStatus();
    return absl::InternalError(absl::StrCat("the results of ", where, " differ"));
  }

  const Pair& pair_;
  const std::vector<spec::Argument>& arguments_;
  std::optional<Buffers> buffers_;
  std::vector<std::vector<std::byte>> inputs_;  // of every tensor; the output's is not read
  std::vector<int64_t> elements_;
  std::vector<double> values_;
  std::unique_ptr<backends::LoadedKernel> kernel_;
};

std::string ReadAll(int fd) {
  std::string text;
  char piece[4096];
  ssize_t bytes = 0;
  while ((bytes = ::read(fd, piece, sizeof(piece))) > 0 || (bytes < 0 && errno == EINTR)) {
    if (bytes > 0) text.append(piece, bytes);
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> Compile(const Pair& pair, const std::string& folder) {
  const spec::Kernel& stage = pair.task.stages[0];
  backends::CompileJob job{.macros = work::MacroLines(pair.task, stage, pair.configuration),
                           .kernel = stage,
                           .arguments = pair.task.arguments,
                           .configuration = pair.configuration,
                           .artefact_folder = folder,
                           .timeout = absl::Minutes(5)};
  ASSIGN_OR_RETURN(job.kernel.source, work::SourceOf(stage, pair.configuration));
  if (kSanitized) job.kernel.flags.emplace_back("-fsanitize=address");
  const backends::CompileResult result = backends::cpu::CpuCompiler().Compile(job);
  if (result.outcome == work::Outcome::kOk) return result.artefact.path;
  return absl::InternalError(absl::StrCat(work::OutcomeName(result.outcome), ": ", result.message));
}

std::string CheckInChild(const Pair& pair, const std::string& artefact_path) {
  int ends[2];
  CHECK(::pipe(ends) == 0);
  UniqueFd from_child(ends[0]), to_parent(ends[1]);
  const pid_t child = ::fork();
  CHECK(child >= 0);
  if (child == 0) {
    ::alarm(kTimeoutSeconds);
    const absl::Status status = Check(pair).Run(artefact_path);
    const std::string text(status.message());
    const bool said = ::write(to_parent.get(), text.data(), text.size()) >= 0;
    ::_exit(status.ok() && said ? 0 : 1);
  }
  to_parent.Reset();
  const std::string said = ReadAll(from_child.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) CHECK(errno == EINTR);
  if (!said.empty()) return said;
  const ExitStatus exit{.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
  return exit.ok() ? "" : absl::StrCat("the candidate's process ended with ", ToText(exit));
}

}  // namespace burnish::templates
