#include "client/cli/table.h"

#include "client/cli/listing.h"
#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table Sample() {
  return {.columns = {{"job_id", "job"},
                      {"latency_seconds", "latency"},
                      {"outcome", "outcome"},
                      {"note", "note", Column::Shown::kByName}},
          .rows = {{std::string("j1"), Cell(2e-3, "2 ms"), std::string("ok"), std::string("a|b")},
                   {std::string("j2"), Cell(), std::string("crash"), std::string("say \"x\", y")},
                   {std::string("j3"), Cell(1e-3, "1 ms"), std::string("ok"), Cell(true)}}};
}

std::string Text(const TableOptions& options) {
  const Table table = Sample();
  return *FormatRows(table, *ChooseRows(table, options), options);
}

TEST(TableTest, AFilterReadsColumnsByNameAndByTitle) {
  EXPECT_THAT(*ChooseRows(Sample(), {.filter = "latency_seconds < 1.5e-3"}), ElementsAre(2));
  EXPECT_THAT(*ChooseRows(Sample(), {.filter = "outcome == 'ok' and latency > 1e-4"}),
              ElementsAre(0, 2));
}

TEST(TableTest, ARowWithoutTheValueDoesNotPassTheFilter) {
  EXPECT_THAT(*ChooseRows(Sample(), {.filter = "latency < 1 or outcome == 'crash'"}),
              ElementsAre(0, 2));
}

TEST(TableTest, AnUnknownColumnNamesTheNearest) {
  const absl::Status filter = ChooseRows(Sample(), {.filter = "latncy < 1"}).status();
  EXPECT_THAT(std::string(filter.message()), HasSubstr("--filter: there is no column 'latncy'"));
  EXPECT_EQ(DiagnosticOf(filter)->hint, "did you mean 'latency'?");
  EXPECT_FALSE(ChooseRows(Sample(), {.sort = "-latncy"}).ok());
  EXPECT_FALSE(FormatRows(Sample(), {0}, {.columns = {"latncy"}}).ok());
}

TEST(TableTest, SortsUpAndDownWithWhatIsMissingLast) {
  EXPECT_THAT(*ChooseRows(Sample(), {.sort = "latency"}), ElementsAre(2, 0, 1));
  EXPECT_THAT(*ChooseRows(Sample(), {.sort = "-latency"}), ElementsAre(0, 2, 1));
  EXPECT_THAT(*ChooseRows(Sample(), {.limit = 1, .sort = "-job"}), ElementsAre(2));
}

TEST(TableTest, ShowsWhatTheFormIsFor) {
  EXPECT_EQ(Text({}),
            "job  latency  outcome\nj1   2 ms     ok\nj2            crash\n"
            "j3   1 ms     ok\n");
  EXPECT_EQ(Text({.limit = 1, .output = "name"}), "j1\n");
  EXPECT_EQ(Text({.limit = 1, .columns = {"note", "job"}, .output = "md"}),
            "| note | job |\n| --- | --- |\n| a\\|b | j1 |\n");
  EXPECT_EQ(Text({.output = "csv"}),
            "job_id,latency_seconds,outcome,note\nj1,0.002,ok,a|b\n"
            "j2,,crash,\"say \"\"x\"\", y\"\nj3,0.001,ok,true\n");
}

TEST(RecordTableTest, AParameterNamedLikeAColumnKeepsItsOwn) {
  pb::Record record;
  record.mutable_measurement()->set_outcome(pb::OUTCOME_OK);
  for (const char* name : {"BLOCK", "trial"}) {
    pb::Setting& setting = *record.mutable_configuration()->add_settings();
    setting.set_name(name);
    setting.mutable_value()->set_integer(64);
  }
  const Table table = RecordTable({record});
  EXPECT_THAT(*ChooseRows(table, {.filter = "BLOCK == 64 and trial == 0"}), ElementsAre(0));
  EXPECT_THAT(*ChooseRows(table, {.filter = "configuration.trial == 64"}), ElementsAre(0));
}

}  // namespace
}  // namespace burnish::cli
