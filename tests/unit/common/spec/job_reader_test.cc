#include "common/spec/job_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "common/base/diagnostic.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {
namespace {

JobSpec Read(const JobText& job, SourceCheck check = SourceCheck::kRequired) {
  absl::StatusOr<JobSpec> spec = ReadJob(job, check);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *std::move(spec) : JobSpec{};
}

TEST(JobReaderTest, ReadsEverySection) {
  const JobSpec spec = Read(SampleJob());
  EXPECT_EQ(spec.name, "vector-add");
  ASSERT_EQ(spec.kernels.size(), 1u);
  EXPECT_EQ(spec.kernels[0].language, "cpp");
  EXPECT_EQ(spec.kernels[0].source.file, "add.cc");
  EXPECT_EQ(spec.kernels[0].source.text, "// add");
  EXPECT_EQ(spec.kernels[0].entry, "add");
  EXPECT_EQ(spec.kernels[0].flags, (std::vector<std::string>{"-O{OPT}", "-march=native"}));
  EXPECT_EQ(spec.kernels[0].define, std::vector<std::string>{"pair"});
  EXPECT_EQ(spec.reference.kind, Reference::Kind::kFunction);
  EXPECT_EQ(spec.reference.source.text, "// reference");
  EXPECT_EQ(spec.reference.entry, "add_reference");
  EXPECT_EQ(std::get<double>(*spec.work.flops), 4096.0);
  EXPECT_EQ(std::get<double>(*spec.work.bytes), 49152.0);
  EXPECT_FALSE(spec.work.depends_on_parameters());
  EXPECT_EQ(spec.devices.text(), "backend == 'cpu' and cores >= 2");
  EXPECT_EQ(spec.objectives, std::vector{Objective()});
  EXPECT_EQ(spec.measure.cache, CacheState::kCold);
  EXPECT_EQ(spec.measure.number, 3);
  EXPECT_EQ(spec.measure.repeat, 20);
  EXPECT_EQ(spec.measure.min_repeat_ms, 1.5);
  EXPECT_EQ(spec.measure.warmup, 0);
  EXPECT_EQ(spec.measure.run_timeout_seconds, 5);
  EXPECT_EQ(spec.budget.trials, 50);
  EXPECT_EQ(spec.budget.seconds, 600.0);
  EXPECT_EQ(spec.strategy.name, "random");
  EXPECT_EQ(spec.strategy.seed, 7u);
  EXPECT_TRUE(spec.warnings.empty());
}

TEST(JobReaderTest, InputsAndTheRaceAreChoices) {
  const MeasureOptions left_out = Read(SampleJob()).measure;
  EXPECT_TRUE(left_out.varies_inputs);
  EXPECT_TRUE(left_out.race);
  const MeasureOptions chosen =
      Read(SampleJob(SampleWith("timeout: 5", "timeout: 5, race: false, inputs: as_filled")))
          .measure;
  EXPECT_FALSE(chosen.varies_inputs);
  EXPECT_FALSE(chosen.race);
}

TEST(JobReaderTest, ADemandForIsolationIsOneForDevices) {
  const JobSpec spec = Read(SampleJob(SampleWith("timeout: 5", "timeout: 5, isolation: full")));
  EXPECT_EQ(spec.isolation, IsolationLevel::kFull);
  EXPECT_EQ(spec.devices.text(), "(backend == 'cpu' and cores >= 2) and 'full' in isolation");
}

TEST(JobReaderTest, ReadsEveryRuleOfTheBudget) {
  const Budget none = Read(SampleJob(SampleWith(", seconds: 600", ""))).budget;
  EXPECT_FALSE(none.may_end_early());
  const Budget budget = Read(SampleJob(SampleWith("seconds: 600",
                                                  "device_seconds: 90, patience: 20, target: "
                                                  "1.2e-3, roof_share: 1")))
                            .budget;
  EXPECT_EQ(budget.trials, 50);
  EXPECT_EQ(budget.device_seconds, 90);
  EXPECT_EQ(budget.patience, 20);
  EXPECT_EQ(budget.target_seconds, 1.2e-3);
  EXPECT_EQ(budget.roof_share, 1);
  EXPECT_TRUE(budget.may_end_early());
  // The work of a workload is known.
  EXPECT_EQ(
      Read(SampleJob(With(kSampleWorkload, "trials: 50", "roof_share: 0.8"))).budget.roof_share,
      0.8);
}

TEST(JobReaderTest, ReadsArgumentsInOrder) {
  const JobSpec spec = Read(SampleJob());
  ASSERT_EQ(spec.arguments.size(), 4u);
  EXPECT_TRUE(spec.arguments[0].is_buffer);
  EXPECT_EQ(spec.arguments[0].fill.kind, FillKind::kUniform);
  EXPECT_EQ(spec.arguments[1].shape, (std::vector<int64_t>{4096, 4}));
  EXPECT_EQ(spec.arguments[1].ElementCount(), 16384);
  EXPECT_EQ(spec.arguments[1].fill.kind, FillKind::kConstant);
  EXPECT_EQ(spec.arguments[1].fill.value, 0.5);
  EXPECT_EQ(spec.arguments[2].role, Role::kOutput);
  EXPECT_FALSE(spec.arguments[3].is_buffer);
  EXPECT_EQ(spec.arguments[3].dtype, Dtype::kI32);
  EXPECT_EQ(spec.arguments[3].value, expr::Value(int64_t{4096}));
  EXPECT_EQ(spec.arguments[3].ElementCount(), 1);
}

TEST(JobReaderTest, KeepsParametersInFileOrderAndTyped) {
  const JobSpec spec = Read(SampleJob());
  ASSERT_EQ(spec.parameters.size(), 4u);
  EXPECT_EQ(spec.parameters[0].name, "BLOCK");
  EXPECT_EQ(spec.parameters[1].name, "OPT");
  EXPECT_EQ(spec.parameters[2].values[1], expr::Value(std::string("backward")));
  EXPECT_EQ(spec.parameters[3].values[1], expr::Value(true));
  ASSERT_EQ(spec.constants.size(), 3u);
  EXPECT_EQ(spec.constants[2].second, expr::Value(1.5));
  ASSERT_TRUE(spec.default_configuration.has_value());
  EXPECT_EQ(space::ToJson(*spec.default_configuration),
            R"({"BLOCK": 64, "OPT": 3, "ORDER": "forward", "FAST": false})");
}

TEST(JobReaderTest, SubstitutesConstantsInConstraints) {
  const JobSpec spec = Read(SampleJob());
  ASSERT_EQ(spec.constraints.size(), 2u);
  EXPECT_EQ(spec.constraints[0].names(), std::vector<std::string>{"BLOCK"});
  const expr::Value block[] = {expr::Value(int64_t{64})};
  const absl::StatusOr<bool> holds = spec.constraints[0].Test(block);
  ASSERT_TRUE(holds.ok()) << holds.status();
  EXPECT_TRUE(*holds);
}

TEST(JobReaderTest, ReadsJsonLikeYaml) {
  const std::string json = R"({"name": "j", "kernel": {"language": "cpp",
      "source": {"file": "add.cc"}, "entry": "add",
      "arguments": [{"name": "x", "dtype": "f64", "shape": ["n", 2], "role": "inout"}],
      "constants": {"n": 8}, "parameters": {"P": [1, 2.5, "s", true]},
      "constraints": ["P != 's'"], "default": {"P": 2.5}, "reference": "none"},
      "budget": {"trials": 3}})";
  const std::string yaml = R"(
