#include "tests/bench/service/fleet.h"

#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/version.h"
#include "common/net/channel.h"
#include "tests/e2e/harness.h"

namespace burnish::bench {
namespace {

v1::ReportMessage OkReport() {
  v1::ReportMessage report;
  v1::Measurement& measurement = *report.mutable_measurement();
  measurement.set_outcome(v1::OUTCOME_OK);
  for (int i = 0; i < 10; ++i) {
    v1::Sample& sample = *measurement.add_samples();
    sample.set_total_ns(10'000'000 + i * 1'237);
    sample.set_launches(100);
  }
  v1::Latency& latency = *measurement.mutable_latency();
  latency.set_statistic("p20");
  latency.set_seconds(1.0001237e-4);
  latency.set_low_seconds(1.0000123e-4);
  latency.set_high_seconds(1.0004321e-4);
  latency.set_relative_mad(0.00123);
  latency.set_min_seconds(1e-4);
  measurement.mutable_correctness()->set_max_relative_error(1e-7);
  measurement.set_compile_seconds(0.25);
  measurement.set_run_seconds(0.125);
  auto& environment = *measurement.mutable_environment()->mutable_entries();
  for (const char* key : {"compiler", "flags", "os", "governor", "turbo", "microcode"}) {
    environment[key] = absl::StrCat("a value of ", key);
  }
  return report;
}

}  // namespace

std::string DeviceClassOf(int agent) { return absl::StrCat("bench-", agent); }

Timer::~Timer() {
  {
    const absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
}

void Timer::After(absl::Duration delay, std::function<void()> call) {
  const absl::MutexLock lock(&mutex_);
  const auto added = calls_.emplace(SystemClock().Monotonic() + delay, std::move(call));
  if (added == calls_.begin()) sooner_ = true;
}

void Timer::Run() {
  const auto awake = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopping_ || sooner_; };
  const absl::MutexLock lock(&mutex_);
  while (!stopping_) {
    const absl::Duration now = SystemClock().Monotonic();
    if (!calls_.empty() && calls_.begin()->first <= now) {
      const std::function<void()> call = std::move(calls_.extract(calls_.begin()).mapped());
      mutex_.Unlock();
      call();
      mutex_.Lock();
      continue;
    }
    sooner_ = false;
    mutex_.AwaitWithTimeout(absl::Condition(&awake), calls_.empty() ? absl::InfiniteDuration()
                                                                    : calls_.begin()->first - now);
  }
}

class SimulatedAgent final : public grpc::ClientBidiReactor<v1::AgentMessage, v1::ServerMessage> {
 public:
  SimulatedAgent(v1::AgentService::Stub& stub, const FleetOptions& options, int number,
                 FleetTotals& totals, Timer& timer)
      : options_(options), totals_(totals), timer_(timer), report_(OkReport()) {
    context_.set_wait_for_ready(true);  // a busy machine may need a second try to connect
    stub.async()->Attach(&context_, this);
    AddHold();  // until Goodbye(): writes start on any thread
    Send(Hello(number));
    StartRead(&incoming_);
    StartCall();
  }

  void Goodbye() {
    {
      const absl::MutexLock lock(&mutex_);
      leaving_ = true;
      if (!writing_) StartWritesDone();
    }
    RemoveHold();
  }

  void AwaitEnd() {
    const absl::MutexLock lock(&mutex_);
    if (!mutex_.AwaitWithTimeout(absl::Condition(&ended_), absl::Seconds(20))) {
      context_.TryCancel();
      mutex_.Await(absl::Condition(&ended_));
    }
  }

 private:
  v1::AgentMessage Hello(int number) const {
    v1::AgentMessage message;
    v1::Hello& hello = *message.mutable_hello();
    hello.set_agent_id(absl::StrCat("agent-", number));
    hello.set_version("bench");
    hello.set_protocol(kAgentProtocol);
    hello.set_prefetch(options_.prefetch);
    v1::DeviceInfo& device = *hello.add_devices();
    device.set_backend("cpu");
    device.set_name("simulated");
    device.set_device_class(DeviceClassOf(number));
    device.set_arch("x86_64");
    device.set_cores(8);
    device.add_languages("cpp");
    return message;
  }

  void Send(v1::AgentMessage message) {
    const absl::MutexLock lock(&mutex_);
    if (leaving_ || ended_) return;
    outgoing_.push_back(std::move(message));
    WriteNext();
  }

  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (writing_ || outgoing_.empty()) return;
    writing_ = true;
    current_ = std::move(outgoing_.front());
    outgoing_.pop_front();
    StartWrite(&current_);
  }

