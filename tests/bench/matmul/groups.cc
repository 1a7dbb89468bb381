#include "tests/bench/matmul/groups.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/backends/cpu/device.h"
#include "common/base/status_macros.h"
#include "common/stats/statistics.h"
#include "tests/bench/matmul/libraries.h"

namespace burnish::bench {
namespace {

struct Shape {
  int64_t m, n, k;
  bool quick = false;
};

constexpr Shape kPlain[] = {
    {64, 64, 64, true}, {128, 128, 128}, {256, 256, 256}, {512, 512, 512, true}, {768, 768, 768},
    {1024, 1024, 1024}, {100, 130, 77},  {2048, 64, 64},  {17, 1023, 333, true}, {1000, 16, 1000}};
constexpr Shape kConstant[] = {{1, 768, 768, true}, {1, 3072, 768},        {1, 768, 3072},
                               {1, 1000, 2048},     {8, 768, 768, true},   {8, 3072, 768},
                               {8, 768, 3072},      {128, 768, 768, true}, {128, 3072, 768},
                               {128, 768, 3072},    {384, 768, 768},       {384, 3072, 768}};
// With narrow elements, by type: weights always constant.
constexpr Shape kBytes[] = {{128, 768, 768, true}, {1, 768, 3072}, {8, 768, 768}, {512, 512, 512}};
constexpr Shape kBf16[] = {{128, 768, 768, true}, {1, 768, 3072}, {8, 768, 768}};

const std::vector<std::string> kBiasRelu = {"bias", "relu"};

Problem PlainProblem(const Shape& shape, int threads = 1) {
  return {.m = shape.m, .n = shape.n, .k = shape.k, .threads = threads};
}

Problem LayerProblem(const Shape& shape, int threads = 1) {
  return {.m = shape.m,
          .n = shape.n,
          .k = shape.k,
          .constant = true,
          .epilogue = kBiasRelu,
          .threads = threads};
}

double GeometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

class Run {
 public:
  Run(const Selection& selection, const Settings& settings, Report& report, nlohmann::json& rows)
      : selection_(selection), settings_(settings), report_(report), rows_(rows) {}

  absl::Status Floats() {
    std::vector<Problem> problems;
    for (const Shape& shape : kPlain) Select("f32", shape, PlainProblem(shape), problems);
    for (const Shape& shape : kConstant) Select("f32", shape, LayerProblem(shape), problems);
    ASSIGN_OR_RETURN(const std::vector<Comparison> all, CompareAll("f32", problems));
    if (all.empty()) return absl::OkStatus();
    AddRatios("f32", all, {.mean = 1.0, .smallest = 0.9});
    AddColdRatio("f32", all);
    AddTuning(all);
    return absl::OkStatus();
  }

  absl::Status TwoThreads() {
    std::vector<Problem> problems;
    for (const Shape& shape : {Shape{512, 512, 512}, Shape{1024, 1024, 1024}}) {
      Select("two_threads", shape, PlainProblem(shape, 2), problems);
    }
    for (const Shape& shape : {Shape{128, 768, 768, true}, Shape{8, 768, 768}}) {
      Select("two_threads", shape, LayerProblem(shape, 2), problems);
    }
    ASSIGN_OR_RETURN(const std::vector<Comparison> all, CompareAll("two_threads", problems));
    if (!all.empty()) AddRatios("two_threads", all, {.smallest = 0.95});
    return absl::OkStatus();
  }

  absl::Status Bytes() {
    return Narrow("u8i8", "avx512_vnni", kBytes,
                  {.a = Dtype::kU8, .b = Dtype::kI8, .output = Dtype::kI32});
  }
  absl::Status Bf16() {
    return Narrow("bf16", "avx512_bf16", kBf16,
                  {.a = Dtype::kBf16, .b = Dtype::kBf16, .output = Dtype::kF32});
  }

  absl::Status Loop();
  absl::Status Epilogue();

 private:
  struct Targets {
    std::optional<double> mean;
    std::optional<double> smallest;
  };

  void Select(const std::string& group, const Shape& shape, const Problem& problem,
              std::vector<Problem>& problems) const {
    if (selection_.quick && selection_.only.empty() && !shape.quick) return;
    if (selection_.Wants(group, problem.Shape())) problems.push_back(problem);
  }

  absl::StatusOr<std::vector<Comparison>> CompareAll(const std::string& group,
                                                     const std::vector<Problem>& problems) {
    std::vector<Comparison> all;
    if (!problems.empty()) PrintHeader(group);
    for (const Problem& problem : problems) {
      absl::StatusOr<Comparison> one = Compare(problem, settings_);
      if (!one.ok()) {
        return absl::Status(one.status().code(), absl::StrCat(group, " ", problem.Shape(), ": ",
                                                              std::string(one.status().message())));
      }
      PrintRow(*one);
      rows_.push_back(ToJson(group, *one));
      all.push_back(*std::move(one));
    }
    if (!problems.empty()) std::cout << std::endl;
    return all;
  }