name: j
kernel:
  language: cpp
  source:
    file: add.cc
  entry: add
  arguments:
  - name: x
    dtype: f64
    shape: [n, 2]
    role: inout
  constants:
    n: 8
  parameters:
    P: [1, 2.5, s, true]
  constraints:
  - P != 's'
  default:
    P: 2.5
  reference: none
budget:
  trials: 3
)";
  // `true` equals 1 in expressions, so the domain above holds a duplicate.
  EXPECT_FALSE(ReadJob(SampleJob(json), SourceCheck::kRequired).ok());
  const auto without_true = [](std::string text) {
    return text.erase(text.find(", true"), std::string_view(", true").size());
  };
  const JobSpec from_json = Read(SampleJob(without_true(json)));
  const JobSpec from_yaml = Read(SampleJob(without_true(yaml)));
  EXPECT_EQ(from_json.name, from_yaml.name);
  EXPECT_EQ(from_json.arguments[0].shape, from_yaml.arguments[0].shape);
  EXPECT_EQ(from_json.arguments[0].role, from_yaml.arguments[0].role);
  EXPECT_EQ(from_json.constants, from_yaml.constants);
  EXPECT_EQ(from_json.parameters[0].values, from_yaml.parameters[0].values);
  EXPECT_EQ(from_json.constraints[0].text(), from_yaml.constraints[0].text());
  EXPECT_TRUE(
      space::SameConfiguration(*from_json.default_configuration, *from_yaml.default_configuration));
  EXPECT_EQ(from_json.reference.kind, Reference::Kind::kNone);
  EXPECT_EQ(from_yaml.reference.kind, Reference::Kind::kNone);
  EXPECT_EQ(from_json.budget.trials, from_yaml.budget.trials);
}

