#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "common/spec/job_reader.h"
#include "tests/unit/common/spec/bad_job.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {
namespace {

absl::StatusOr<JobSpace> Build(const std::string& text) {
  const JobText job = SampleJob(text);
  const absl::StatusOr<JobSpec> spec = ReadJob(job, SourceCheck::kRequired);
  EXPECT_TRUE(spec.ok()) << spec.status();
  if (!spec.ok()) return spec.status();
  return BuildSpace(job, *spec);
}

constexpr char kDefault[] = "  default: {BLOCK: 64, OPT: 3, ORDER: forward, FAST: false}\n";

std::string DefaultOf(const std::string& text) {
  const absl::StatusOr<JobSpace> space = Build(text);
  EXPECT_TRUE(space.ok()) << space.status();
  return space.ok() ? space::ToJson(space->space.At(space->default_index)) : "";
}

TEST(JobSpaceTest, HoldsTheValidConfigurations) {
  const absl::StatusOr<JobSpace> space = Build(std::string(kSampleJob));
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->space.size(), 20u);  // of 24: BLOCK 128 with OPT 3 is out
}

TEST(JobSpaceTest, TheDefaultIsTheOneWritten) {
  EXPECT_EQ(DefaultOf(std::string(kSampleJob)),
            R"({"BLOCK": 64, "OPT": 3, "ORDER": "forward", "FAST": false})");
}

TEST(JobSpaceTest, WithoutADefaultItIsTheFirstValues) {
  EXPECT_EQ(DefaultOf(SampleWith(kDefault, "")),
            R"({"BLOCK": 32, "OPT": 2, "ORDER": "forward", "FAST": false})");
}

TEST(JobSpaceTest, OrElseTheFirstValidConfiguration) {
  std::string text = SampleWith(kDefault, "");
  const std::string constraint = "- n % BLOCK == 0";
  text.replace(text.find(constraint), constraint.size(), "- BLOCK + OPT >= 67");
  EXPECT_EQ(DefaultOf(text), R"({"BLOCK": 64, "OPT": 3, "ORDER": "forward", "FAST": false})");
}

TEST(JobSpaceTest, ADefaultThatBreaksAConstraintIsRefused) {
  const BadJob job{"", SampleWith("{BLOCK: 64, OPT: 3,", "{BLOCK: 128, OPT: 3,"),
                   "job.yaml:22:3: kernel.default: the default breaks constraints[1]: BLOCK * OPT "
                   "<= 256",
                   "choose a default that holds every constraint"};
  ExpectRefusal(Build(job.text).status(), job);
}

TEST(JobSpaceTest, WorkIsThatOfTheDefaultConfiguration) {
  const auto space = Build(SampleWith("flops: n, bytes: 12 * n", "flops: n * OPT, bytes: 12 * n"));
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->default_flops, 3 * 4096.0);
  EXPECT_EQ(space->default_bytes, 12 * 4096.0);
}

TEST(JobSpaceTest, WorkThatIsNoneForTheDefaultIsRefused) {
  for (const auto& [work, message] :
       {std::pair{"n * (OPT - 3)",
                  "is 0 for the default configuration {\"BLOCK\": 64, \"OPT\": 3, "
                  "\"ORDER\": \"forward\", \"FAST\": false}"},
        {"n if OPT == 2 else 'many'", "is 'many' for the default configuration"},
        {"n // (OPT - 3)", "division by zero"}}) {
    const absl::Status status =
        Build(SampleWith("flops: n,", std::string("flops: \"") + work + "\",")).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("job.yaml:24:"), std::string::npos) << status;
    EXPECT_NE(status.message().find("kernel.work.flops"), std::string::npos) << status;
    EXPECT_NE(status.message().find(message), std::string::npos) << status;
  }
}

TEST(JobSpaceTest, ConstraintsThatLeaveNothingAreNamed) {
  const BadJob job{"", SampleWith("BLOCK * OPT <= 256", "BLOCK * OPT <= 2"),
                   "job.yaml:21:7: kernel.constraints[1]: the search space is empty: "
                   "constraints[1] removes the last configuration",
                   "loosen it or a constraint before it, or add parameter values"};
  ExpectRefusal(Build(job.text).status(), job);
}

TEST(JobSpaceTest, AConstraintThatFailsForAConfigurationIsPlaced) {
  const absl::Status status =
      Build(SampleWith("BLOCK * OPT <= 256", "BLOCK // (OPT - 2) <= 256")).status();
  const std::optional<Diagnostic> diagnostic = DiagnosticOf(status);
  ASSERT_TRUE(diagnostic.has_value()) << status;
  EXPECT_EQ(diagnostic->line, 21);
  EXPECT_EQ(diagnostic->path, "kernel.constraints[1]");
  EXPECT_NE(diagnostic->message.find("division by zero"), std::string::npos) << status;
}

}  // namespace
}  // namespace burnish::spec