  absl::Status Narrow(const std::string& group, const std::string& instructions,
                      std::span<const Shape> shapes, const Problem& types) {
    std::vector<Problem> problems;
    for (const Shape& shape : shapes) {
      Problem problem = types;
      problem.m = shape.m;
      problem.n = shape.n;
      problem.k = shape.k;
      problem.constant = true;
      Select(group, shape, problem, problems);
    }
    if (problems.empty()) return absl::OkStatus();
    if (std::ranges::count(backends::cpu::HostCpu().isa, instructions) == 0) {
      report_.Remark(absl::StrCat(group, " left out: this processor has no ", instructions));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::vector<Comparison> all, CompareAll(group, problems));
    AddRatios(group, all, {.smallest = 0.95});
    return absl::OkStatus();
  }

  void AddRatios(const std::string& group, const std::vector<Comparison>& all, Targets targets) {
    std::vector<double> ratios, medians;
    for (const Comparison& x : all) {
      ratios.push_back(x.Ratio(x.warm, &Standing::least));
      medians.push_back(x.Ratio(x.warm, &Standing::median));
    }
    report_.Add({.group = group,
                 .name = "to the best library, geometric mean",
                 .value = GeometricMean(ratios),
                 .unit = "x",
                 .at_least = targets.mean});
    report_.Add({.group = group,
                 .name = "the same by medians",
                 .value = GeometricMean(medians),
                 .unit = "x"});
    report_.Add({.group = group,
                 .name = "to the best library, smallest",
                 .value = std::ranges::min(ratios),
                 .unit = "x",
                 .at_least = targets.smallest});
  }

  void AddColdRatio(const std::string& group, const std::vector<Comparison>& all) {
    std::vector<double> ratios;
    for (const Comparison& x : all) ratios.push_back(x.Ratio(x.cold, &Standing::least));
    report_.Add({.group = group,
                 .name = "to the best library, cold, geometric mean",
                 .value = GeometricMean(ratios),
                 .unit = "x"});
  }

  // What search is worth.
  void AddTuning(const std::vector<Comparison>& all) {
    std::vector<double> over_default, over_textbook, trials;
    for (const Comparison& x : all) {
      const auto seconds = [&](const char* name) { return x.warm.at(name).least; };
      over_default.push_back(seconds("default") / seconds("ours"));
      over_textbook.push_back(seconds("textbook") / seconds("ours"));
      trials.push_back(static_cast<double>(x.trials_to_most_of_the_gain));
    }
    const auto add = [&](const char* name, double value, const char* unit) {
      report_.Add({.group = "tuning", .name = name, .value = value, .unit = unit});
    };
    add("tuned over the default, geometric mean", GeometricMean(over_default), "x");
    add("tuned over the default, largest", std::ranges::max(over_default), "x");
    add("tuned over the textbook's, geometric mean", GeometricMean(over_textbook), "x");
    add("tuned over the textbook's, largest", std::ranges::max(over_textbook), "x");
    add("trials to 90 % of the gain, median of shapes", stats::Median(trials), "");
  }

