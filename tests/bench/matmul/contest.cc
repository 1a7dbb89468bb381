#include "tests/bench/matmul/contest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "agent/backends/cpu/device.h"
#include "agent/measure/interleave.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"
#include "tests/bench/matmul/process.h"

namespace burnish::bench {
namespace {

constexpr int64_t kSampleNs = 400'000;
constexpr int64_t kAwakeNs = 200'000;  // of untimed executions after a pause
constexpr absl::Duration kUntilAsleep = absl::Milliseconds(1);
constexpr int64_t kLeastFlushBytes = 96 << 20;

// Reads and writes more than all caches hold.
void FlushCaches() {
  static std::vector<int64_t>& words = *new std::vector<int64_t>(
      std::max(kLeastFlushBytes, 2 * backends::cpu::HostCpu().LastLevelCacheBytes()) /
      sizeof(int64_t));
  for (int64_t& word : words) ++word;
  asm volatile("" : : "r"(words.data()) : "memory");
}

// Nanoseconds of one execution, roughly.
absl::StatusOr<int64_t> Estimate(const Contender& contender) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 4; ++i) {
    ASSIGN_OR_RETURN(const int64_t elapsed, contender.run(1));
    least = std::min(least, elapsed);
  }
  if (least * 20 > kSampleNs) return std::max<int64_t>(least, 1);
  ASSIGN_OR_RETURN(const int64_t elapsed, contender.run(20));
  return std::max<int64_t>(elapsed / 20, 1);
}

absl::StatusOr<work::Sample> TakeSample(const Contender& contender, int64_t launches,
                                        const ContestPlan& plan) {
  if (plan.apart) {
    SleepThread(kUntilAsleep);
    for (int64_t awake_ns = 0; awake_ns < kAwakeNs;) {
      ASSIGN_OR_RETURN(const int64_t elapsed, contender.run(1));
      awake_ns += std::max<int64_t>(elapsed, 1);
    }
  }
  if (plan.cold) {
    FlushCaches();
  } else {
    RETURN_IF_ERROR(contender.run(1).status());
  }
  ASSIGN_OR_RETURN(const int64_t elapsed, contender.run(launches));
  return work::Sample{.total_ns = elapsed, .launches = launches};
}

}  // namespace

Contender FromFunction(std::string name, std::function<void()> function) {
  return {.name = std::move(name),
          .run = [function = std::move(function)](int64_t launches) -> absl::StatusOr<int64_t> {
            const absl::Duration start = SystemClock().Monotonic();
            for (int64_t i = 0; i < launches; ++i) function();
            return absl::ToInt64Nanoseconds(SystemClock().Monotonic() - start);
          }};
}

absl::StatusOr<Times> Compete(const std::vector<Contender>& contenders, const ContestPlan& plan) {
  if (plan.apart) KeepThreadsApart();
  std::vector<int64_t> launches(contenders.size(), 1);
  if (!plan.cold) {
    for (size_t i = 0; i < contenders.size(); ++i) {
      ASSIGN_OR_RETURN(const int64_t once, Estimate(contenders[i]));
      launches[i] = std::max<int64_t>(1, kSampleNs / once);
    }
  }
  const auto sample = [&](size_t i) { return TakeSample(contenders[i], launches[i], plan); };
  const std::vector<bool> all(contenders.size(), true);
  Times times(contenders.size());
  int rounds = 0;
  const absl::Duration until = SystemClock().Monotonic() + plan.time;
  while (rounds < plan.least_rounds ||
         (rounds < plan.most_rounds && SystemClock().Monotonic() < until)) {
    const measure::Contest contest = measure::Interleave(all, 1, ++rounds, sample);
    for (size_t i = 0; i < contenders.size(); ++i) {
      RETURN_IF_ERROR(contest.ends[i]);
      times[i].push_back(contest.rounds[i][0].LatencySeconds());
    }
  }
  return times;
}

}  // namespace burnish::bench
