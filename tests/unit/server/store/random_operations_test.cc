// Random sequences of everything that agents, job loop and time can do to one task, against a model
// that knows only what the store answered.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using work::Outcome;
using work::ReportResult;

constexpr int kSeeds = 20;
constexpr int kStepsPerSeed = 250;
const std::vector<std::string> kAgents = {"a", "b", "c"};

class RandomOperationsTest : public StoreConformanceTest {
 protected:
  struct Attached {
    SessionId session;
    std::vector<work::Assignment> running;  // what the agent believes it holds
  };

  void Start(uint64_t seed) {
    store_ = GetParam().make(clock_);
    random_ = std::make_unique<RandomStream>(seed, "random operations");
    agents_.clear();
    granted_.clear();
    stored_.clear();
    next_trial_ = 0;
    task_ = RunningTask(0);
    for (const std::string& agent : kAgents) agents_[agent].session = Open(agent);
  }

  size_t Below(size_t bound) { return random_->UniformBelow(bound); }
  std::string AnyAgent() { return kAgents[Below(kAgents.size())]; }

  void Step() {
    switch (Below(9)) {
      case 0:
        Count("add");
        AddTrials(task_, next_trial_, next_trial_ + 3);
        next_trial_ += 3;
        return;
      case 1:
      case 2:
        return ClaimSome(AnyAgent());
      case 3:
      case 4:
        return ReportOne(AnyAgent());
      case 5:
        return ReportAnyGrantEverMade();
      case 6:
        return Heartbeat(AnyAgent());
      case 7:
        Count("time");
        clock_.Advance(absl::Seconds(static_cast<int64_t>(Below(20))));
        EXPECT_TRUE(store_->ExpireLeases().ok());
        return;
      default:
        return Below(15) == 0 ? Withdraw() : Reattach(AnyAgent());
    }
  }

  void ClaimSome(const std::string& agent) {
    Count("claim");
    for (const work::Assignment& one : Claim(agents_[agent].session, agent, task_, 2)) {
      EXPECT_TRUE(granted_.emplace(one.attempt, std::make_pair(agent, one)).second);
      Fence& fence = fences_[one.work_item];
      EXPECT_GT(one.fence, fence) << "a fence never falls";
      fence = one.fence;
      agents_[agent].running.push_back(one);
    }
  }

  void Report(const std::string& agent, const work::Assignment& one) {
    const bool current = IsCurrent(*store_, HeldOf(one));
    const work::Measurement result =
        Below(5) == 0 ? FailedMeasurement(Outcome::kInfrastructure, "lost") : OkMeasurement();
    const ReportResult answer = StoreResult(agents_[agent].session, one, result);
    Count(answer == ReportResult::kStored ? "stored"
                                          : (answer == ReportResult::kLate ? "late" : "duplicate"));
    EXPECT_EQ(answer == ReportResult::kDuplicate, stored_.contains(one.attempt));
    if (current) {
      EXPECT_EQ(answer, ReportResult::kStored);
    }
    if (one.fence < fences_[one.work_item]) {
      EXPECT_NE(answer, ReportResult::kStored);
    }
    stored_.insert(one.attempt);
  }

  void ReportOne(const std::string& agent) {
    std::vector<work::Assignment>& running = agents_[agent].running;
    if (running.empty()) return Count("nothing to report");
    const size_t i = Below(running.size());
    const work::Assignment one = running[i];
    running.erase(running.begin() + static_cast<ptrdiff_t>(i));
    Report(agent, one);
  }

  void ReportAnyGrantEverMade() {
    if (granted_.empty()) return Count("nothing granted");
    const auto& [agent, one] = std::next(granted_.begin(), Below(granted_.size()))->second;
    Report(agent, one);
  }

  std::vector<HeldAttempt> Held(const std::string& agent) {
    std::vector<HeldAttempt> held;
    for (const work::Assignment& one : agents_[agent].running) held.push_back(HeldOf(one));
    return held;
  }

  void Heartbeat(const std::string& agent) {
    Count("heartbeat");
    const auto renewed = store::RenewSession(*store_, agents_[agent].session, Held(agent), kLease);
    ASSERT_TRUE(renewed.ok()) << renewed.status();
    std::erase_if(agents_[agent].running, [&](const work::Assignment& one) {
      return std::find(renewed->begin(), renewed->end(), one.attempt) == renewed->end();
    });
  }

