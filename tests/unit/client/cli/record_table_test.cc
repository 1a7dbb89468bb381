#include "client/cli/record_table.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::ElementsAre;

TEST(RecordTable, HasFailuresWithoutLatencyAndNoInfrastructure) {
  measured::MeasuredSpace measured;
  measured.parameters = {{.name = "A", .values = {int64_t{1}, 2.5}},
                         {.name = "ORDER", .values = {std::string("ij"), true}}};
  measured.records = {{.values = {1, 0}, .outcome = work::Outcome::kOk, .latency_seconds = 0.25},
                      {.values = {0, 0}, .outcome = work::Outcome::kInfrastructure},
                      {.values = {0, 1}, .outcome = work::Outcome::kCrash}};
  const v1::RecordTable table = RecordTableOf(measured);
  ASSERT_EQ(table.parameters_size(), 2);
  EXPECT_EQ(table.parameters(0).name(), "A");
  EXPECT_EQ(table.parameters(0).values(1).real(), 2.5);
  EXPECT_EQ(table.parameters(1).values(0).text(), "ij");
  EXPECT_THAT(table.value_indices(), ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(table.latency_seconds(), ElementsAre(0.25, 0));
}

}  // namespace
}  // namespace burnish::cli
