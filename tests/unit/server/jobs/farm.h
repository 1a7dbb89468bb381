// A farm of one process for the tests of server/jobs: the real store in memory, a simulated clock,
// and agents whose devices answer by a function of the configuration.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/random.h"
#include "gtest/gtest.h"
#include "server/jobs/job_runner.h"
#include "server/jobs/submission.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/unit/server/store/store_steps.h"

namespace burnish::jobs {

inline const Namespace kTeam("default");

// How a device answers to a configuration.
struct Answer {
  work::Outcome outcome = work::Outcome::kOk;
  double seconds = 1e-3;
  std::string message;
  double device_seconds = 0;  // half of it compiling
  work::Figures figures = {};
};
using Model = std::function<Answer(const space::Configuration&)>;

inline int64_t ValueOf(const space::Configuration& configuration, const std::string& name) {
  for (const space::Setting& setting : configuration) {
    if (setting.name == name) return std::get<int64_t>(setting.value);
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

// Fastest at A = 6, B = 3; no two configurations are equally fast.
inline Answer Bowl(const space::Configuration& configuration) {
  const double a = static_cast<double>(ValueOf(configuration, "A"));
  const double b = static_cast<double>(ValueOf(configuration, "B"));
  return {.outcome = work::Outcome::kOk,
          .seconds = 1e-3 * (1 + (a - 6) * (a - 6) + 0.31 * (b - 3) * (b - 3) + 0.01 * a),
          .message = ""};
}

inline Answer AlwaysWrong(const space::Configuration&) {
  return {.outcome = work::Outcome::kWrongResult, .seconds = 0, .message = "c[3]: 0.5, expected 1"};
}

// A job over 64 configurations, A and B from 1 to 8; `tail` is appended ("budget: …").
inline spec::JobText JobOf(const std::string& tail, const std::string& reference = R"(
  reference: {language: cpp, source: {file: toy_reference.cpp}, entry: toy})") {
  return {.file_name = "toy.yaml",
          .text = absl::StrCat(R"(name: toy
kernel:
  language: cpp
  source: {file: toy.cpp}
  entry: toy
  arguments:
    - {name: c, dtype: f32, shape: [n], role: output}
    - {name: n, dtype: i32, value: n}
  constants: {n: 16})",
                               reference, R"(
  work: {flops: "2 * n"}
  parameters:
    A: [1, 2, 3, 4, 5, 6, 7, 8]
    B: [1, 2, 3, 4, 5, 6, 7, 8]
)",
                               tail, "\n"),
          .files = {{"toy.cpp", "extern \"C\" void toy(float* c, int n) { (void)c; (void)n; }\n"},
                    {"toy_reference.cpp",
                     "extern \"C\" void toy(float* c, int n) { (void)c; (void)n; }\n"}}};
}

inline work::DeviceInfo Cpu(const std::string& device_class = "zen4") {
  work::DeviceInfo info;
  info.backend = "cpu";
  info.name = "Test CPU";
  info.device_class = device_class;
  info.languages = {"cpp"};
  return info;
}

class Farm {
 public:
  Farm() : store_(*store::OpenSqliteStore(":memory:", clock_)), runner_(NewRunner()) {}

  store::Store& store() { return *store_; }
  SimulatedClock& clock() { return clock_; }

  // One agent with one device.
  void Attach(const std::string& agent, const work::DeviceInfo& info, Model model) {
    const auto session = store_->OpenSession(AgentId(agent), {info}, {}, kLease);
    ASSERT_TRUE(session.ok()) << session.status();
    sessions_[agent] = session->session;
    models_[agent] = std::move(model);
  }
  void SetModel(const std::string& agent, Model model) { models_[agent] = std::move(model); }
  void Detach(const std::string& agent) {
    ASSERT_TRUE(store_->CloseSession(sessions_[agent]).ok());
    sessions_.erase(agent);
  }

  JobId Submit(const spec::JobText& text, const std::string& hold_id = "") {
    const auto job = jobs::Submit(*store_, kTeam,
                                  {.client_request_id = absl::StrCat("request-", ++requests_),
                                   .hold_id = hold_id,
                                   .job = text});
    EXPECT_TRUE(job.ok()) << job.status();
    return job.ok() ? job->job : JobId();
  }

  void Advance() { ASSERT_TRUE(runner_->Advance().ok()); }
  // The server is killed and started again: only the store is left.
  void RestartServer() { runner_ = NewRunner(); }

  // Every attached agent takes up to `limit` items of each task it may serve and reports them.
  int Serve(int limit = 1) {
    int served = 0;
    for (const auto& [agent, session] : sessions_) {
      for (const work::Assignment& assignment : Claim(agent, limit)) {
        Report(agent, assignment);
        ++served;
      }
    }
    return served;
  }

