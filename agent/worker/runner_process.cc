#include "agent/worker/runner_process.h"

#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/worker/candidate_failure.h"
#include "agent/worker/runner.h"
#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/wire/frame.h"

namespace burnish::worker {
namespace {

namespace pb = burnish::v1;

// For the death of a runner whose socket is closed already.
constexpr absl::Duration kExitGrace = absl::Seconds(1);
// A wait that is this much longer than the time that the device is said to have taken is no wait
// for the device. Launching short kernels may cost several times what they take, and a busy machine
// keeps us waiting for our turn: neither for this long. (What is done between
// executions, flushing caches or restoring buffers, is not timed at all, and may take any
// multiple.)
constexpr int kMaxWaitFactor = 10;
constexpr absl::Duration kMaxWaitBeyond = absl::Seconds(1);

}  // namespace

absl::StatusOr<RunnerProcess> RunnerProcess::Start(RunnerPool& pool, int memory_fd,
                                                   int artefact_fd) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  RunnerProcess runner(pool);
  runner.socket_ = UniqueFd(ends[0]);
  const UniqueFd theirs(ends[1]);
  ASSIGN_OR_RETURN(runner.zygote_, pool.Take());
  const int descriptors[kRunnerDescriptors] = {theirs.get(), memory_fd, artefact_fd};
  RETURN_IF_ERROR(runner.zygote_->Launch(descriptors));
  return runner;
}

RunnerProcess::~RunnerProcess() {
  if (zygote_ != nullptr) End(absl::ZeroDuration()).IgnoreError();
}

absl::Status RunnerProcess::Load(pb::RunnerRequest::Load load, absl::Duration time_limit) {
  time_limit_ = time_limit;
  left_ = time_limit;
  load.set_time_limit_seconds(absl::ToDoubleSeconds(time_limit));
  pb::RunnerRequest request;
  *request.mutable_load() = std::move(load);
  return Ask(std::move(request)).status();
}

absl::Status RunnerProcess::Prepare() {
  pb::RunnerRequest request;
  request.mutable_prepare();
  return Ask(std::move(request)).status();
}

absl::StatusOr<int64_t> RunnerProcess::Run(int64_t launches, bool flush_caches,
                                           bool restore_inouts) {
  pb::RunnerRequest request;
  request.mutable_run()->set_launches(launches);
  request.mutable_run()->set_flush_caches(flush_caches);
  request.mutable_run()->set_restore_inouts(restore_inouts);
  const absl::Duration before = SystemClock().Monotonic();
  ASSIGN_OR_RETURN(const pb::RunnerReply reply, Ask(std::move(request)));
  const int64_t waited_ns = absl::ToInt64Nanoseconds(SystemClock().Monotonic() - before);
  if (reply.elapsed_ns() < 0 || reply.elapsed_ns() > waited_ns) {
    return CandidateFailed(
        work::Outcome::kRejected,
        absl::StrCat("reported a time of ", reply.elapsed_ns(), " ns after ", waited_ns, " ns"));
  }
  const absl::Duration most =
      kMaxWaitFactor * absl::Nanoseconds(reply.elapsed_ns()) + kMaxWaitBeyond;
  const bool pauses = flush_caches || restore_inouts;
  if (!pauses && absl::Nanoseconds(waited_ns) > most) {
    return CandidateFailed(work::Outcome::kRejected,
                           absl::StrCat("reported a time of ", reply.elapsed_ns(),
                                        " ns, but kept the worker waiting for ", waited_ns, " ns"));
  }
  return reply.elapsed_ns();
}

measure::TimeFrame RunnerProcess::time() const {
  return {.clock = SystemClock(), .deadline = SystemClock().Monotonic() + left_};
}

absl::StatusOr<pb::RunnerReply> RunnerProcess::Ask(pb::RunnerRequest request) {
  if (zygote_ == nullptr) return absl::InternalError("the runner has ended");
  request.set_id(RandomSeed());
  if (!wire::WriteFrame(socket_.get(), request).ok()) return Ended();
  pb::RunnerReply reply;
  const absl::Duration before = SystemClock().Monotonic();
  const absl::Status read = wire::ReadFrame(socket_.get(), pool_->cancel_fd(), left_, reply);
  left_ -= SystemClock().Monotonic() - before;
  if (absl::IsCancelled(read)) return read;
  if (absl::IsDeadlineExceeded(read)) {
    End(absl::ZeroDuration()).IgnoreError();  // if it cannot, its sandbox goes
    return CandidateFailed(
        work::Outcome::kTimeout,
        absl::StrCat("took longer than its limit of ", absl::FormatDuration(time_limit_)));
  }
  if (absl::IsUnavailable(read)) return Ended();
  if (!read.ok()) {
    return CandidateFailed(work::Outcome::kRejected,
                           absl::StrCat("meddled with its runner: ", std::string(read.message())));
  }
  if (reply.id() != request.id()) {
    return CandidateFailed(work::Outcome::kRejected,
                           "meddled with its runner: a reply that nobody had asked for");
  }
  if (!reply.unconfined().empty()) {
    return absl::InternalError(absl::StrCat("the sandbox: ", reply.unconfined()));
  }
  if (!reply.error().empty()) {
    return CandidateFailed(work::Outcome::kLaunchRefused, reply.error());
  }
  return reply;
}

absl::StatusOr<RunnerEnd> RunnerProcess::End(absl::Duration grace) {
  std::unique_ptr<ZygoteProcess> zygote = std::move(zygote_);
  ASSIGN_OR_RETURN(const RunnerEnd end, zygote->End(grace));
  pool_->Return(std::move(zygote));
  return end;
}

absl::Status RunnerProcess::Ended() {
  ASSIGN_OR_RETURN(const RunnerEnd end, End(kExitGrace));
  if (!end.by_itself) {
    return CandidateFailed(work::Outcome::kRejected, "meddled with its runner: closed its socket");
  }
  if (end.status.signal == SIGKILL && end.out_of_memory) {
    return CandidateFailed(work::Outcome::kOutOfMemory, "ended by the system for lack of memory");
  }
  if (end.status.signal == SIGSYS) {
    return CandidateFailed(work::Outcome::kSandboxViolation,
                           "ended for a system call that candidates are denied");
  }
  return CandidateFailed(work::Outcome::kCrash, absl::StrCat("ended by ", ToText(end.status)));
}

}  // namespace burnish::worker
