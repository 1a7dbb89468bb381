#include "common/spec/domain_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "common/spec/job_reader.h"
#include "tests/unit/common/spec/bad_job.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {
namespace {

// A job without a default and constraints, in which OPT has the given domain.
std::string WithDomain(const std::string& domain) {
  return "name: a\nkernel:\n  language: cpp\n  source: {file: add.cc}\n  entry: add\n"
         "  arguments: [{name: c, dtype: f32, shape: [n], role: output}]\n"
         "  constants: {n: 12}\n  parameters:\n    FAST: [false, true]\n    OPT: " +
         domain + "\n  reference: none\n";
}

std::string ValuesOf(const std::string& domain) {
  const auto spec = ReadJob(SampleJob(WithDomain(domain)), SourceCheck::kRequired);
  EXPECT_TRUE(spec.ok()) << spec.status();
  if (!spec.ok()) return "";
  std::string text;
  for (const expr::Value& value : spec->parameters[1].values) {
    text += (text.empty() ? "" : " ") + expr::FormatValue(value);
  }
  return text;
}

TEST(DomainReaderTest, RangesHoldBothEnds) {
  EXPECT_EQ(ValuesOf("{range: [1, 5]}"), "1 2 3 4 5");
  EXPECT_EQ(ValuesOf("{range: [-1, n // 4]}"), "-1 0 1 2 3");
  EXPECT_EQ(ValuesOf("{range: [7, 7]}"), "7");
}

TEST(DomainReaderTest, StepsGoAsFarAsTheLastEnd) {
  EXPECT_EQ(ValuesOf("{range: [8, 30], step: 8}"), "8 16 24");
  EXPECT_EQ(ValuesOf("{range: [0, 1], step: 0.25}"), "0.0 0.25 0.5 0.75 1.0");
  EXPECT_EQ(ValuesOf("{range: [0.0, 0.3], step: 0.1}"), "0.0 0.1 0.2 0.3");
}

TEST(DomainReaderTest, RealsAreSpacedEvenlyOrByFactors) {
  EXPECT_EQ(ValuesOf("{range: [0, 1], steps: 3}"), "0.0 0.5 1.0");
  EXPECT_EQ(ValuesOf("{range: [1, 16], steps: 3, spacing: log}"), "1.0 4.0 16.0");
}

TEST(DomainReaderTest, PowersOfTwoDivisorsAndPermutations) {
  EXPECT_EQ(ValuesOf("{powers_of_two: [3, n]}"), "4 8");
  EXPECT_EQ(ValuesOf("{divisors_of: n}"), "1 2 3 4 6 12");
  EXPECT_EQ(ValuesOf("{permutations_of: 3}"), "'012' '021' '102' '120' '201' '210'");
  EXPECT_EQ(ValuesOf("{permutations_of: [i, j]}"), "'ij' 'ji'");
  EXPECT_EQ(ValuesOf("{permutations_of: [rows, columns]}"), "'rows_columns' 'columns_rows'");
}

TEST(DomainReaderTest, AConditionalParameterIsPinnedWhereItIsInactive) {
  for (const auto& [domain, first] :
       {std::pair("{values: [2, 3, 4], when: FAST}", R"({"FAST": false, "OPT": 2})"),
        std::pair("{values: [2, 3, 4], when: FAST, otherwise: 3}",
                  R"({"FAST": false, "OPT": 3})")}) {
    const JobText job = SampleJob(WithDomain(domain));
    const auto spec = ReadJob(job, SourceCheck::kRequired);
    ASSERT_TRUE(spec.ok()) << spec.status();
    const auto space = BuildSpace(job, *spec);
    ASSERT_TRUE(space.ok()) << space.status();
    EXPECT_EQ(space->space.size(), 4u);
    EXPECT_EQ(space::ToJson(space->space.At(0)), first);
  }
}

TEST(DomainReaderTest, AConditionThatCannotBeEvaluatedIsNamed) {
  const BadJob bad{"", WithDomain("{values: [2, 3], when: n % (FAST - 1) == 0}"),
                   "job.yaml:10:33: kernel.parameters.OPT.when: division by zero in '%' where FAST "
                   "= true, OPT = 2",
                   ""};
  const JobText job = SampleJob(bad.text);
  const auto spec = ReadJob(job, SourceCheck::kRequired);
  ASSERT_TRUE(spec.ok()) << spec.status();
  ExpectRefusal(BuildSpace(job, *spec).status(), bad);
}

}  // namespace
}  // namespace burnish::spec
