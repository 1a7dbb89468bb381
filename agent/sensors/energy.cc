#include "agent/sensors/energy.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "agent/sensors/thermal.h"
#include "common/base/status_macros.h"
#include "common/stats/statistics.h"

namespace burnish::sensors {
namespace {

constexpr absl::Duration kBatch = absl::Milliseconds(50);
constexpr size_t kLeastReadings = 5;
constexpr absl::Duration kPatience = absl::Seconds(15);
constexpr int kPieces = 8;
constexpr double kMaxWindows = 4;  // that a trial of a slow kernel may take

struct Trial {
  double watts = 0;
  double seconds_per_execution = 0;
};

absl::Duration SpacingOf(const std::vector<Reading>& readings) {
  std::vector<double> spacings;
  for (size_t i = 1; i < readings.size(); ++i) {
    spacings.push_back(absl::ToDoubleSeconds(readings[i].at - readings[i - 1].at));
  }
  return absl::Seconds(stats::Median(spacings));
}

struct Idle {
  double watts = 0;
  absl::Duration spacing;  // of its readings
};

absl::StatusOr<Idle> MeasureIdle(const SensorInfo& info, absl::Duration idle,
                                 const EnergyRig& rig) {
  const absl::Duration start = rig.clock.Monotonic();
  while (true) {
    RETURN_IF_ERROR(rig.wait(idle));
    const absl::Duration now = rig.clock.Monotonic();
    ASSIGN_OR_RETURN(const std::vector<Reading> readings, rig.record.Between(start, now));
    if (readings.size() < kLeastReadings && now - start < kPatience) continue;
    ASSIGN_OR_RETURN(const double watts,
                     MeanWatts(readings, info.quality == Quality::kCounter, start, now));
    return Idle{.watts = watts, .spacing = SpacingOf(readings)};
  }
}

// Executions for `dropped`, and then for `kept`, of which it is.
absl::StatusOr<Trial> MeasurePiece(const SensorInfo& info, absl::Duration dropped,
                                   absl::Duration kept, int64_t launches, const EnergyRig& rig) {
  const absl::Duration start = rig.clock.Monotonic();
  std::optional<absl::Duration> from;  // always between two executions
  int64_t executions = 0;
  while (true) {
    absl::Duration now = rig.clock.Monotonic();
    if (!from && now - start >= dropped) from = now;
    RETURN_IF_ERROR(rig.run(launches));
    now = rig.clock.Monotonic();
    if (from) executions += launches;
    if (!from || now - *from < kept) continue;
    ASSIGN_OR_RETURN(const std::vector<Reading> readings, rig.record.Between(*from, now));
    // A busy machine may be late to read; executing goes on until there is something to go by.
    if (readings.size() < kLeastReadings && now - *from < kept + kPatience && now < rig.deadline) {
      continue;
    }
    ASSIGN_OR_RETURN(const double watts,
                     MeanWatts(readings, info.quality == Quality::kCounter, *from, now));
    return Trial{.watts = watts,
                 .seconds_per_execution = absl::ToDoubleSeconds(now - *from) / executions};
  }
}

// How long until the clock is this share of a cycle behind a multiple of it.
absl::Duration UntilPhase(double share, absl::Duration cycle, absl::Duration now) {
  const double position = absl::FDivDuration(now, cycle) - share;
  return cycle * (std::ceil(position) - position);
}

// Pieces start at moments that are spread evenly over a cycle, the shorter one of execution and
// period, over all trials: so the one goes through all phases of the other.
absl::StatusOr<Trial> MeasureTrial(const SensorInfo& info, const EnergyPlan& plan, size_t number,
                                   int64_t launches, absl::Duration cycle, const EnergyRig& rig) {
  Trial trial;
  for (int piece = 0; piece < plan.pieces; ++piece) {
    if (plan.pieces > 1) {
      const double share = (piece + static_cast<double>(number) / plan.trials) / plan.pieces;
      RETURN_IF_ERROR(rig.wait(UntilPhase(share, cycle, rig.clock.Monotonic())));
    }
    ASSIGN_OR_RETURN(const Trial part,
                     MeasurePiece(info, piece == 0 ? plan.rise + plan.settle : plan.settle,
                                  plan.window / plan.pieces, launches, rig));
    trial.watts += part.watts / plan.pieces;
    trial.seconds_per_execution += part.seconds_per_execution / plan.pieces;
  }
  return trial;
}

Energy Summarise(const std::vector<Trial>& trials, double idle_watts) {
  Energy energy;
  energy.idle_watts = idle_watts;
  double seconds = 0;
  const auto count = static_cast<double>(trials.size());
  for (const Trial& trial : trials) {
    energy.watts += trial.watts / count;
    seconds += trial.seconds_per_execution / count;
    energy.joules += trial.watts * trial.seconds_per_execution / count;
  }
  // Less than nothing is noise, or an idle time that was none.
  energy.net_joules = std::max(0.0, energy.joules - idle_watts * seconds);
  double squares = 0;
  for (const Trial& trial : trials) {
    squares += std::pow(trial.watts * trial.seconds_per_execution - energy.joules, 2);
  }
  if (trials.size() > 1) energy.relative_sigma = std::sqrt(squares / (count - 1)) / energy.joules;
  return energy;
}

}  // namespace

EnergyPlan MakeEnergyPlan(const SensorInfo& info, absl::Duration period, absl::Duration window) {
  const bool sees_all = info.quality == Quality::kCounter || info.averaging >= period;
  EnergyPlan plan;
  plan.window = std::max(window, 50 * period);
  if (info.averaging >= absl::Seconds(1)) plan.window = std::max(plan.window, 2 * window);
  plan.rise = std::min(0.3 * window, absl::Milliseconds(1500)) + info.averaging;
  plan.settle = info.averaging + 2 * period;
  plan.idle = std::max(0.4 * window, 20 * period);
  if (!sees_all) {
    plan.trials = 4;
    plan.pieces = kPieces;
  }
  return plan;
}

absl::Duration EnergyTimeLimit(absl::Duration window) { return absl::Minutes(2) + 40 * window; }

absl::StatusOr<double> MeanWatts(const std::vector<Reading>& readings, bool counter,
                                 absl::Duration from, absl::Duration to) {
  const auto too_few = [&] {
    return absl::DataLossError(
        absl::StrCat("only ", readings.size(), " readings in the time that counts"));
  };
  if (readings.size() < 2) return too_few();
  if (counter) {
    const auto changes = [](const Reading& a, const Reading& b) { return a.value != b.value; };
    const auto before = std::adjacent_find(readings.begin(), readings.end(), changes);
    const auto last = std::adjacent_find(readings.rbegin(), readings.rend(), changes);
    if (before == readings.end()) {
      return absl::DataLossError("its counter stood still in the time that counts");
    }
    const Reading& first = *(before + 1);
    const Reading& end = *last;
    if (end.at <= first.at) return too_few();
    return (end.value - first.value) / absl::ToDoubleSeconds(end.at - first.at);
  }
  // The first and the last one stand for what is beyond them.
  double joules = readings.front().value * absl::ToDoubleSeconds(readings.front().at - from) +
                  readings.back().value * absl::ToDoubleSeconds(to - readings.back().at);
  for (size_t i = 1; i < readings.size(); ++i) {
    joules += (readings[i].value + readings[i - 1].value) / 2 *
              absl::ToDoubleSeconds(readings[i].at - readings[i - 1].at);
  }
  return joules / absl::ToDoubleSeconds(to - from);
}

absl::StatusOr<Energy> MeasureEnergy(const SensorInfo& info, absl::Duration window,
                                     double execution_seconds, const EnergyRig& rig) {
  ASSIGN_OR_RETURN(const Idle idle,
                   MeasureIdle(info, MakeEnergyPlan(info, info.period, window).idle, rig));
  const absl::Duration period = info.period > absl::ZeroDuration() ? info.period : idle.spacing;
  EnergyPlan plan = MakeEnergyPlan(info, period, window);
  // A window that ends within the last execution of a few is off by a part of one.
  plan.window = std::max(
      plan.window, std::min(absl::Seconds(20 * execution_seconds), kMaxWindows * plan.window));
  const auto launches = static_cast<int64_t>(
      std::max(1.0, absl::ToDoubleSeconds(std::min(kBatch, plan.window / (4 * plan.pieces))) /
                        std::max(execution_seconds, 1e-9)));
  const absl::Duration cycle = std::min(period, absl::Seconds(execution_seconds));

  std::vector<Trial> trials;
  DiscardPolicy discards;
  bool held_back = false;
  rig.throttled();
  absl::Duration longest;
  while (static_cast<int>(trials.size()) < plan.trials) {
    const absl::Duration start = rig.clock.Monotonic();
    if (start + longest > rig.deadline) {
      if (trials.empty()) return absl::DeadlineExceededError("there was no time for one trial");
      break;
    }
    ASSIGN_OR_RETURN(const Trial trial,
                     MeasureTrial(info, plan, trials.size(), launches, cycle, rig));
    longest = std::max(longest, rig.clock.Monotonic() - start);
    if (rig.throttled()) {
      const std::optional<absl::Duration> pause = discards.Next();
      if (pause && rig.clock.Monotonic() + *pause + longest <= rig.deadline) {
        RETURN_IF_ERROR(rig.wait(*pause));
        continue;
      }
      held_back = true;
    }
    trials.push_back(trial);
  }
  Energy energy = Summarise(trials, idle.watts);
  if (!(energy.joules > 0)) {
    return absl::DataLossError(
        absl::StrCat("the sensor ", info.name, " shows ", energy.watts, " W of a device at work"));
  }
  energy.throttled = held_back;
  return energy;
}

}  // namespace burnish::sensors
