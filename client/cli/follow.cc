#include "client/cli/follow.h"

#include <csignal>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/report.h"
#include "client/cli/watcher.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(100);

class Follower {
 public:
  Follower(Connection& connection, JobClient& client, ShutdownSignals& signals,
           const GlobalOptions& options, const FollowOptions& follow)
      : connection_(connection),
        client_(client),
        signals_(signals),
        options_(options),
        follow_(follow),
        progress_(Progress::StyleFor(options.quiet), SystemClock()),
        started_(SystemClock().Monotonic()) {}

  absl::StatusOr<Followed> Run() {
    StartWatching();
    while (true) {
      const std::optional<int> signal = signals_.Wait(kPollInterval);
      TakeSnapshot();
      if (signal.has_value()) {
        if (const auto code = HandleSignal(*signal)) return End(*code);
      }
      if (known_ && IsFinalState(snapshot_.state())) return End(FinalCode());
      if (known_ && snapshot_.state() == pb::STATE_PAUSED && follow_.ends_when_paused) {
        progress_.Note(absl::StrCat(follow_.job_id, " is paused: ", snapshot_.reason()));
        return End(kExitJobFailed);
      }
      if (TimedOut()) {
        NoteLeaving();
        return End(kExitTimeout);
      }
      if (const auto ended = watcher_->Ended()) {
        TakeSnapshot();
        if (known_ && IsFinalState(snapshot_.state())) continue;
        RETURN_IF_ERROR(Recover(*ended));
      }
      progress_.Tick();
    }
  }

 private:
  void StartWatching() {
    watcher_ = std::make_unique<Watcher>(connection_, options_.place.owner, follow_.job_id);
  }

  void TakeSnapshot() {
    const auto latest = watcher_->TakeLatest();
    if (!latest.has_value()) return;
    snapshot_ = *latest;
    if (follow_.on_snapshot) follow_.on_snapshot(snapshot_);
    known_ = true;
    progress_.Show(snapshot_);
  }

  // What becomes of a job that is left before its end: a private server pauses it.
  void NoteLeaving() {
    const std::string& id = follow_.job_id;
    progress_.Note(follow_.owns_job
                       ? absl::StrCat("left ", id, " paused; nothing stored is lost. Go on with: ",
                                      options_.Command("resume " + id))
                       : absl::StrCat(id, " goes on: ", options_.Command("watch " + id)));
  }

  // The exit code if the signal ends the following.
  std::optional<int> HandleSignal(int signal) {
    if (!follow_.owns_job || signal == SIGHUP) {
      NoteLeaving();
      return kExitInterrupted;
    }
    if (interrupted_) {
      NoteLeaving();
      return kExitInterrupted;
    }
    interrupted_ = true;
    progress_.Note(
        "finishing: running trials end, then the finalists are compared (Ctrl-C again to leave "
        "at once)");
    if (const auto finished = client_.Finish(follow_.job_id); !finished.ok()) {
      progress_.Note(absl::StrCat("cannot finish: ", std::string(finished.status().message())));
      return kExitInterrupted;
    }
    return std::nullopt;
  }

  bool TimedOut() const {
    return follow_.timeout.has_value() && SystemClock().Monotonic() - started_ > *follow_.timeout;
  }

  // The stream broke. A named server may come back: go on trying. A private one is started anew,
  // and the job, paused by its end, resumed.
  absl::Status Recover(const absl::Status& ended) {
    if (!absl::IsUnavailable(ended) && !absl::IsCancelled(ended) && !ended.ok()) return ended;
    if (!recovering_) progress_.Note("the server is gone: connecting again");
    recovering_ = true;
    const absl::Status connected = connection_.Reconnect();
    if (!connected.ok()) {
      if (connection_.is_private()) return connected;
      SleepThread(kPollInterval);
      return absl::OkStatus();
    }
    if (follow_.owns_job) RETURN_IF_ERROR(ResumeOwn());
    recovering_ = false;
    StartWatching();
    return absl::OkStatus();
  }

  absl::Status ResumeOwn() {
    ASSIGN_OR_RETURN(const pb::JobSnapshot job, client_.Get(follow_.job_id));
    if (IsFinalState(job.state())) return absl::OkStatus();
    RETURN_IF_ERROR(client_.Resume(follow_.job_id).status());
    if (interrupted_) RETURN_IF_ERROR(client_.Finish(follow_.job_id).status());
    return absl::OkStatus();
  }

  int FinalCode() const { return interrupted_ ? kExitInterrupted : ExitCodeOfJob(snapshot_); }

  Followed End(int code) {
    progress_.End();
    return {snapshot_, code};
  }

  Connection& connection_;
  JobClient& client_;
  ShutdownSignals& signals_;
  const GlobalOptions& options_;
  const FollowOptions& follow_;
  Progress progress_;
  const absl::Duration started_;
  std::unique_ptr<Watcher> watcher_;
  pb::JobSnapshot snapshot_;
  bool known_ = false;
  bool interrupted_ = false;
  bool recovering_ = false;
};

}  // namespace

absl::StatusOr<Followed> FollowJob(Connection& connection, JobClient& client,
                                   ShutdownSignals& signals, const GlobalOptions& options,
                                   const FollowOptions& follow) {
  return Follower(connection, client, signals, options, follow).Run();
}

void PrintJob(const pb::JobSnapshot& snapshot, const GlobalOptions& options) {
  if (options.json) {
    PrintDocument(JobDocument(snapshot));
  } else {
    std::printf("%s", ResultTable(snapshot).c_str());
    if (!options.quiet && snapshot.state() == pb::STATE_DONE) {
      std::printf("next      %s\n", options.Command("records " + snapshot.job_id()).c_str());
    }
  }
  std::fflush(stdout);
}

}  // namespace burnish::cli