  void OnWriteDone(bool ok) override {
    const absl::MutexLock lock(&mutex_);
    writing_ = false;
    if (!ok) return;
    if (leaving_) {
      StartWritesDone();
    } else {
      WriteNext();
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    switch (incoming_.kind_case()) {
      case v1::ServerMessage::kWelcome:
        ++totals_.welcomed;
        interval_ = absl::Milliseconds(incoming_.welcome().heartbeat_interval_ms());
        timer_.After(interval_, [this] { Beat(); });
        break;
      case v1::ServerMessage::kAssignment:
        OnAssignment(incoming_.assignment());
        break;
      case v1::ServerMessage::kAcknowledgement:
        OnAcknowledged(incoming_.acknowledgement());
        break;
      case v1::ServerMessage::kHeartbeatReply:
        ++totals_.heartbeats;
        break;
      case v1::ServerMessage::kRevoke:
        Forget(incoming_.revoke().attempt_id());
        break;
      default:
        break;
    }
    StartRead(&incoming_);
  }

  void OnDone(const grpc::Status& status) override {
    const absl::MutexLock lock(&mutex_);
    if (!leaving_) ++totals_.lost;
    ended_ = true;
  }

  void OnAssignment(const v1::Assignment& assignment) {
    v1::HeldAttempt held;
    held.set_attempt_id(assignment.attempt_id());
    held.set_work_item_id(assignment.work_item_id());
    held.set_fence(assignment.fence());
    {
      const absl::MutexLock lock(&mutex_);
      if (!freed_.empty()) {
        CountRefill(SystemClock().Monotonic() - freed_.front());
        freed_.pop_front();
      } else if (static_cast<int>(holding_.size()) >= options_.prefetch) {
        ++early_;
        CountRefill(absl::ZeroDuration());
      }
      holding_[held.attempt_id()] = held;
      if (options_.trial_time > absl::ZeroDuration()) {
        waiting_.push_back(std::move(held));
        RunNext();
        return;
      }
    }
    Report(held);
  }

  // The device runs one trial at a time.
  void RunNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (running_ || waiting_.empty()) return;
    running_ = true;
    timer_.After(options_.trial_time, [this] {
      v1::HeldAttempt held;
      {
        const absl::MutexLock lock(&mutex_);
        held = std::move(waiting_.front());
        waiting_.pop_front();
        running_ = false;
        RunNext();
      }
      Report(held);
    });
  }

  void Report(const v1::HeldAttempt& held) {
    v1::AgentMessage message;
    v1::ReportMessage& report = *message.mutable_report();
    report = report_;
    report.set_attempt_id(held.attempt_id());
    report.set_work_item_id(held.work_item_id());
    report.set_fence(held.fence());
    Send(std::move(message));
  }

  void OnAcknowledged(const v1::ReportAcknowledgement& acknowledgement) {
    if (acknowledgement.result() == v1::ReportAcknowledgement::RESULT_STORED) ++totals_.stored;
    Forget(acknowledgement.attempt_id());
  }

  void Forget(const std::string& attempt) {
    const absl::MutexLock lock(&mutex_);
    if (holding_.erase(attempt) == 0) return;
    if (early_ > 0) {
      --early_;
    } else {
      freed_.push_back(SystemClock().Monotonic());
    }
  }

  void CountRefill(absl::Duration refill) {
    const absl::MutexLock lock(&totals_.mutex);
    totals_.refills.push_back(refill);
  }

  void Beat() {
    v1::AgentMessage message;
    v1::Heartbeat& heartbeat = *message.mutable_heartbeat();
    {
      const absl::MutexLock lock(&mutex_);
      heartbeat.set_sequence(++beats_);
      for (const auto& [id, held] : holding_) *heartbeat.add_holding() = held;
    }
    Send(std::move(message));
    timer_.After(interval_, [this] { Beat(); });
  }

  const FleetOptions& options_;
  FleetTotals& totals_;
  Timer& timer_;
  const v1::ReportMessage report_;
  grpc::ClientContext context_;
  v1::ServerMessage incoming_;  // being read
  absl::Duration interval_;     // set by the welcome
  absl::Mutex mutex_;
  std::deque<v1::AgentMessage> outgoing_ ABSL_GUARDED_BY(mutex_);
  v1::AgentMessage current_;  // being written
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<std::string, v1::HeldAttempt> holding_ ABSL_GUARDED_BY(mutex_);
  std::deque<v1::HeldAttempt> waiting_ ABSL_GUARDED_BY(mutex_);  // for the device
  bool running_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<absl::Duration> freed_ ABSL_GUARDED_BY(mutex_);  // when slots became free
  int early_ ABSL_GUARDED_BY(mutex_) = 0;  // assignments that overtook an acknowledgement
  int64_t beats_ ABSL_GUARDED_BY(mutex_) = 0;
  bool leaving_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

Fleet::Fleet(const FleetOptions& options) : options_(options) {
  const auto address = net::ParseServerAddress(options_.address);
  CHECK_OK(address.status());
  for (int i = 0; i < options_.channels; ++i) {
    const auto channel = net::DialServer(*address, {});
    CHECK_OK(channel.status());
    stubs_.push_back(v1::AgentService::NewStub(*channel));
  }
  for (int number = 0; number < options_.agents; ++number) {
    agents_.push_back(std::make_unique<SimulatedAgent>(*stubs_[number % options_.channels],
                                                       options_, number, totals_, timer_));
  }
  CHECK(e2e::WaitUntil([&] { return totals_.welcomed == options_.agents; }, absl::Minutes(1)))
      << totals_.welcomed << " of " << options_.agents << " agents were welcomed, " << totals_.lost
      << " streams ended";
}

Fleet::~Fleet() {
  for (const auto& agent : agents_) agent->Goodbye();
  for (const auto& agent : agents_) agent->AwaitEnd();
}

std::vector<absl::Duration> Fleet::TakeRefills() {
  const absl::MutexLock lock(&totals_.mutex);
  return std::exchange(totals_.refills, {});
}

}  // namespace burnish::bench
