// The whole of the finalists' protocol, interleaving and decision, on a synthetic device whose
// truth is known: how often are two kernels that differ by 2 % put in the wrong order?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "agent/measure/interleave.h"
#include "common/base/limits.h"
#include "common/base/random.h"
#include "server/jobs/finalists.h"

namespace burnish::jobs {
namespace {

constexpr double kFasterSeconds = 1e-3;
constexpr double kSlowerSeconds = 1.02e-3;

// As a shared machine was measured to be: most samples lie within a per cent or two, 18 % are far
// above (the 99th percentile of executions is 33 times the median), the level drifts by -2 to +15 %
// over seconds; and a device that throttles beside, by 30 % for a second or so at a time.
class SyntheticDevice {
 public:
  SyntheticDevice(uint64_t seed, bool throttles) : random_(seed, "device"), throttles_(throttles) {}

  int64_t Run(double seconds) {
    const double level = 1 + drift_ + (throttled_until_ > now_ ? 0.3 : 0);
    double factor = 1 + 0.015 * Exponential();
    if (random_.UniformReal() < 0.18) factor += 0.05 * std::exp(2 * Normal());
    const double took = seconds * level * factor;
    Age(took);
    return std::llround(took * 1e9);
  }
  // Other work meanwhile.
  void Age(double seconds) {
    now_ += seconds;
    drift_ = std::clamp(drift_ + 0.1 * std::sqrt(seconds) * Normal(), -0.02, 0.15);
    if (throttles_ && throttled_until_ < now_ && random_.UniformReal() < seconds) {
      throttled_until_ = now_ + 1 + random_.UniformReal();
    }
  }

 private:
  double Exponential() { return -std::log(1 - random_.UniformReal()); }
  double Normal() {
    return std::sqrt(2 * Exponential()) * std::cos(2 * M_PI * random_.UniformReal());
  }

  RandomStream random_;
  const bool throttles_;
  double now_ = 0;
  double drift_ = 0.05;
  double throttled_until_ = -1;
};

space::Configuration Named(int64_t number) { return {{"N", number}}; }

store::Trial TrialOf(int64_t number, double seconds) {
  store::Trial trial;
  trial.what.number = TrialNumber(number);
  trial.what.configuration = Named(number);
  trial.finished_position = number;
  trial.outcome = work::Outcome::kOk;
  trial.latency = work::Latency{"p20", seconds, {seconds, seconds}, 0, seconds};
  trial.correctness.verified = true;
  return trial;
}

work::Comparison ComparisonOf(const std::vector<std::vector<work::Sample>>& rounds) {
  work::Comparison comparison;
  comparison.outcome = work::Outcome::kOk;
  for (size_t i = 0; i < rounds.size(); ++i) {
    work::FinalistSamples& finalist = comparison.finalists.emplace_back();
    finalist.configuration = Named(static_cast<int64_t>(i));
    finalist.outcome = work::Outcome::kOk;
    finalist.rounds = rounds[i];
    finalist.correctness.verified = true;
  }
  return comparison;
}

// The slower kernel is finalist 0, the faster one finalist 1.
double SecondsOf(size_t contestant) { return contestant == 0 ? kSlowerSeconds : kFasterSeconds; }

std::vector<std::vector<work::Sample>> Interleaved(SyntheticDevice& device, uint64_t seed) {
  return measure::Interleave({true, true}, limits::kComparisonRounds, seed,
                             [&](size_t contestant) -> absl::StatusOr<work::Sample> {
                               device.Run(SecondsOf(contestant));  // warms the caches
                               return work::Sample{device.Run(SecondsOf(contestant)), 1};
                             })
      .rounds;
}

std::vector<std::vector<work::Sample>> OneAfterTheOther(SyntheticDevice& device) {
  std::vector<std::vector<work::Sample>> rounds(2);
  for (size_t contestant : {0, 1}) {
    device.Age(0.5);  // compiling, verifying, warming up
    for (int i = 0; i < limits::kComparisonRounds; ++i) {
      rounds[contestant].push_back({device.Run(SecondsOf(contestant)), 1});
    }
  }
  return rounds;
}

struct Wrong {
  double order = 0;   // share of comparisons whose winner is the slower kernel
  double claims = 0;  // and that do not even tie it with the faster one
};

template <typename Compare>
Wrong Share(bool throttles, const Compare& compare) {
  constexpr int kComparisons = 2000;
  const std::vector<store::Trial> trials = {TrialOf(0, kSlowerSeconds), TrialOf(1, kFasterSeconds)};
  Wrong wrong;
  for (uint64_t seed = 0; seed < kComparisons; ++seed) {
    SyntheticDevice device(seed, throttles);
    const Verdict verdict = Decide(trials, Criteria(), ComparisonOf(compare(device, seed)));
    EXPECT_TRUE(verdict.result.best.has_value());
    if (!space::SameConfiguration(*verdict.result.best, Named(0))) continue;
    wrong.order += 1.0 / kComparisons;
    if (verdict.result.tie.empty()) wrong.claims += 1.0 / kComparisons;
  }
  return wrong;
}

TEST(FinalistsProtocol, HardlyEverPutsTwoKernelsThatDifferByTwoPerCentInTheWrongOrder) {
  for (const bool throttles : {false, true}) {
    const Wrong interleaved = Share(throttles, Interleaved);
    const Wrong apart = Share(
        throttles, [](SyntheticDevice& device, uint64_t) { return OneAfterTheOther(device); });
    std::printf(
        "%s: wrong order %.2f %% interleaved, %.2f %% one after the other; claimed %.2f %%, "
        "%.2f %%\n",
        throttles ? "throttling" : "drifting", 100 * interleaved.order, 100 * apart.order,
        100 * interleaved.claims, 100 * apart.claims);
    EXPECT_LE(interleaved.order, 0.03);
    EXPECT_LE(interleaved.claims, 0.01);
    EXPECT_GT(apart.order, 0.1) << "the device is no test of the protocol";
  }
}

}  // namespace
}  // namespace burnish::jobs
