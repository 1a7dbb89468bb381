// T1 files where a job file may stand.
#include "common/spec/t1_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/limits.h"

namespace burnish::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kT1[] = R"json({
  "General": {"BenchmarkName": "scale", "FormatVersion": 1},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "wg", "Type": "uint", "Values": "[32, 64] + list(range(96, 129, 32))"},
      {"Name": "vec", "Type": "int", "Values": [1, 2, 4], "Default": 2},
      {"Name": "unroll", "Type": "bool", "Values": "[0, 1]"}
    ],
    "Conditions": [
      {"Parameters": ["wg", "vec"], "Expression": "32 <= wg*vec <= 128"}
    ]
  },
  "KernelSpecification": {
    "Language": "C++", "KernelName": "scale", "KernelFile": "scale.cc",
    "CompilerOptions": ["-O3"], "ProblemSize": [64, 2],
    "Arguments": [
      {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "FillValue": 1.0, "Size": "ProblemSize[0]*ProblemSize[1]"},
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite",
       "FillType": "Constant", "FillValue": 0.5, "Size": "max(vec) * 2", "Output": 1},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 128}
    ]
  },
  "Search": {"Name": "Random"},
  "Budget": [{"Type": "TuningDuration", "BudgetValue": 30}]
})json";

JobText Job(std::string text) { return {"t1.json", std::move(text), {{"scale.cc", "// code"}}}; }
JobText JobWith(const std::string& before, const std::string& after) {
  return Job(absl::StrReplaceAll(kT1, {{before, after}}));
}

JobSpec Read(const JobText& job, SourceCheck check = SourceCheck::kRequired) {
  absl::StatusOr<JobSpec> spec = ReadJob(job, check);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *std::move(spec) : JobSpec{};
}
std::string ErrorOf(const JobText& job) {
  return std::string(ReadJob(job, SourceCheck::kRequired).status().message());
}
// What `tune` says of a job that has a space.
std::string Refusal(const JobText& job) {
  const JobSpec spec = Read(job);
  EXPECT_TRUE(BuildSpace(job, spec).ok());
  return spec.unserved ? FormatDiagnostic(*spec.unserved) : "";
}

TEST(T1ReaderTest, ReadsTheSpaceAndTheKernel) {
  const JobSpec spec = Read(Job(kT1));
  EXPECT_EQ(spec.name, "scale");
  ASSERT_EQ(spec.parameters.size(), 3);
  EXPECT_EQ(spec.parameters[0].values.size(), 4);
  EXPECT_EQ(spec.parameters[2].values[1], expr::Value(true));
  const auto space = BuildSpace(Job(kT1), spec);
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->space.size(), 2u * (3 + 2 + 1 + 1));
  EXPECT_FALSE(spec.unserved.has_value());

  ASSERT_EQ(spec.kernels.size(), 1);
  EXPECT_EQ(spec.kernels[0].language, "cpp");
  EXPECT_EQ(spec.kernels[0].entry, "scale");
  EXPECT_EQ(spec.kernels[0].source.text, "// code");
  EXPECT_THAT(spec.kernels[0].flags, ElementsAre("-O3"));
  EXPECT_EQ(spec.reference.kind, Reference::Kind::kNone);
  ASSERT_EQ(spec.arguments.size(), 3);
  EXPECT_THAT(spec.arguments[0].shape, ElementsAre(128));
  EXPECT_EQ(spec.arguments[0].fill.kind, FillKind::kUniform);
  EXPECT_THAT(spec.arguments[1].shape, ElementsAre(8));
  EXPECT_EQ(spec.arguments[1].role, Role::kInout);
  EXPECT_EQ(spec.arguments[1].fill.value, 0.5);
  EXPECT_FALSE(spec.arguments[2].is_buffer);
  EXPECT_EQ(spec.arguments[2].value, expr::Value(int64_t{128}));

  EXPECT_EQ(spec.strategy.name, "random");
  EXPECT_EQ(spec.budget.seconds, 30);
  EXPECT_EQ(spec.budget.trials, limits::kBudgetTrials);
}

TEST(T1ReaderTest, TheKernelsFileIsAReference) {
  const auto references = FindFileReferences("t1.json", kT1);
  ASSERT_TRUE(references.ok());
  ASSERT_EQ(references->size(), 1);
  EXPECT_EQ((*references)[0].name, "scale.cc");
  EXPECT_EQ((*references)[0].path, "KernelSpecification.KernelFile");
  // Of a kernel that would be refused it is not asked for.
  const auto cuda = FindFileReferences("t1.json", JobWith("C++", "CUDA").text);
  ASSERT_TRUE(cuda.ok());
  EXPECT_THAT(*cuda, IsEmpty());
}

TEST(T1ReaderTest, TheSpaceNeedsNoKernel) {
  JobText job = Job(kT1);
  job.files.clear();
  EXPECT_EQ(Read(job, SourceCheck::kNotNeeded).parameters.size(), 3);
}

