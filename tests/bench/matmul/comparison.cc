#include "tests/bench/matmul/comparison.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/status_macros.h"
#include "common/stats/statistics.h"
#include "tests/bench/matmul/libraries.h"

namespace burnish::bench {
namespace {

constexpr char kVectors[] =
#include "server/templates/cpu_vectors.cpp.inc"
    ;
constexpr char kGelu[] =
#include "server/templates/cpu_gelu.cpp.inc"
    ;
// With the same vectors and the same functions as in the templates.
constexpr char kPass[] = R"cpp(
  void epilogue_pass(float* c, float* bias) {
    for (long m = 0; m < M; ++m) {
      long n = 0;
      for (; n + kLanes <= N; n += kLanes) {
        Store<kLanes>(c + m * N + n, STEP(Load<kLanes>(c + m * N + n) + Load<kLanes>(bias + n)));
      }
      if constexpr (N % kLanes != 0) {
        constexpr int kRest = N % kLanes;
        Store<kRest>(c + m * N + n, STEP(Load<kRest>(c + m * N + n) + Load<kRest>(bias + n)));
      }
    }
  }
)cpp";

Standing StandingOf(std::span<const double> seconds) {
  return {.least = std::ranges::min(seconds), .median = stats::Median(seconds)};
}

// Of our contenders, those that were built.
struct Ours {
  std::vector<Kernel> candidates;  // the best, then the default
  std::optional<Kernel> textbook;  // unless it is the default
};

absl::StatusOr<Ours> BuildOurs(const KernelFactory& kernels, const Tuned& tuned) {
  const space::Configuration& by_default = kernels.lowered().schedule.default_configuration;
  const space::Configuration& textbook = kernels.lowered().textbook;
  std::vector<space::Configuration> configurations;
  for (const space::Configuration& one : tuned.best) {
    if (!space::SameConfiguration(one, by_default)) configurations.push_back(one);
  }
  configurations.push_back(by_default);
  if (!space::SameConfiguration(textbook, by_default)) configurations.push_back(textbook);
  const size_t candidates =
      configurations.size() - (space::SameConfiguration(textbook, by_default) ? 0 : 1);
  Ours ours;
  std::vector<absl::StatusOr<Kernel>> built = kernels.Build(configurations);
  for (size_t i = 0; i < built.size(); ++i) {
    RETURN_IF_ERROR(built[i].status());
    if (i < candidates) {
      ours.candidates.push_back(*std::move(built[i]));
    } else {
      ours.textbook = *std::move(built[i]);
    }
  }
  return ours;
}

absl::Status CompareWarm(const Ours& ours, const std::vector<Contender>& others,
                         const ContestPlan& plan, size_t& chosen, Comparison& comparison) {
  std::vector<Contender> all;
  for (const Kernel& kernel : ours.candidates) all.push_back(kernel.AsContender("candidate"));
  all.back().name = "default";
  if (ours.textbook.has_value()) all.push_back(ours.textbook->AsContender("textbook"));
  all.insert(all.end(), others.begin(), others.end());
  ASSIGN_OR_RETURN(const Times times, Compete(all, plan));
  const size_t half = times[0].size() / 2;
  const auto first_half = [&](size_t i) { return std::span(times[i]).first(half); };
  const auto second_half = [&](size_t i) { return std::span(times[i]).subspan(half); };
  // A low quantile is less a matter of luck than the minimum.
  const auto rank = [&](size_t i) { return stats::Quantile(first_half(i), 0.1); };
  for (size_t i = 1; i < ours.candidates.size(); ++i) {
    if (rank(i) < rank(chosen)) chosen = i;
  }
  comparison.warm["ours"] = StandingOf(second_half(chosen));
  for (size_t i = ours.candidates.size() - 1; i < all.size(); ++i) {
    comparison.warm[all[i].name] = StandingOf(second_half(i));
  }
  if (!ours.textbook.has_value()) comparison.warm["textbook"] = comparison.warm["default"];
  return absl::OkStatus();
}

absl::Status CompareCold(const Kernel& ours, const std::vector<Contender>& others,
                         Comparison& comparison) {
  std::vector<Contender> all = {ours.AsContender("ours")};
  all.insert(all.end(), others.begin(), others.end());
  ASSIGN_OR_RETURN(
      const Times times,
      Compete(all,
              {.cold = true, .time = absl::Seconds(3), .least_rounds = 10, .most_rounds = 40}));
  for (size_t i = 0; i < all.size(); ++i) comparison.cold[all[i].name] = StandingOf(times[i]);
  return absl::OkStatus();
}

}  // namespace

double Comparison::Ratio(const std::map<std::string, Standing>& standings, double Standing::*of,
                         const std::string& contender) const {
  double best = std::numeric_limits<double>::infinity();
  for (const std::string& library : libraries) best = std::min(best, standings.at(library).*of);
  return best / (standings.at(contender).*of);
}

std::string Comparison::BestLibrary() const {
  return *std::ranges::min_element(
      libraries, {}, [&](const std::string& library) { return warm.at(library).least; });
}

double Comparison::Gflops(const std::string& contender) const {
  return problem.Flops() / warm.at(contender).least / 1e9;
}

