#include "server/jobs/import.h"

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/jobs/farm.h"

namespace burnish::jobs {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

space::Parameter Numbers(const std::string& name, int64_t count) {
  space::Parameter parameter{.name = name, .values = {}};
  for (int64_t i = 1; i <= count; ++i) parameter.values.emplace_back(i);
  return parameter;
}

// A and B of JobOf, in the other order and with values that the job has not; every third failed.
ImportRequest RequestOf(const std::string& tail = "") {
  ImportRequest request{.job = {.job = JobOf(tail)},
                        .file_name = "toy.json",
                        .device_class = "A100",
                        .records = {.parameters = {Numbers("B", 9), Numbers("A", 10)},
                                    .value_indices = {},
                                    .latency_seconds = {}}};
  for (uint32_t b = 0; b < 9; ++b) {
    for (uint32_t a = 0; a < 10; ++a) {
      request.records.value_indices.insert(request.records.value_indices.end(), {b, a});
      request.records.latency_seconds.push_back((a + b) % 3 == 0 ? 0 : 1e-3 * (a + b));
    }
  }
  return request;
}

std::string Refusal(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  const auto diagnostic = DiagnosticOf(status);
  return absl::StrCat(std::string(status.message()), "; ", diagnostic ? diagnostic->hint : "");
}

TEST(Import, StoresWhatIsInTheJobsSpaceAndTellsTheRest) {
  Farm farm;
  const auto imported = Import(farm.store(), kTeam, RequestOf("  constraints: ['A + B <= 12']"));
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->set.records, 54);
  EXPECT_EQ(imported->set.failed, 18);
  EXPECT_EQ(imported->outside, 36);
  EXPECT_EQ(imported->outside_example, R"({"B": 1, "A": 9}: 9 is not a value of parameter 'A')");
  EXPECT_EQ(imported->replaced, 0);
  const auto sets = farm.store().Imports(kTeam);
  ASSERT_THAT(*sets, SizeIs(1));
  EXPECT_EQ(sets->front().problem, "toy");
  EXPECT_EQ(sets->front().records, 54);
  const auto again = Import(farm.store(), kTeam, RequestOf());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->replaced, 54);
  EXPECT_EQ(again->set.records, 64);
}

TEST(Import, NamesTheConstraintThatAnOutsiderBreaks) {
  Farm farm;
  ImportRequest request = RequestOf("  constraints: ['A < 8', 'A + B > 2']");
  const auto imported = Import(farm.store(), kTeam, request);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->outside_example, R"({"B": 1, "A": 1}: it breaks constraints[1] 'A + B > 2')");
}

TEST(Import, IsHistoryForJobsOfTheSameKernel) {
  Farm farm;
  farm.Attach("a", Cpu(), Bowl);
  ASSERT_TRUE(Import(farm.store(), kTeam, RequestOf()).ok());
  const JobId job = farm.Submit(JobOf("budget: {trials: 20}"));
  const auto history = farm.Get(job).tasks[0].history;
  ASSERT_THAT(history, SizeIs(1));
  EXPECT_EQ(history[0].name, "imported toy.json on A100");
  EXPECT_EQ(history[0].records, 64);
}

TEST(Import, OfTheSameConfigurationTheLastRecordCounts) {
  Farm farm;
  ImportRequest request = RequestOf();
  request.records.value_indices = {0, 0, 0, 0};
  request.records.latency_seconds = {1, 2};
  const auto imported = Import(farm.store(), kTeam, request);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->set.records, 1);
  const auto records = farm.store().Records(kTeam, "", {.import = imported->set.id}, 10);
  EXPECT_EQ(records->at(0).latency_seconds, 2);
}

TEST(Import, NeedsTheJobsParametersAndNoOthers) {
  Farm farm;
  const auto refusal = [&](const std::string& first, const std::string& second) {
    ImportRequest request = RequestOf();
    request.records.parameters[0].name = first;
    request.records.parameters[1].name = second;
    return Refusal(Import(farm.store(), kTeam, request).status());
  };
  EXPECT_EQ(refusal("B", "AA"),
            "toy.json: the job's parameter 'A' is not in this file's records; known: B, AA");
  EXPECT_THAT(refusal("A", "A"), HasSubstr("the job's parameter 'A' is not"));
  ImportRequest more = RequestOf();
  more.records = {.parameters = {Numbers("A", 1), Numbers("B", 1), Numbers("TILE_K", 1)},
                  .value_indices = {0, 0, 0},
                  .latency_seconds = {1}};
  EXPECT_THAT(Refusal(Import(farm.store(), kTeam, more).status()),
              HasSubstr("toy.json: its parameter 'TILE_K' is none of the job's; known: A, B"));
  EXPECT_TRUE(farm.store().Imports(kTeam)->empty());
}

TEST(Import, RefusesRecordsOfWhichNoneIsInTheSpace) {
  Farm farm;
  ImportRequest request = RequestOf();
  for (expr::Value& value : request.records.parameters[0].values) value = std::string("no number");
  EXPECT_THAT(
      Refusal(Import(farm.store(), kTeam, request).status()),
      HasSubstr("toy.json: none of its 90 records is a configuration of the job: "
                R"({"B": "no number", "A": 1}: 'no number' is not a value of parameter 'B')"));
  request.records.value_indices.clear();
  request.records.latency_seconds.clear();
  EXPECT_THAT(Refusal(Import(farm.store(), kTeam, request).status()),
              HasSubstr("toy.json: it has no records"));
}

TEST(Import, RefusesABadJobAndAWorkload) {
  Farm farm;
  ImportRequest request = RequestOf("budget: {trails: 3}");
  EXPECT_THAT(Refusal(Import(farm.store(), kTeam, request).status()), HasSubstr("toy.yaml:"));
  request.job.job = {.file_name = "product.yaml",
                     .text =
                         "name: product\nworkload: {operator: matmul, "
                         "shape: {m: 8, n: 8, k: 8}, dtype: f32}\n",
                     .files = {}};
  EXPECT_THAT(Refusal(Import(farm.store(), kTeam, request).status()),
              HasSubstr("product.yaml: workload: records are imported for a kernel of one's own"));
}

TEST(Import, RefusesTablesThatNoClientSends) {
  Farm farm;
  const auto refusal = [&](const std::function<void(ImportRequest&)>& change) {
    ImportRequest request = RequestOf();
    change(request);
    return Refusal(Import(farm.store(), kTeam, request).status());
  };
  EXPECT_THAT(refusal([](auto& request) { request.file_name = ""; }),
              HasSubstr("file_name: missing"));
  EXPECT_THAT(refusal([](auto& request) { request.device_class = std::string(200, 'x'); }),
              HasSubstr("device_class: too long"));
  EXPECT_THAT(refusal([](auto& request) { request.records.value_indices.pop_back(); }),
              HasSubstr("not one for each parameter"));
  EXPECT_THAT(refusal([](auto& request) { request.records.value_indices[3] = 10; }),
              HasSubstr("a value index is out of range"));
  EXPECT_THAT(refusal([](auto& request) { request.records.parameters.clear(); }),
              HasSubstr("not one for each parameter"));
  EXPECT_THAT(refusal([](auto& request) { request.records.latency_seconds[0] = -1; }),
              HasSubstr("a latency is below 0"));
  EXPECT_THAT(refusal([](auto& request) {
                request.records.latency_seconds.resize(limits::kImportedRecords + 1);
                request.records.value_indices.resize(2 * request.records.latency_seconds.size());
              }),
              HasSubstr("500001; a file may have 500000"));
}

}  // namespace
}  // namespace burnish::jobs