  const Selection& selection_;
  const Settings& settings_;
  Report& report_;
  nlohmann::json& rows_;
};

absl::StatusOr<std::vector<Contender>> PlainLoop(const Instance& instance,
                                                 const std::string& folder) {
  const Problem& p = instance.problem();
  WrittenKernel loop;
  loop.source = absl::StrCat("constexpr long M = ", p.m, ", N = ", p.n, ", K = ", p.k, ";\n", R"cpp(
    void plain_loop(const float* __restrict a, const float* __restrict b, float* __restrict c) {
      for (long i = 0; i < M; ++i) {
        for (long j = 0; j < N; ++j) c[i * N + j] = 0;
        for (long k = 0; k < K; ++k) {
          for (long j = 0; j < N; ++j) c[i * N + j] += a[i * K + k] * b[k * N + j];
        }
      }
    }
  )cpp");
  loop.entry = "plain_loop";
  loop.types = {Dtype::kF32, Dtype::kF32, Dtype::kF32};
  loop.addresses = {instance.a(), instance.b(), instance.output()};
  ASSIGN_OR_RETURN(const std::function<void()> call, CompileWritten(loop, folder));
  return std::vector<Contender>{FromFunction("plain loop", call)};
}

absl::Status Run::Loop() {
  const Problem problem = PlainProblem({512, 512, 512});
  if (!selection_.Wants("loop", problem.Shape())) return absl::OkStatus();
  Settings settings = settings_;
  settings.cold = false;
  ASSIGN_OR_RETURN(const Comparison x, Compare(problem, settings, [&](const Instance& instance) {
                     return PlainLoop(instance, settings_.folder);
                   }));
  rows_.push_back(ToJson("loop", x));
  const double ratio = x.warm.at("plain loop").least / x.warm.at("ours").least;
  report_.Add({.group = "loop",
               .name = "512x512x512 over a plain i-k-j loop at -O3",
               .value = ratio,
               .unit = "x",
               .at_least = 1.8});
  return absl::OkStatus();
}

// A configuration with another place for the epilogue.
space::Configuration WithEpilogue(space::Configuration configuration, const char* place) {
  for (space::Setting& setting : configuration) {
    if (setting.name == "EPILOGUE") setting.value = std::string(place);
  }
  return configuration;
}

absl::Status Run::Epilogue() {
  Problem problem = LayerProblem({128, 3072, 768});
  problem.epilogue = {"bias", "gelu"};
  if (!selection_.Wants("epilogue", problem.Shape())) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Instance instance, Instance::Make(problem));
  ASSIGN_OR_RETURN(const KernelFactory kernels, KernelFactory::Make(instance, settings_.folder));
  ASSIGN_OR_RETURN(const Tuned tuned, TunedFor(instance, kernels, settings_));
  const space::Configuration fused = WithEpilogue(tuned.best[0], "fused");
  const std::vector<absl::StatusOr<Kernel>> built =
      kernels.Build({fused, WithEpilogue(fused, "separate")});
  for (const absl::StatusOr<Kernel>& one : built) RETURN_IF_ERROR(one.status());

  // The product alone, with the same configuration, then a pass over what it stored.
  Problem bare_problem = problem;
  bare_problem.epilogue = {};
  ASSIGN_OR_RETURN(const Instance bare, Instance::Make(bare_problem));
  ASSIGN_OR_RETURN(const KernelFactory bare_kernels, KernelFactory::Make(bare, settings_.folder));
  const std::vector<absl::StatusOr<Kernel>> product = bare_kernels.Build({fused});
  RETURN_IF_ERROR(product[0].status());
  // Its output is that of `bare`, and the bias comes from the instance.
  ASSIGN_OR_RETURN(const std::function<void()> pass,
                   EpiloguePass(instance, bare.output(), settings_.folder));
  ASSIGN_OR_RETURN(const std::function<void()> own_pass,
                   EpiloguePass(instance, instance.output(), settings_.folder));
  const Contender two = FromFunction("two kernels", [&] {
    (void)(*product[0]).code->Run(1);
    pass();
  });

  std::vector<Contender> all = {built[0]->AsContender("fused"), built[1]->AsContender("separate"),
                                two};
  ASSIGN_OR_RETURN(const std::vector<Contender> libraries, LibraryContenders(instance, own_pass));
  all.insert(all.end(), libraries.begin(), libraries.end());
  ASSIGN_OR_RETURN(const Times times, Compete(all, settings_.contest));
  nlohmann::json row = {{"group", "epilogue"}, {"shape", problem.Shape()}};
  double best_library = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < all.size(); ++i) {
    row["warm"][all[i].name] = {{"least_seconds", std::ranges::min(times[i])},
                                {"median_seconds", stats::Median(times[i])}};
    if (i >= 3 && all[i].whole) best_library = std::min(best_library, std::ranges::min(times[i]));
  }
  rows_.push_back(std::move(row));
  const auto add = [&](const std::string& name, double seconds) {
    report_.Add({.group = "epilogue",
                 .name = absl::StrCat("bias and gelu fused, over ", name),
                 .value = seconds / std::ranges::min(times[0]),
                 .unit = "x"});
  };
  add("a pass of its own", std::ranges::min(times[1]));
  add("a second kernel", std::ranges::min(times[2]));
  add("the best library", best_library);
  return absl::OkStatus();
}

}  // namespace

bool Selection::Wants(const std::string& group, const std::string& shape) const {
  if (only.empty()) return true;
  return std::ranges::count(only, group) + std::ranges::count(only, shape) > 0;
}

std::string GroupNames() { return "f32 u8i8 bf16 loop epilogue two_threads"; }

absl::Status RunGroups(int threads, const Selection& selection, const Settings& settings,
                       Report& report, nlohmann::json& rows) {
  Run run(selection, settings, report, rows);
  if (threads == 2) return run.TwoThreads();
  RETURN_IF_ERROR(run.Floats());
  RETURN_IF_ERROR(run.Bytes());
  RETURN_IF_ERROR(run.Bf16());
  RETURN_IF_ERROR(run.Loop());
  return run.Epilogue();
}

}  // namespace burnish::bench