TEST(T1ReaderTest, WhatIsNotServedIsRefusedByNameAndHasASpace) {
  EXPECT_THAT(Refusal(JobWith("C++", "CUDA")),
              HasSubstr("KernelSpecification.Language: language 'CUDA' is not supported"));
  EXPECT_THAT(Refusal(JobWith("\"Random\", \"F", "\"Script\", \"F")),
              HasSubstr("Arguments[0].FillType: fill 'Script' is not supported"));
  EXPECT_THAT(Refusal(JobWith("\"Type\": \"float\"", "\"Type\": \"custom\"")),
              HasSubstr("arguments of type 'custom' are not supported"));
  EXPECT_THAT(Refusal(JobWith("\"Scalar\"", "\"Local\"")), HasSubstr("memory 'Local' is not"));
  EXPECT_THAT(Refusal(JobWith("\"CompilerOptions\"", "\"ReferenceArguments\": [], \"X\"")),
              HasSubstr("`ReferenceArguments` is not supported"));
  EXPECT_THAT(Refusal(JobWith("wg", "read_only")), HasSubstr("'read_only' is a keyword"));
  EXPECT_THAT(Refusal(JobWith("max(vec)", "max(other)")), HasSubstr("Arguments[1].Size"));
}

TEST(T1ReaderTest, AnyOfTheBudgetsEndsTheJob) {
  const std::string duration = R"({"Type": "TuningDuration", "BudgetValue": 30})";
  const JobSpec count =
      Read(JobWith(duration, duration + R"(, {"Type": "ConfigurationCount", "BudgetValue": 9},
                                {"Type": "ConfigurationFraction", "BudgetValue": 0.5})"));
  EXPECT_EQ(count.budget.trials, 7);  // half of 14
  EXPECT_EQ(count.budget.seconds, 30);
  EXPECT_THAT(ErrorOf(JobWith("TuningDuration", "Days")),
              HasSubstr("Budget[0].Type: unknown budget 'Days'"));
}

TEST(T1ReaderTest, ADefaultIsTakenWhereItIsAConfiguration) {
  const auto with_defaults = [](const std::string& vec) {
    return absl::StrReplaceAll(kT1, {{"\"Name\": \"wg\"", "\"Default\": 64, \"Name\": \"wg\""},
                                     {"\"Default\": 2", "\"Default\": [" + vec + "]"},
                                     {"\"Name\": \"unroll\"", "\"Default\": 1, \"Name\": \"u\""}});
  };
  const JobSpec whole = Read(Job(with_defaults("2")));
  ASSERT_TRUE(whole.default_configuration.has_value());
  EXPECT_EQ(space::ToJson(*whole.default_configuration), R"({"wg": 64, "vec": 2, "u": true})");
  const JobSpec broken = Read(Job(with_defaults("4")));
  EXPECT_FALSE(broken.default_configuration.has_value());
  EXPECT_THAT(broken.warnings, ::testing::Contains(HasSubstr("break '32 <= wg*vec <= 128'")));
  EXPECT_THAT(Read(Job(with_defaults("3"))).warnings,
              ::testing::Contains(HasSubstr("[1].Default[0] is not among the values")));
}

TEST(T1ReaderTest, ErrorsStandWhereTheFaultIs) {
  EXPECT_THAT(ErrorOf(JobWith("[32, 64] +", "[32, 64.5] +")),
              HasSubstr("t1.json:5:48: ConfigurationSpace.TuningParameters[0].Values: "
                        "64.5 is no uint"));
  EXPECT_THAT(ErrorOf(JobWith("wg*vec <= 128", "wg*vex <= 128")),
              HasSubstr("Conditions[0].Expression: unknown name 'vex'"));
  EXPECT_THAT(ErrorOf(JobWith("\"vec\", \"Type\"", "\"wg\", \"Type\"")), HasSubstr("stands twice"));
  EXPECT_THAT(ErrorOf(JobWith("\"Values\": [1, 2, 4]", "\"Values\": \"open('x')\"")),
              HasSubstr("is no list of values"));
  const JobText empty = JobWith("32 <= wg*vec", "4096 <= wg*vec");
  const auto space = BuildSpace(empty, Read(empty));
  EXPECT_THAT(std::string(space.status().message()),
              HasSubstr("t1.json:10:51: ConfigurationSpace.Conditions[0].Expression: the search "
                        "space is empty"));
}

TEST(T1ReaderTest, TheCommunitysFilesHaveTheirCounts) {
  const auto folder = EnvironmentVariable("BURNISH_SPACES");
  if (!folder.has_value()) GTEST_SKIP() << "BURNISH_SPACES is not set";
  const std::pair<const char*, uint64_t> counts[] = {
      {"convolution_milo", 4'362}, {"gemm_milo", 116'928}, {"hotspot_milo", 82'984}};
  for (const auto& [name, count] : counts) {
    const auto text = ReadFile(*folder + "/" + name + ".t1.json", limits::kJobFileBytes);
    ASSERT_TRUE(text.ok()) << text.status();
    const JobText job{name, *text, {}};
    const JobSpec spec = Read(job);
    EXPECT_TRUE(spec.unserved.has_value());
    const auto space = BuildSpace(job, spec);
    ASSERT_TRUE(space.ok()) << space.status();
    EXPECT_EQ(space->space.size(), count) << name;
  }
}

}  // namespace
}  // namespace burnish::spec
