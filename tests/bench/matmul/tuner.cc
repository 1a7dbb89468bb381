#include "tests/bench/matmul/tuner.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/backends/cpu/device.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "nlohmann/json.hpp"
#include "server/search/strategy.h"

namespace burnish::bench {
namespace {

using Json = nlohmann::json;

constexpr size_t kBatch = 8;  // compiled together, then timed
constexpr size_t kKept = 3;
constexpr ContestPlan kShortContest = {
    .time = absl::Milliseconds(150), .least_rounds = 5, .most_rounds = 30};

struct Trial {
  TrialNumber number;
  space::ConfigurationIndex index = 0;
  double speedup = 0;
};

// Times the kernels beside the default, whose time is thereby known under the same conditions.
absl::Status TimeBatch(const Kernel& by_default, const std::vector<absl::StatusOr<Kernel>>& kernels,
                       bool apart, std::vector<Trial>& trials, Tuned& tuned) {
  std::vector<Contender> contenders = {by_default.AsContender("default")};
  std::vector<size_t> timed;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].ok()) {
      contenders.push_back(kernels[i]->AsContender("candidate"));
      timed.push_back(i);
    } else {
      tuned.failures.push_back(std::string(kernels[i].status().message()));
    }
  }
  ContestPlan plan = kShortContest;
  plan.apart = apart;
  ASSIGN_OR_RETURN(const Times times, Compete(contenders, plan));
  for (size_t i = 0; i < timed.size(); ++i) {
    trials[timed[i]].speedup = std::ranges::min(times[0]) / std::ranges::min(times[i + 1]);
  }
  return absl::OkStatus();
}

std::vector<search::Observation> Observations(const std::vector<Trial>& trials) {
  std::vector<search::Observation> observations;
  for (const Trial& trial : trials) {
    search::Observation one{.trial = trial.number, .index = trial.index};
    one.outcome = trial.speedup > 0 ? work::Outcome::kOk : work::Outcome::kCompileError;
    // In units of the default's time.
    if (trial.speedup > 0) one.costs = {1 / trial.speedup};
    observations.push_back(one);
  }
  return observations;
}

Json ToJson(const Tuned& tuned) {
  Json best = Json::array();
  for (const space::Configuration& one : tuned.best) best.push_back(space::ToJson(one));
  return {{"best", best}, {"speedups", tuned.speedups}};
}

absl::StatusOr<Tuned> TunedFrom(const Json& json) {
  Tuned tuned;
  for (const Json& one : json.at("best")) {
    ASSIGN_OR_RETURN(tuned.best.emplace_back(),
                     space::ConfigurationFromJson(one.get<std::string>()));
  }
  tuned.speedups = json.at("speedups").get<std::vector<double>>();
  return tuned;
}

std::string KeyOf(const Instance& instance) {
  return absl::StrCat(instance.problem().threads, " threads, ", op::CanonicalKey(instance.op()),
                      ", ", backends::cpu::HostCpu().DeviceClass());
}

}  // namespace

int64_t Tuned::TrialsToMostOfTheGain() const {
  if (speedups.empty()) return 0;
  const double gain = 1 - 1 / std::ranges::max(speedups);
  if (gain < 0.01) return 0;
  const auto most = std::ranges::find_if(
      speedups, [&](double speedup) { return speedup > 0 && 1 - 1 / speedup >= 0.9 * gain; });
  return most - speedups.begin();
}

absl::StatusOr<Tuned> Search(const KernelFactory& kernels, int64_t trials, bool apart) {
  const space::SearchSpace& space = kernels.space();
  const space::Configuration& first = kernels.lowered().schedule.default_configuration;
  const auto default_index = space.IndexOf(first);
  if (!default_index.has_value()) return absl::InternalError("the default is not in the space");
  ASSIGN_OR_RETURN(const std::unique_ptr<search::Strategy> strategy,
                   search::MakeStrategy("auto", {.space = &space, .budget_trials = trials}));
  ASSIGN_OR_RETURN(const Kernel by_default, std::move(kernels.Build({first})[0]));
  Tuned tuned;
  std::vector<Trial> all = {{.number = TrialNumber(0), .index = *default_index, .speedup = 1}};
  strategy->Adopt(all[0].number, all[0].index);
  strategy->Observe(Observations(all));
  while (static_cast<int64_t>(all.size()) < trials) {
    std::vector<Trial> batch;
    std::vector<space::Configuration> configurations;
    while (batch.size() < kBatch && static_cast<int64_t>(all.size() + batch.size()) < trials) {
      const TrialNumber number(all.size() + batch.size());
      const auto index = strategy->Propose(number);
      if (!index.has_value()) break;
      batch.push_back({.number = number, .index = *index});
      configurations.push_back(space.At(*index));
    }
    if (batch.empty()) break;
    const std::vector<absl::StatusOr<Kernel>> built = kernels.Build(configurations);
    RETURN_IF_ERROR(TimeBatch(by_default, built, apart, batch, tuned));
    strategy->Observe(Observations(batch));
    all.insert(all.end(), batch.begin(), batch.end());
  }
  for (const Trial& trial : all) tuned.speedups.push_back(trial.speedup);
  std::ranges::stable_sort(all, std::greater<>(), &Trial::speedup);
  for (size_t i = 0; i < std::min(kKept, all.size()); ++i) {
    if (all[i].speedup > 0) tuned.best.push_back(space.At(all[i].index));
  }
  return tuned;
}

absl::StatusOr<ConfigurationFile> ConfigurationFile::Load(std::string path) {
  ConfigurationFile file(std::move(path));
  std::ifstream lines(file.path_);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string place = absl::StrCat(file.path_, ":", ++number);
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    try {
      ASSIGN_OR_RETURN(file.known_[json.at("problem").get<std::string>()], TunedFrom(json));
    } catch (const Json::exception& error) {
      return InvalidInput(absl::StrCat(place, ": not a line that this benchmark wrote"),
                          "another file; it is made where there is none");
    }
  }
  return file;
}

const Tuned* ConfigurationFile::Find(const Instance& instance, const KernelFactory& kernels) const {
  const auto found = known_.find(KeyOf(instance));
  if (found == known_.end()) return nullptr;
  const bool valid = std::ranges::all_of(found->second.best, [&](const auto& configuration) {
    return kernels.space().IndexOf(configuration).has_value();
  });
  return valid ? &found->second : nullptr;
}

absl::Status ConfigurationFile::Add(const Instance& instance, const Tuned& tuned) {
  const std::string key = KeyOf(instance);
  known_[key] = tuned;
  if (path_.empty()) return absl::OkStatus();
  Json json = ToJson(tuned);
  json["problem"] = key;
  std::ofstream file(path_, std::ios::app);
  file << json.dump() << "\n";
  file.flush();
  return file ? absl::OkStatus()
              : absl::PermissionDeniedError(absl::StrCat(path_, ": not written"));
}

}  // namespace burnish::bench