absl::StatusOr<Tuned> TunedFor(const Instance& instance, const KernelFactory& kernels,
                               const Settings& settings) {
  if (const Tuned* known = settings.configurations->Find(instance, kernels)) return *known;
  ASSIGN_OR_RETURN(Tuned tuned, Search(kernels, settings.trials, settings.contest.apart));
  if (!tuned.failures.empty()) {
    settings.remark(absl::StrCat(instance.problem().Shape(), ": ", tuned.failures.size(),
                                 " trials failed, the first: ", tuned.failures[0]));
  }
  RETURN_IF_ERROR(settings.configurations->Add(instance, tuned));
  return tuned;
}

absl::StatusOr<std::function<void()>> EpiloguePass(const Instance& instance, void* output,
                                                   const std::string& folder) {
  if (instance.problem().epilogue.empty()) return nullptr;
  const Problem& problem = instance.problem();
  WrittenKernel pass;
  pass.source = absl::StrCat(
      "typedef float Sum;\n#define SUM_BYTES 4\n",
      "#if defined(__AVX512F__)\n#define VECTOR 16\n#else\n", "#define VECTOR 8\n#endif\n",
      "#define STEP ", instance.Has("gelu") ? "Gelu" : "Relu", "\nconstexpr long M = ", problem.m,
      ", N = ", problem.n, ";\n", kVectors, kGelu, kPass);
  pass.entry = "epilogue_pass";
  pass.types = {Dtype::kF32, Dtype::kF32};
  pass.addresses = {output, instance.bias()};
  return CompileWritten(pass, folder);
}

absl::StatusOr<Comparison> Compare(const Problem& problem, const Settings& settings,
                                   const MoreContenders& more) {
  ASSIGN_OR_RETURN(const Instance instance, Instance::Make(problem));
  ASSIGN_OR_RETURN(const KernelFactory kernels, KernelFactory::Make(instance, settings.folder));
  ASSIGN_OR_RETURN(const Tuned tuned, TunedFor(instance, kernels, settings));
  ASSIGN_OR_RETURN(const Ours ours, BuildOurs(kernels, tuned));
  ASSIGN_OR_RETURN(const std::function<void()> pass,
                   EpiloguePass(instance, instance.output(), settings.folder));
  ASSIGN_OR_RETURN(std::vector<Contender> others, LibraryContenders(instance, pass));
  Comparison comparison;
  for (const Contender& other : others) {
    if (other.whole) comparison.libraries.push_back(other.name);
  }
  if (more) {
    ASSIGN_OR_RETURN(const std::vector<Contender> these, more(instance));
    others.insert(others.end(), these.begin(), these.end());
  }
  comparison.problem = problem;
  comparison.trials = static_cast<int64_t>(tuned.speedups.size());
  comparison.trials_to_most_of_the_gain = tuned.TrialsToMostOfTheGain();
  comparison.peak = work::PeakOf(settings.roofs, DtypeName(problem.a), problem.threads);
  size_t chosen = 0;
  RETURN_IF_ERROR(CompareWarm(ours, others, settings.contest, chosen, comparison));
  comparison.configuration = ours.candidates[chosen].configuration;
  if (settings.cold) {
    RETURN_IF_ERROR(CompareCold(ours.candidates[chosen], others, comparison));
  }
  return comparison;
}

void PrintHeader(const std::string& group) {
  std::cout << "\n"
            << absl::StreamFormat("%-14s %8s %8s %8s %8s %-13s %7s %7s %7s %7s %7s", group, "ours",
                                  "default", "textbook", "library", "(which)", "ratio", "median",
                                  "default", "cold", "of peak")
            << std::endl;
}

void PrintRow(const Comparison& x) {
  const std::string library = x.BestLibrary();
  std::cout << absl::StreamFormat(
                   "%-14s %8.1f %8.1f %8.1f %8.1f %-13s %7.2f %7.2f %7.2f %7s %7s",
                   x.problem.Shape(), x.Gflops("ours"), x.Gflops("default"), x.Gflops("textbook"),
                   x.Gflops(library), library, x.Ratio(x.warm, &Standing::least),
                   x.Ratio(x.warm, &Standing::median), x.Ratio(x.warm, &Standing::least, "default"),
                   x.cold.empty() ? "-"
                                  : absl::StrFormat("%.2f", x.Ratio(x.cold, &Standing::least)),
                   x.peak.has_value() ? absl::StrFormat("%.2f", x.Gflops("ours") * 1e9 / *x.peak)
                                      : "-")
            << std::endl;
}

nlohmann::json ToJson(const std::string& group, const Comparison& x) {
  const auto standings = [](const std::map<std::string, Standing>& all) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, standing] : all) {
      json[name] = {{"least_seconds", standing.least}, {"median_seconds", standing.median}};
    }
    return json;
  };
  nlohmann::json json = {{"group", group},
                         {"shape", x.problem.Shape()},
                         {"constant_weights", x.problem.constant},
                         {"threads", x.problem.threads},
                         {"flops", x.problem.Flops()},
                         {"warm", standings(x.warm)},
                         {"cold", standings(x.cold)},
                         {"best_library", x.BestLibrary()},
                         {"ratio", x.Ratio(x.warm, &Standing::least)},
                         {"ratio_of_medians", x.Ratio(x.warm, &Standing::median)},
                         {"trials", x.trials},
                         {"trials_to_90_percent_of_gain", x.trials_to_most_of_the_gain},
                         {"configuration", space::CanonicalJson(x.configuration)},
                         {"share_of_peak", nullptr}};
  if (x.peak.has_value()) json["share_of_peak"] = x.Gflops("ours") * 1e9 / *x.peak;
  return json;
}

}  // namespace burnish::bench