  std::vector<work::Assignment> Claim(const std::string& agent, int limit) {
    std::vector<work::Assignment> claimed;
    const auto devices = store_->Devices();
    const auto open = store_->OpenTasks();
    EXPECT_TRUE(devices.ok() && open.ok());
    for (const store::DeviceRow& device : *devices) {
      if (device.device.agent != AgentId(agent)) continue;
      for (const store::OpenTask& task : *open) {
        if (task.device_class != device.device.info.device_class) continue;
        const auto granted =
            store::Claim(*store_, sessions_[agent], device.device.id, task.id, limit, kLease);
        EXPECT_TRUE(granted.ok()) << granted.status();
        claimed.insert(claimed.end(), granted->begin(), granted->end());
      }
    }
    return claimed;
  }

  void Report(const std::string& agent, const work::Assignment& assignment) {
    const auto stored = store::StoreReport(*store_, sessions_[agent],
                                           {.attempt = assignment.attempt,
                                            .work_item = assignment.work_item,
                                            .fence = assignment.fence,
                                            .result = Measure(models_[agent], assignment.work)});
    ASSERT_TRUE(stored.ok()) << stored.status();
  }

  // Until the job has ended or nothing moves any more.
  store::JobWithTasks RunToEnd(JobId id) {
    for (int round = 0; round < 10'000; ++round) {
      Advance();
      if (store::IsFinal(Get(id).job.state)) break;
      if (Serve() == 0 && idle_rounds_++ > 10) {
        ADD_FAILURE() << "the job does not end: " << store::StateName(Get(id).job.state);
        break;
      }
    }
    return Get(id);
  }

  store::JobWithTasks Get(JobId id) {
    auto job = store_->GetJob(kTeam, id);
    EXPECT_TRUE(job.ok()) << job.status();
    return *std::move(job);
  }
  std::vector<store::Trial> Trials(JobId id, int32_t ordinal = 1) {
    auto trials = store_->Trials(kTeam, {.job = id, .ordinal = ordinal});
    EXPECT_TRUE(trials.ok()) << trials.status();
    return *std::move(trials);
  }

  // What the comparison reports instead of figures, if set.
  std::function<work::Comparison(const work::CompareWork&)> compare;

 private:
  static constexpr absl::Duration kLease = absl::Seconds(30);

  std::unique_ptr<JobRunner> NewRunner() {
    return std::make_unique<JobRunner>(*store_, JobRunnerOptions{});
  }

  std::variant<work::Measurement, work::Comparison> Measure(const Model& model,
                                                            const work::Work& work) {
    if (const auto* const measure = std::get_if<work::MeasureWork>(&work)) {
      return MeasurementOf(model(measure->configuration));
    }
    const auto& finalists = std::get<work::CompareWork>(work);
    if (compare) return compare(finalists);
    work::Comparison comparison;
    comparison.outcome = work::Outcome::kOk;
    for (const space::Configuration& configuration : finalists.finalists) {
      comparison.finalists.push_back(
          SamplesOf(configuration, model(configuration), finalists.rounds));
    }
    return comparison;
  }

  static work::Measurement MeasurementOf(const Answer& answer) {
    work::Measurement measurement;
    measurement.outcome = answer.outcome;
    measurement.message = answer.message;
    measurement.compile_seconds = answer.device_seconds / 2;
    measurement.run_seconds = answer.device_seconds / 2;
    if (answer.outcome != work::Outcome::kOk) return measurement;
    measurement.samples = {{.total_ns = static_cast<int64_t>(answer.seconds * 1e9), .launches = 1}};
    measurement.latency =
        work::Latency{.statistic = "p20",
                      .seconds = answer.seconds,
                      .interval = {.low = answer.seconds * 0.99, .high = answer.seconds * 1.01},
                      .relative_mad = 0.01,
                      .min_seconds = answer.seconds * 0.98};
    measurement.figures = answer.figures;
    measurement.correctness.verified = true;
    return measurement;
  }

  // The rounds of a noisy machine: whatever runs in a round is slowed by the same factor.
  static work::FinalistSamples SamplesOf(const space::Configuration& configuration,
                                         const Answer& answer, int rounds) {
    work::FinalistSamples samples;
    samples.configuration = configuration;
    samples.outcome = answer.outcome;
    samples.message = answer.message;
    samples.correctness.verified = answer.outcome == work::Outcome::kOk;
    for (int round = 0; round < rounds && answer.outcome == work::Outcome::kOk; ++round) {
      RandomStream noise(1, "round", static_cast<uint64_t>(round));
      const double seconds = answer.seconds * (1 + 0.5 * noise.UniformReal());
      samples.rounds.push_back({.total_ns = static_cast<int64_t>(seconds * 1e9), .launches = 1});
    }
    return samples;
  }

  SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<JobRunner> runner_;
  std::map<std::string, SessionId> sessions_;
  std::map<std::string, Model> models_;
  int requests_ = 0;
  int idle_rounds_ = 0;
};

}  // namespace burnish::jobs
