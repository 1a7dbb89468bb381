#include "server/templates/lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/op/einsum.h"
#include "common/space/search_space.h"

namespace burnish::templates {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Target TargetWith(std::vector<std::string> isa, int64_t cores, bool caches_known) {
  Target target{.language = "cpp", .isa = std::move(isa), .cores = cores};
  if (caches_known) {
    target.l1d_bytes = 32 << 10;
    target.l2_bytes = 1 << 20;
    target.l3_bytes = 32 << 20;
  }
  return target;
}

std::vector<Target> Targets() {
  std::vector<Target> targets;
  for (const std::vector<std::string>& isa :
       std::vector<std::vector<std::string>>{{"sse4_2", "avx2", "fma", "avx512f", "avx512_vnni"},
                                             {"avx2", "fma"},
                                             {"sse4_2"},
                                             {"neon"}}) {
    for (const int64_t cores : {1, 2, 6, 64}) {
      for (const bool known : {true, false}) targets.push_back(TargetWith(isa, cores, known));
    }
  }
  return targets;
}

std::string Name(const Target& target) {
  return absl::StrCat(target.isa.back(), ", ", target.cores, " cores, caches ",
                      target.l2_bytes > 0 ? "known" : "unknown");
}

struct Shape {
  int64_t m, n, k;
};
const std::vector<Shape>& Shapes() {
  static const auto& shapes = *new std::vector<Shape>{
      {1, 1, 1},    {1, 1, 4096},   {1, 4096, 4096},  {4096, 1, 64},     {2, 3, 5},
      {7, 31, 127}, {16, 16, 16},   {17, 1000, 3},    {64, 64, 64},      {512, 512, 512},
      {100, 8, 99}, {8, 100, 2049}, {128, 3072, 768}, {2048, 512, 4608}, {1000, 5, 1000}};
  return shapes;
}

struct Types {
  Dtype a, b, output;
};
const std::vector<Types>& AllTypes() {
  static const auto& types = *new std::vector<Types>{
      {Dtype::kF32, Dtype::kF32, Dtype::kF32},   {Dtype::kF64, Dtype::kF64, Dtype::kF64},
      {Dtype::kBf16, Dtype::kBf16, Dtype::kF32}, {Dtype::kBf16, Dtype::kBf16, Dtype::kBf16},
      {Dtype::kI8, Dtype::kI8, Dtype::kI32},     {Dtype::kU8, Dtype::kI8, Dtype::kI32}};
  return types;
}

// Spaces of single values: whether this one configuration is valid, without all the others.
void ExpectValid(const work::Schedule& schedule, const space::Configuration& configuration) {
  std::vector<space::Parameter> parameters;
  for (size_t i = 0; i < schedule.parameters.size(); ++i) {
    const space::Setting& setting = configuration.at(i);
    ASSERT_EQ(setting.name, schedule.parameters[i].name);
    EXPECT_TRUE(std::ranges::any_of(
        schedule.parameters[i].values,
        [&](const expr::Value& value) { return expr::Equal(value, setting.value); }))
        << setting.name << " = " << expr::FormatValue(setting.value) << " is not in its domain";
    parameters.push_back({setting.name, {setting.value}});
  }
  std::vector<expr::Expression> constraints;
  for (const std::string& text : schedule.constraints) {
    constraints.push_back(expr::Expression::Parse(text).value());
  }
  const auto space = space::SearchSpace::Create(parameters, constraints);
  EXPECT_TRUE(space.ok()) << space.status() << "\n" << space::ToJson(configuration);
}

absl::StatusOr<space::SearchSpace> SpaceOf(const work::Schedule& schedule) {
  std::vector<expr::Expression> constraints;
  for (const std::string& text : schedule.constraints) {
    constraints.push_back(expr::Expression::Parse(text).value());
  }
  return space::SearchSpace::Create(schedule.parameters, constraints);
}

op::Operator Product(std::string_view expression, Shape shape, Types types = AllTypes()[0],
                     std::vector<std::string> constant = {}) {
  op::EinsumOptions options{.expression = expression,
                            .extents = {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}},
                            .a = types.a,
                            .b = types.b,
                            .output = types.output,
                            .constant = std::move(constant),
                            .epilogue = {"bias"}};
  if (expression.find('b') != expression.npos) options.extents["b"] = 3;
  return op::Einsum(options).value();
}

TEST(Lower, GivesDefaultAndTextbookConfigurationsThatAreInTheSpace) {
  const std::vector<std::vector<std::string>> constants = {{}, {"a"}, {"b"}, {"a", "b"}};
  const std::vector<std::string> expressions = {"mk,kn->mn", "km,kn->mn",    "mk,nk->mn",
                                                "km,nk->mn", "bmk,bnk->bmn", "mk,bkn->bmn"};
  size_t turn = 0;
  for (const Target& target : Targets()) {
    for (const Shape& shape : Shapes()) {
      for (const Types& types : AllTypes()) {
        const std::string& expression = expressions[turn % expressions.size()];
        const auto& constant = constants[turn / expressions.size() % constants.size()];
        ++turn;
        SCOPED_TRACE(absl::StrCat(Name(target), ": ", expression, " ", shape.m, "x", shape.n, "x",
                                  shape.k, " ", DtypeName(types.a)));
        const auto lowered = Lower(Product(expression, shape, types, constant), target);
        ASSERT_TRUE(lowered.ok()) << lowered.status();
        ExpectValid(lowered->schedule, lowered->schedule.default_configuration);
        ExpectValid(lowered->schedule, lowered->textbook);
        EXPECT_GE(lowered->schedule.workspace_bytes, 0);
      }
    }
  }
}