TEST(JobReaderTest, UsesTheDocumentedDefaults) {
  const JobSpec spec = Read(SampleJob(R"(
name: j
kernel:
  language: cpp
  source: {file: add.cc}
  entry: add
  arguments: [{name: x, dtype: f64, shape: [4], role: output}]
  parameters: {P: [1]}
)"));
  EXPECT_EQ(spec.devices.text(), "true");
  EXPECT_EQ(spec.objectives, std::vector{Objective()});
  EXPECT_EQ(spec.budget.trials, 100);
  EXPECT_FALSE(spec.budget.seconds.has_value());
  EXPECT_EQ(spec.strategy.name, "auto");
  EXPECT_EQ(spec.strategy.seed, 1u);
  EXPECT_FALSE(spec.default_configuration.has_value());
  EXPECT_FALSE(spec.work.flops.has_value());
}

TEST(JobReaderTest, WorkMayDependOnTheParameters) {
  const JobSpec spec = Read(SampleJob(SampleWith("flops: n,", "flops: n * OPT * scale,")));
  EXPECT_TRUE(spec.work.depends_on_parameters());
  EXPECT_EQ(std::get<expr::Expression>(*spec.work.flops).names(), std::vector<std::string>{"OPT"});
}

TEST(JobReaderTest, WarnsOfAnAbsentReference) {
  const JobSpec spec = Read(SampleJob(SampleWith(
      "  reference: {language: cpp, source: {file: reference.cc}, entry: add_reference}\n", "")));
  EXPECT_EQ(spec.reference.kind, Reference::Kind::kAbsent);
  ASSERT_EQ(spec.warnings.size(), 1u);
  EXPECT_EQ(spec.warnings[0],
            "kernel.reference is absent: results cannot be checked; say `reference: none` to tune "
            "unverified");
}

TEST(JobReaderTest, AReplayedKernelHasChoicesAndNoCode) {
  const JobSpec spec = Read({"job.yaml", R"(name: bowl
kernel:
  language: replay
  constants: {n: 4}
  parameters: {read_only: [1, 2, 8]}
  constraints: [read_only <= n]
  default: {read_only: 2}
devices: {backend: replay}
)"});
  EXPECT_EQ(spec.kernels[0].language, "replay");
  EXPECT_EQ(spec.kernels[0].source.text, "");
  EXPECT_EQ(spec.reference.kind, Reference::Kind::kNone);
  EXPECT_EQ(spec.parameters[0].values.size(), 3u);
  EXPECT_EQ(spec.constraints.size(), 1u);
  EXPECT_TRUE(spec.default_configuration.has_value());
  EXPECT_TRUE(spec.warnings.empty());
}

TEST(JobReaderTest, AcceptsShorthands) {
  EXPECT_FALSE(Read(SampleJob(SampleWith("seed: 7", "history: false"))).strategy.history);
  EXPECT_EQ(Read(SampleJob(SampleWith("{name: random, seed: 7}", "random"))).strategy.name,
            "random");
  const std::string selector = R"("backend == 'cpu' and cores >= 2")";
  const JobSpec spec = Read(
      SampleJob(SampleWith(selector, "{backend: cpu, cores: 2, isa: avx2, label.rack: it's}")));
  EXPECT_EQ(spec.devices.names(),
            (std::vector<std::string>{"backend", "cores", "isa", "label.rack"}));
  EXPECT_EQ(spec.devices.text().substr(0, 44), "backend == 'cpu' and cores == 2 and 'avx2' i");
}

TEST(JobReaderTest, NeedsNoSourceWhereNoneIsAskedFor) {
  JobText job = SampleJob();
  job.files.clear();
  const JobSpec spec = Read(job, SourceCheck::kNotNeeded);
  EXPECT_EQ(spec.kernels[0].source.file, "add.cc");
  EXPECT_EQ(spec.kernels[0].source.text, "");
  const absl::Status status = ReadJob(job, SourceCheck::kRequired).status();
  EXPECT_EQ(std::string(status.message()),
            "job.yaml:4:18: kernel.source.file: the file 'add.cc' was not given with the job");
}

TEST(JobReaderTest, FindsTheFilesThatAJobNames) {
  const auto references = FindFileReferences("job.yaml", kSampleJob);
  ASSERT_TRUE(references.ok()) << references.status();
  ASSERT_EQ(references->size(), 2u);
  EXPECT_EQ((*references)[0].name, "add.cc");
  EXPECT_EQ((*references)[0].path, "kernel.source.file");
  EXPECT_EQ((*references)[0].line, 4);
  EXPECT_EQ((*references)[0].column, 18);
  EXPECT_EQ((*references)[1].name, "reference.cc");
  EXPECT_EQ((*references)[1].path, "kernel.reference.source.file");
}

TEST(JobReaderTest, FindsNoFilesWhereThereAreNone) {
  for (const char* text :
       {"[]", "kernel: 3", "kernel: {source: x}", "kernel: {source: {file: }}"}) {
    const auto references = FindFileReferences("job.yaml", text);
    ASSERT_TRUE(references.ok()) << references.status();
    EXPECT_TRUE(references->empty()) << text;
  }
  EXPECT_FALSE(FindFileReferences("job.yaml", "kernel: [").ok());
}

std::string FileText(const std::string& path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream.good()) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(JobReaderTest, ReadsTheExamples) {
  using Example = std::pair<std::string, std::string>;
  for (const auto& [name, file] :
       {Example("convolution", "convolution.yaml"), Example("matmul", "matmul.yaml"),
        Example("matmul", "user_kernel.yaml")}) {
    const std::string folder = std::string(BURNISH_SOURCE_DIR) + "/examples/" + name + "/";
    JobText job{file, FileText(folder + file), {}};
    job.files[name + ".cc"] = FileText(folder + name + ".cc");
    job.files["reference.cc"] = FileText(folder + "reference.cc");
    const JobSpec spec = Read(job);
    EXPECT_EQ(spec.name, name);
    EXPECT_TRUE(spec.warnings.empty());
    if (spec.workload) continue;  // its space depends on a device
    const absl::StatusOr<JobSpace> space = BuildSpace(job, spec);
    ASSERT_TRUE(space.ok()) << space.status();
    EXPECT_GE(space->space.size(), 1000u);
    EXPECT_TRUE(space::SameConfiguration(space->space.At(space->default_index),
                                         *spec.default_configuration));
  }
}

TEST(ReadJobTest, ObjectivesHaveADirection) {
  const JobSpec spec = Read(SampleJob(
      SampleWith("[latency]",
                 "[energy, throughput, {metric: memory}, {metric: error, direction: maximize}]\n"
                 "limits: [power <= 15, \"memory < n and error <= 1e-3\"]")));
  EXPECT_EQ(spec.objectives,
            (std::vector<Objective>{{.metric = Metric::kEnergy},
                                    {.metric = Metric::kThroughput, .maximise = true},
                                    {.metric = Metric::kMemory},
                                    {.metric = Metric::kError, .maximise = true}}));
  ASSERT_EQ(spec.limits.size(), 2u);
  EXPECT_EQ(spec.limits[1].text(), "memory < n and error <= 1e-3");
}

}  // namespace
}  // namespace burnish::spec
