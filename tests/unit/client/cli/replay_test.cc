#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cli/replay_input.h"
#include "client/cli/replay_report.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A parameter of `count` values; a configuration's latency is `scale` plus its value, in seconds.
TablePtr MakeTable(const std::string& name, const std::string& parameter, int64_t count,
                   double scale) {
  measured::MeasuredSpace measured{.name = name, .device = absl::StrCat("device of ", name)};
  measured.parameters = {{.name = parameter}};
  for (int64_t i = 0; i < count; ++i) {
    measured.parameters[0].values.emplace_back(i);
    measured.records.push_back({.values = {static_cast<uint32_t>(i)},
                                .outcome = work::Outcome::kOk,
                                .latency_seconds = scale + static_cast<double>(i)});
  }
  auto table = measured::Table::Create(std::move(measured));
  CHECK(table.ok());
  return std::make_shared<const measured::Table>(*std::move(table));
}

class ReplayReportTest : public ::testing::Test {
 protected:
  const TablePtr first_ = MakeTable("first", "X", 100, 1);
  const TablePtr second_ = MakeTable("a<b", "X", 100, 2);
  ReplayResult result_{
      .spaces = {{.table = first_.get()}, {.table = second_.get()}},
      .strategies = {"random", "local"},
      .seeds = 2,
      .budget_trials = 60,
      .standings = {{{.fraction = {{0.5, 0.6}, {0.5, 0.8}}, .proposal_seconds = {1e-3, 3e-3}},
                     {.fraction = {{0.2, 0.3}, {0.2, 0.3}}, .proposal_seconds = {1e-3}}},
                    {{.fraction = {{1.0}, {1.0}}, .proposal_seconds = {1e-3}},
                     {.fraction = {{1.0}, {1.0}}, .proposal_seconds = {1e-3}}}}};
};

TEST_F(ReplayReportTest, TheDocumentHasWhatScriptsRelyOn) {
  const auto document = ReplayDocument(result_);
  ASSERT_THAT(document["spaces"], SizeIs(2));
  const auto& space = document["spaces"][0];
  EXPECT_EQ(space["name"], "first");
  EXPECT_EQ(space["optimum"], 1.0);
  ASSERT_THAT(space["strategies"], SizeIs(2));
  const auto& random = space["strategies"][0];
  EXPECT_EQ(random["name"], "random");
  EXPECT_EQ(random["seeds"], 2);
  EXPECT_EQ(random["fraction_at"].dump(), R"({"25":0.7,"50":0.7})");
  EXPECT_EQ(random["seconds_per_proposal"], 2e-3);
  ASSERT_THAT(document["mean"], SizeIs(2));
  EXPECT_EQ(document["mean"][0]["strategy"], "random");
  EXPECT_EQ(document["mean"][0]["fraction_at"]["50"], 0.5);
  EXPECT_EQ(document["mean"][0]["worst_at"]["50"], 0.3);
  EXPECT_EQ(document["mean"][1]["worst_at"]["25"], 1.0);
}

TEST_F(ReplayReportTest, TheTableAlsoShowsTheEndOfABudgetInBetween) {
  const std::string table = ReplayTable(result_);
  EXPECT_THAT(table, HasSubstr("space  strategy  25     50     60     per proposal"));
  EXPECT_THAT(table, HasSubstr("first  random    0.700  0.700  0.700  2.000 ms"));
  EXPECT_THAT(table, HasSubstr("mean   random    0.500"));
  EXPECT_THAT(table, HasSubstr("worst  random    0.300"));
  result_.spaces.pop_back();
  EXPECT_THAT(ReplayTable(result_), Not(HasSubstr("worst")));
}

TEST_F(ReplayReportTest, TheDrawingHasALinePerStrategyInEachPanel) {
  const std::string svg = ReplaySvg(result_);
  size_t lines = 0;
  for (size_t at = svg.find("<polyline"); at != std::string::npos;
       at = svg.find("<polyline", at + 1)) {
    ++lines;
  }
  EXPECT_EQ(lines, 6u) << "the mean and two spaces";
  EXPECT_THAT(svg, HasSubstr(">a&lt;b<"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  result_.budget_trials = 1;
  EXPECT_THAT(ReplaySvg(result_), Not(HasSubstr("nan")));
}

TEST(ReplayInputTest, EachSpaceHasTheOtherDevicesAsItsHistory) {
  const TablePtr a = MakeTable("a", "X", 5, 1);
  const TablePtr b = MakeTable("b", "X", 4, 2);
  const TablePtr copy_of_a = MakeTable("other name", "X", 5, 1);
  const auto input = MakeReplayInput({a, b}, {copy_of_a, b});
  ASSERT_TRUE(input.ok()) << input.status().ToString();
  ASSERT_THAT(input->spaces[0].history, SizeIs(1));
  EXPECT_EQ(input->spaces[0].history[0].name, "device of b");
  EXPECT_THAT(input->spaces[0].history[0].records, SizeIs(4));
  ASSERT_THAT(input->spaces[1].history, SizeIs(1));
  EXPECT_THAT(input->spaces[1].history[0].records, SizeIs(4));
  EXPECT_THAT(input->warnings, ElementsAre("a: its own measurements are left out of its history",
                                           "b: its own measurements are left out of its history"));
  EXPECT_THAT(MakeReplayInput({a}, {})->spaces[0].history, IsEmpty());
}

TEST(ReplayInputTest, AHistoryThatMatchesNothingSaysWhy) {
  const TablePtr a = MakeTable("a", "X", 5, 1);
  const auto message = [&](const TablePtr& history) {
    return std::string(MakeReplayInput({a}, {history}).status().message());
  };
  EXPECT_EQ(message(MakeTable("b", "Y", 5, 1)), "b says nothing of a: it has no parameter 'X'");
  EXPECT_EQ(message(a), "a is no history of itself");
  measured::MeasuredSpace wide = a->measured();
  wide.name = "wide";
  wide.parameters.push_back({.name = "Z", .values = {int64_t{1}}});
  for (measured::Record& record : wide.records) record.values.push_back(0);
  EXPECT_EQ(message(std::make_shared<const measured::Table>(*measured::Table::Create(wide))),
            "wide says nothing of a: its parameter 'Z' is unknown there");
  measured::MeasuredSpace apart = a->measured();
  apart.name = "apart";
  for (size_t i = 0; i < 5; ++i) apart.parameters[0].values[i] = static_cast<int64_t>(100 + i);
  EXPECT_EQ(message(std::make_shared<const measured::Table>(*measured::Table::Create(apart))),
            "apart says nothing of a: it has no value of 'X' in common");
}

TEST(ReplayInputTest, AFileThatIsNoMeasuredSpaceIsNamedWithAHint) {
  const std::string folder = ::testing::TempDir();
  const std::string path = folder + "/replay_test_empty.json";
  ASSERT_TRUE(WriteFileAtomically(path, "", /*durable=*/false).ok());
  for (const std::string& file : {path, folder + "/replay_test_nowhere.json"}) {
    const auto input = ReadReplayInput({file}, {}, {});
    ASSERT_FALSE(input.ok());
    EXPECT_THAT(std::string(input.status().message()), HasSubstr(file));
    EXPECT_THAT(DiagnosticOf(input.status())->hint, HasSubstr("fully measured space"));
  }
}

}  // namespace
}  // namespace burnish::cli
