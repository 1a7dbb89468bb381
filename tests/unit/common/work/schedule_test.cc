#include "common/work/schedule.h"

#include <gtest/gtest.h>

#include "common/op/einsum.h"

namespace burnish::work {
namespace {

using expr::Value;

Schedule Example() {
  Schedule schedule;
  schedule.parameters = {
      {.name = "template", .values = {Value(std::string("tile@1")), Value(std::string("dot@2"))}},
      {.name = "TILE", .values = {Value(int64_t{4}), Value(int64_t{8})}},
      {.name = "SHARE", .values = {Value(0.5), Value(1.0)}}};
  schedule.constraints = {"template == 'tile@1' or TILE == 4"};
  schedule.default_configuration = {{"template", Value(std::string("tile@1"))},
                                    {"TILE", Value(int64_t{8})},
                                    {"SHARE", Value(1.0)}};
  schedule.kernel.language = "cpp";
  schedule.kernel.by = "template";
  schedule.kernel.variants = {{"tile@1", {.file = "tile.cc", .text = "// \"π\"\n"}},
                              {"dot@2", {.file = "dot.cc", .text = "// \\n\n"}}};
  schedule.kernel.entry = "matmul";
  schedule.kernel.prepare = "matmul_prepare";
  schedule.kernel.flags = {"-ffp-contract=fast"};
  schedule.workspace_bytes = 4096;
  return schedule;
}

TEST(ScheduleText, ReadsBackToTheSameSchedule) {
  const std::string text = ToText(Example());
  const auto read = ScheduleFromText(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToText(*read), text);
  ASSERT_EQ(read->parameters.size(), 3);
  EXPECT_EQ(read->parameters[2].name, "SHARE");
  // Reals stay reals.
  EXPECT_EQ(expr::FormatValue(read->parameters[2].values[1]), "1.0");
  EXPECT_EQ(read->constraints, Example().constraints);
  EXPECT_TRUE(
      space::SameConfiguration(read->default_configuration, Example().default_configuration));
  EXPECT_EQ(read->kernel.variants.at("tile@1").text, "// \"π\"\n");
  EXPECT_EQ(read->kernel.variants.at("dot@2").file, "dot.cc");
  EXPECT_EQ(read->kernel.prepare, "matmul_prepare");
  EXPECT_EQ(read->kernel.flags, Example().kernel.flags);
  EXPECT_EQ(read->workspace_bytes, 4096);
}

TEST(ScheduleText, RefusesWhatIsNone) {
  const std::string whole = ToText(Example());
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[]"), whole.substr(0, whole.size() - 1)}) {
    EXPECT_EQ(ScheduleFromText(text).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

TEST(WithSchedule, GivesTheKernelTheTensorsInOrderAndAWorkspaceBehindThem) {
  spec::JobSpec spec;
  spec.workload = op::Einsum({.expression = "mk,kn->mn",
                              .extents = {{"m", 2}, {"n", 3}, {"k", 4}},
                              .constant = {"b"},
                              .epilogue = {"bias"}})
                      .value();
  const auto made = WithSchedule(spec, Example());
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_EQ(made->arguments.size(), 5);
  EXPECT_EQ(made->arguments[0].name, "a");
  EXPECT_FALSE(made->arguments[0].constant);
  EXPECT_TRUE(made->arguments[1].constant);
  EXPECT_EQ(made->arguments[2].name, "bias");
  EXPECT_EQ(made->arguments[3].role, spec::Role::kOutput);
  EXPECT_EQ(made->arguments[4].role, spec::Role::kWorkspace);
  EXPECT_EQ(made->arguments[4].ElementCount(), 4096);
  EXPECT_EQ(made->constraints.size(), 1);
  EXPECT_EQ(made->reference.kind, spec::Reference::Kind::kOperator);
}

}  // namespace
}  // namespace burnish::work