TEST(Lower, GivesSpacesThatCanBeConstructed) {
  struct Case {
    Target target;
    const char* expression;
    Shape shape;
    Types types = AllTypes()[0];
  };
  const Target wide = TargetWith({"avx2", "avx512f"}, 64, true);
  const Target narrow = TargetWith({"avx2"}, 2, true);
  for (const Case& one :
       {Case{wide, "mk,nk->mn", {1, 4096, 4096}}, Case{wide, "bmk,bkn->bmn", {2048, 512, 4608}},
        Case{wide, "mk,nk->mn", {512, 512, 512}, AllTypes()[5]},
        Case{narrow, "mk,kn->mn", {512, 512, 512}}, Case{narrow, "bmk,bnk->bmn", {17, 1000, 99}},
        Case{TargetWith({}, 1, false), "mk,kn->mn", {512, 512, 512}}}) {
    const auto lowered = Lower(Product(one.expression, one.shape, one.types), one.target);
    ASSERT_TRUE(lowered.ok()) << lowered.status();
    const auto space = SpaceOf(lowered->schedule);
    ASSERT_TRUE(space.ok()) << space.status();
    std::cout << one.expression << " " << one.shape.m << "x" << one.shape.n << "x" << one.shape.k
              << " " << DtypeName(one.types.a) << ", " << one.target.cores << " cores, vectors of "
              << one.target.VectorBytes() << " bytes: " << space->size() << " of "
              << space->CartesianSize() << " configurations\n";
    EXPECT_TRUE(space->Enumerable());
    EXPECT_TRUE(space->IndexOf(lowered->schedule.default_configuration).has_value());
    EXPECT_TRUE(space->IndexOf(lowered->textbook).has_value());
  }
}

// The value of a parameter; an integer -1 where it is none of the configuration.
expr::Value ValueOf(const space::Configuration& configuration, std::string_view name) {
  const auto found = std::ranges::find(configuration, name, &space::Setting::name);
  return found == configuration.end() ? expr::Value(int64_t{-1}) : found->value;
}

TEST(Lower, JoinsAllTemplatesThatServeInOneSpaceAndPinsTheParametersOfTheOthers) {
  // Both serve it: k lies side by side in both factors.
  const auto lowered = Lower(Product("mk,nk->mn", {7, 31, 64}), TargetWith({"avx2"}, 2, true));
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  const work::Schedule& schedule = lowered->schedule;
  EXPECT_EQ(schedule.parameters[0].name, work::kTemplateParameter);
  EXPECT_EQ(schedule.kernel.by, work::kTemplateParameter);
  EXPECT_EQ(schedule.kernel.variants.size(), 2);
  const auto space = SpaceOf(schedule);
  ASSERT_TRUE(space.ok()) << space.status();
  std::map<std::string, std::set<std::string>> tiles, dots;  // values seen, by template
  for (uint64_t i = 0; i < space->size(); ++i) {
    const space::Configuration configuration = space->At(i);
    const std::string chosen = expr::FormatBare(ValueOf(configuration, work::kTemplateParameter));
    tiles[chosen].insert(expr::FormatValue(ValueOf(configuration, "TILE_M")));
    dots[chosen].insert(expr::FormatValue(ValueOf(configuration, "DOT_M")));
  }
  ASSERT_EQ(tiles.size(), 2);
  EXPECT_GT(tiles["cpu_tile@1"].size(), 1);
  EXPECT_THAT(dots["cpu_tile@1"], ElementsAre("1"));
  EXPECT_THAT(tiles["cpu_dot@1"], ElementsAre("1"));
  EXPECT_GT(dots["cpu_dot@1"].size(), 1);
}

TEST(Lower, HasOneTemplateAloneWhereOnlyOneServes) {
  const auto lowered = Lower(Product("mk,kn->mn", {64, 64, 64}), TargetWith({"avx2"}, 2, true));
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  ASSERT_EQ(lowered->schedule.parameters[0].values.size(), 1);
  EXPECT_EQ(expr::FormatBare(lowered->schedule.parameters[0].values[0]), "cpu_tile@1");
  EXPECT_THAT(ValueOf(lowered->schedule.default_configuration, "DOT_M"),
              ::testing::Truly([](const expr::Value& value) {
                return expr::Equal(value, expr::Value(int64_t{-1}));
              }));
}

// The whole of a refusal's words.
std::string Refusal(const op::Operator& op, const Target& target) {
  const auto lowered = Lower(op, target);
  EXPECT_EQ(lowered.status().code(), absl::StatusCode::kInvalidArgument);
  const auto diagnostic = DiagnosticOf(lowered.status());
  return diagnostic ? absl::StrCat(diagnostic->message, " ", diagnostic->hint) : "";
}

TEST(Lower, SaysForEachTemplateWhyItDoesNotServe) {
  EXPECT_THAT(Refusal(Product("mkb,knb->mnb", {4, 4, 4}), TargetWith({}, 1, true)),
              AllOf(HasSubstr("no schedule template serves"),
                    HasSubstr("cpu_tile: the output's last axis is one of a batch"),
                    HasSubstr("cpu_dot: the output's last axis is one of a batch")));
  Target gpu = TargetWith({}, 1, true);
  gpu.language = "opencl";
  EXPECT_THAT(Refusal(Product("mk,kn->mn", {4, 4, 4}), gpu),
              HasSubstr("cpu_tile: it writes cpp; cpu_dot: it writes cpp"));
}

}  // namespace
}  // namespace burnish::templates