  void Reattach(const std::string& agent) {
    Count("reattach");
    Attached& attached = agents_[agent];
    if (Below(3) == 0) {
      EXPECT_TRUE(store_->CloseSession(attached.session).ok());
    }
    if (Below(2) == 0) attached.running.clear();  // a new process
    const auto opened = store_->OpenSession(AgentId(agent), {CpuDevice()}, Held(agent), kLease);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_LE(opened->kept.size(), attached.running.size());
    attached.session = opened->session;
  }

  void Withdraw() {
    Count("withdraw");
    EXPECT_TRUE(store::WithdrawQueuedTrials(*store_, owner_, task_).ok());
  }

  void CheckInvariants() {
    int64_t unfinished = 0;
    std::set<int64_t> positions;
    int ok = 0;
    int infrastructure = 0;
    const std::vector<Trial> trials = *store_->Trials(owner_, task_);
    for (const Trial& trial : trials) {
      if (trial.finished_position.has_value()) {
        ++(trial.outcome == Outcome::kOk ? ok : infrastructure);
        positions.insert(*trial.finished_position);
      } else {
        ++unfinished;
      }
    }
    // Positions are distinct and run from 0 without a gap.
    const auto finished = Finished(task_);
    ASSERT_EQ(positions.size(), finished.size());
    for (size_t i = 0; i < finished.size(); ++i) {
      ASSERT_EQ(finished[i].finished_position, static_cast<int64_t>(i));
    }
    // What is not finished is queued or leased.
    const auto open = *store_->OpenTasks();
    const int64_t queued = open.empty() ? 0 : open[0].queued;
    ASSERT_EQ(queued + *store_->RunningItems(owner_, task_), unfinished);
    // Every report was stored, and once.
    std::set<AttemptId> attempts;
    const std::vector<ResultRow> results =
        *store_->Results(owner_, task_.job, "measure", 0, 1 << 20);
    for (const ResultRow& row : results) {
      ASSERT_TRUE(attempts.insert(row.attempt).second);
      ASSERT_TRUE(granted_.contains(row.attempt)) << row.attempt.value();
      ASSERT_EQ(row.device.value(), granted_.at(row.attempt).first + "/cpu:0");
    }
    ASSERT_EQ(attempts, stored_);
    finished_ok_ = ok;
    finished_infrastructure_ = infrastructure;
  }

  void Count(const std::string& operation) {
    ++histogram_[operation];
    absl::StrAppend(&transcript_, operation, "\n");
  }
  // What every store must have made of the same operations.
  std::string Transcript() {
    const std::vector<Trial> trials = *store_->Trials(owner_, task_);
    for (const Trial& trial : trials) {
      absl::StrAppend(&transcript_, trial.what.number.value(), " ",
                      trial.finished_position.value_or(-1), " ", work::OutcomeName(trial.outcome),
                      "\n");
    }
    return std::exchange(transcript_, "");
  }

  std::unique_ptr<RandomStream> random_;
  std::map<std::string, Attached> agents_;
  std::map<AttemptId, std::pair<std::string, work::Assignment>> granted_;
  std::map<WorkItemId, Fence> fences_;
  std::set<AttemptId> stored_;
  std::map<std::string, int> histogram_;
  std::string transcript_;
  int finished_ok_ = 0;
  int finished_infrastructure_ = 0;
  int64_t next_trial_ = 0;
  TaskId task_;
};

INSTANTIATE_TEST_SUITE_P(Stores, RandomOperationsTest, testing::ValuesIn(StoreFactories()),
                         FactoryName);

TEST_P(RandomOperationsTest, NoOrderOfEventsBreaksTheQueue) {
  // Of the store that was tested first, by seed: the others must agree with it.
  static std::map<uint64_t, std::string> expected;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Start(seed);
    fences_.clear();
    for (int step = 0; step < kStepsPerSeed; ++step) {
      Step();
      if (step % 10 == 0) CheckInvariants();
      if (HasFatalFailure()) return;
    }
    CheckInvariants();
    const std::string transcript = Transcript();
    EXPECT_EQ(transcript, expected.emplace(seed, transcript).first->second) << "the stores differ";
    histogram_["finished ok"] += finished_ok_;
    histogram_["finished infrastructure"] += finished_infrastructure_;
  }
  for (const auto& [operation, count] : histogram_) {
    std::cout << operation << ": " << count << "\n";
  }
  for (const char* operation : {"stored", "late", "duplicate", "reattach", "withdraw",
                                "finished ok", "finished infrastructure"}) {
    EXPECT_GE(histogram_[operation], 10) << operation;
  }
}

}  // namespace
}  // namespace burnish::store
