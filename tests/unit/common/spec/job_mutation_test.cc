// Whatever a job's text is, reading it ends with a job or with a placed error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/diagnostic.h"
#include "common/base/random.h"
#include "common/spec/job_reader.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {
namespace {

constexpr std::string_view kPieces[] = {":",
                                        "- ",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "'",
                                        "\"",
                                        "\n",
                                        "  ",
                                        "#",
                                        "&a ",
                                        "*a",
                                        "!t ",
                                        "|\n",
                                        ">\n",
                                        "0",
                                        "-1",
                                        "1e999",
                                        ".nan",
                                        "true",
                                        "~",
                                        "n",
                                        "BLOCK",
                                        "//",
                                        "**",
                                        "?",
                                        "---\n",
                                        "\xFF",
                                        "99999999999999999999",
                                        "kernel:",
                                        "name: x\n",
                                        "\t",
                                        "%",
                                        "é",
                                        "a",
                                        "operator: einsum\n",
                                        "->",
                                        "8589934592"};

// Removes, repeats, inserts or overwrites a piece at a random place, a few times.
std::string Mutate(std::string text, RandomStream& random) {
  const uint64_t changes = 1 + random.UniformBelow(4);
  for (uint64_t i = 0; i < changes; ++i) {
    const size_t at = random.UniformBelow(text.size() + 1);
    const size_t length = random.UniformBelow(12);
    const std::string_view piece = kPieces[random.UniformBelow(std::size(kPieces))];
    switch (random.UniformBelow(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length * 4));
        break;
      case 2:
        text.insert(at, piece);
        break;
      default:
        text.replace(at, std::min(piece.size(), text.size() - at), piece);
        break;
    }
  }
  return text;
}

class JobMutationTest : public ::testing::TestWithParam<std::string_view> {};

TEST_P(JobMutationTest, EveryMutationIsReadOrRefusedWithItsLine) {
  RandomStream random(1, "job mutations");
  int accepted = 0;
  for (int i = 0; i < 2000; ++i) {
    const JobText job = SampleJob(Mutate(std::string(GetParam()), random));
    const absl::StatusOr<JobSpec> spec = ReadJob(job, SourceCheck::kNotNeeded);
    if (spec.ok()) {
      ++accepted;
      continue;
    }
    const std::optional<Diagnostic> diagnostic = DiagnosticOf(spec.status());
    ASSERT_TRUE(diagnostic.has_value()) << spec.status() << "\n" << job.text;
    EXPECT_GT(diagnostic->line, 0) << spec.status() << "\n" << job.text;
    EXPECT_GT(diagnostic->column, 0) << spec.status() << "\n" << job.text;
  }
  EXPECT_GT(accepted, 20);
  EXPECT_LT(accepted, 1500);
}
INSTANTIATE_TEST_SUITE_P(Samples, JobMutationTest, ::testing::Values(kSampleJob, kSampleWorkload));

}  // namespace
}  // namespace burnish::spec
