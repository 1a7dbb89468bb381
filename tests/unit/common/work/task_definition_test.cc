#include "common/work/task_definition.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "common/op/einsum.h"
#include "common/work/objectives.h"

namespace burnish::work {
namespace {

using expr::Value;

spec::JobSpec Example() {
  spec::JobSpec spec;
  spec.name = "axpy";
  spec::Kernel kernel;
  kernel.language = "cpp";
  kernel.source = {.file = "axpy.cpp", .text = "void axpy(…);\n"};
  kernel.entry = "axpy";
  kernel.flags = {"-O{LEVEL}"};
  kernel.define = {"n"};
  spec.kernels = {kernel};
  spec::Argument buffer;
  buffer.name = "x";
  buffer.is_buffer = true;
  buffer.shape = {1024};
  spec::Argument scalar;
  scalar.name = "n";
  scalar.dtype = Dtype::kI32;
  scalar.value = int64_t{1024};
  spec.arguments = {buffer, scalar};
  spec.constants = {{"n", Value(int64_t{1024})}, {"unused", Value(2.5)}};
  spec.parameters = {{.name = "LEVEL", .values = {Value(int64_t{1}), Value(int64_t{2})}}};
  spec.reference.kind = spec::Reference::Kind::kFunction;
  spec.reference.language = "cpp";
  spec.reference.source = {.file = "reference.cpp", .text = "void reference(…);\n"};
  spec.reference.entry = "reference";
  return spec;
}

spec::Reference OperatorReference(int64_t k) {
  spec::Reference reference{.kind = spec::Reference::Kind::kOperator};
  reference.op =
      op::Einsum({.expression = "mk,kn->mn", .extents = {{"m", 4}, {"n", 6}, {"k", k}}}).value();
  return reference;
}

TEST(SourceOf, ChoosesTheVariantWhichIsNoMacroThen) {
  TaskDefinition definition;
  spec::Kernel kernel;
  kernel.by = "template";
  kernel.variants = {{"tile@1", {.file = "tile.cc", .text = "t"}},
                     {"dot@1", {.file = "dot.cc", .text = "d"}}};
  const space::Configuration dot = {{"template", Value(std::string("dot@1"))},
                                    {"DOT_M", Value(int64_t{4})}};
  EXPECT_EQ(SourceOf(kernel, dot)->text, "d");
  EXPECT_EQ(MacroLines(definition, kernel, dot), "#define DOT_M 4\n");
  EXPECT_FALSE(SourceOf(kernel, {{"template", Value(std::string("dot@2"))}}).ok());
  EXPECT_FALSE(SourceOf(kernel, {}).ok());
  // Each of the sources counts.
  definition.stages = {kernel};
  const TaskHash hash = HashOf(definition);
  definition.stages[0].variants["dot@1"].text = "e";
  EXPECT_NE(HashOf(definition), hash);
}

TEST(MakeTaskDefinition, TakesOverWhatAnAgentNeeds) {
  const spec::JobSpec spec = Example();
  const TaskDefinition definition = MakeTaskDefinition(spec);
  EXPECT_EQ(definition.problem, "axpy");
  EXPECT_EQ(definition.stages.at(0).source.text, spec.kernels[0].source.text);
  EXPECT_EQ(definition.arguments.size(), 2u);
  EXPECT_EQ(definition.constants, spec.constants);
  EXPECT_EQ(definition.parameter_names, std::vector<std::string>{"LEVEL"});
  EXPECT_EQ(definition.reference.source.text, spec.reference.source.text);
}

TEST(MakeTaskDefinition, HasTheGoalsOnlyWhereEnergyIsAmongThem) {
  spec::JobSpec spec = Example();
  const TaskHash plain = HashOf(MakeTaskDefinition(spec));
  spec.objectives = {{.metric = spec::Metric::kMemory}};
  EXPECT_EQ(MakeTaskDefinition(spec).costly_goals, "");
  EXPECT_EQ(HashOf(MakeTaskDefinition(spec)), plain);
  spec.limits = {expr::Expression::Parse("power <= 15").value()};
  EXPECT_EQ(MakeTaskDefinition(spec).costly_goals, GoalsText(spec));
  EXPECT_NE(HashOf(MakeTaskDefinition(spec)), plain);
  spec.limits.clear();
  spec.objectives = {{.metric = spec::Metric::kLatency}, {.metric = spec::Metric::kEnergy}};
  EXPECT_EQ(ReadGoals(MakeTaskDefinition(spec).costly_goals)->objectives, spec.objectives);
}

TEST(HashOf, IsTheSameForEqualDefinitions) {
  const TaskHash hash = HashOf(MakeTaskDefinition(Example()));
  EXPECT_EQ(hash.value().size(), 64u);
  EXPECT_EQ(HashOf(MakeTaskDefinition(Example())), hash);
}

TEST(CanonicalText, HasSortedKeysAndNoSpaces) {
  const std::string text = CanonicalText(MakeTaskDefinition(Example()));
  EXPECT_EQ(text.find(R"({"arguments":[{"dtype":"f32","fill":{"kind":"uniform","value":0.0},)"), 0u)
      << text;
  EXPECT_EQ(text.find(' '), std::string::npos);
}

// Each of these makes another program or another result.
TEST(HashOf, ChangesWithEverythingThatMatters) {
  const std::function<void(TaskDefinition&)> changes[] = {
      [](auto&) {},
      [](auto& d) { d.problem = "other"; },
      [](auto& d) { d.stages[0].language = "opencl"; },
      [](auto& d) { d.stages[0].source.text += " "; },
      [](auto& d) { d.stages[0].source.text += "\xe9"; },
      [](auto& d) { d.stages[0].source.text += "\xea"; },
      [](auto& d) { d.stages[0].source.file = "other.cpp"; },
      [](auto& d) { d.stages[0].entry = "other"; },
      [](auto& d) {
        d.stages[0].flags = {"-O{LEVEL}", "-g"};
      },
      [](auto& d) { d.stages[0].flags = {"-O{LEVEL} -g"}; },
      [](auto& d) { d.stages[0].define.clear(); },
      [](auto& d) { d.stages.push_back(d.stages[0]); },
      [](auto& d) { d.arguments[0].name = "y"; },
      [](auto& d) { d.arguments[0].dtype = Dtype::kF64; },
      [](auto& d) {
        d.arguments[0].shape = {32, 32};
      },
      [](auto& d) { d.arguments[0].role = spec::Role::kInout; },
      [](auto& d) { d.arguments[0].fill.kind = spec::FillKind::kRamp; },
      [](auto& d) { d.arguments[0].fill.value = 1; },
      [](auto& d) { d.arguments[1].value = int64_t{1025}; },
      [](auto& d) { std::swap(d.arguments[0], d.arguments[1]); },
      [](auto& d) { d.constants[0].second = int64_t{1025}; },
      [](auto& d) { d.constants[0].second = 1024.0; },
      [](auto& d) { d.constants[0].second = "1024"; },
      [](auto& d) { d.parameter_names.push_back("TILE"); },
      [](auto& d) { d.reference.kind = spec::Reference::Kind::kNone; },
      [](auto& d) { d.reference = OperatorReference(8); },
      [](auto& d) { d.reference = OperatorReference(9); },
      [](auto& d) {
        d.reference = OperatorReference(8);
        std::swap(d.reference.op->tensors[0].name, d.reference.op->tensors[1].name);
      },
      [](auto& d) { d.reference.source.text += " "; },
      [](auto& d) { d.reference.entry = "other"; },
      [](auto& d) { d.reference.flags = {"-O0"}; },
      [](auto& d) { d.measure.cache = spec::CacheState::kCold; },
      [](auto& d) { d.measure.number = 3; },
      [](auto& d) { d.measure.repeat = 3; },
      [](auto& d) { d.measure.min_repeat_ms = 3; },
      [](auto& d) { d.measure.warmup = 3; },
      [](auto& d) { d.measure.run_timeout_seconds = 3; },
      [](auto& d) { d.measure.compile_timeout_seconds = 3; },
      [](auto& d) { d.input_seed = 3; },
  };
  std::set<TaskHash> hashes;
  for (const auto& change : changes) {
    TaskDefinition definition = MakeTaskDefinition(Example());
    change(definition);
    hashes.insert(HashOf(definition));
  }
  EXPECT_EQ(hashes.size(), std::size(changes));
}

TEST(ProblemKey, IgnoresCodeButNotTheProblem) {
  const std::string key = ProblemKey(Example());
  spec::JobSpec spec = Example();
  spec.kernels[0].source.text = "other";
  spec.reference.source.text = "other";
  spec.budget.trials = 7;
  EXPECT_EQ(ProblemKey(spec), key);
  spec.constants[1].second = 3.5;
  EXPECT_NE(ProblemKey(spec), key);
  spec = Example();
  spec.arguments[0].shape = {2048};
  EXPECT_NE(ProblemKey(spec), key);
  spec = Example();
  spec.name = "other";
  EXPECT_NE(ProblemKey(spec), key);
}

TEST(SourceHash, KnowsTheCodeAlone) {
  const std::string hash = SourceHash(Example());
  EXPECT_EQ(hash.size(), 64u);
  spec::JobSpec spec = Example();
  spec.name = "other";
  spec.constants.clear();
  spec.kernels[0].source.file = "moved/axpy.cpp";
  EXPECT_EQ(SourceHash(spec), hash);
  spec.kernels[0].flags = {"-O0"};
  EXPECT_NE(SourceHash(spec), hash);
  spec = Example();
  spec.kernels[0].source.text += " ";
  EXPECT_NE(SourceHash(spec), hash);
}

TEST(MacroLines, DefineParametersAndListedConstants) {
  const TaskDefinition definition = MakeTaskDefinition(Example());
  const space::Configuration configuration = {{.name = "LEVEL", .value = int64_t{2}},
                                              {.name = "FAST", .value = true},
                                              {.name = "SCALE", .value = 0.5},
                                              {.name = "ORDER", .value = "ij"}};
  EXPECT_EQ(MacroLines(definition, definition.stages[0], configuration),
            "#define LEVEL 2\n#define FAST 1\n#define SCALE 0.5\n#define ORDER ij\n"
            "#define n 1024\n");
}

TEST(ExpandFlags, ReplacesParametersOnce) {
  const space::Configuration configuration = {{.name = "LEVEL", .value = int64_t{3}},
                                              {.name = "KIND", .value = "{LEVEL}"}};
  EXPECT_EQ(ExpandFlags({"-O{LEVEL}", "-DK={KIND}", "{LEVEL}{LEVEL}", "plain"}, configuration),
            (std::vector<std::string>{"-O3", "-DK={LEVEL}", "33", "plain"}));
}

TEST(ExpandFlags, LeavesOtherBracesAlone) {
  const space::Configuration configuration = {{.name = "A", .value = int64_t{1}}};
  EXPECT_EQ(ExpandFlags({"{B}", "{", "}", "{A", "{{A}}", "{}", "{B{A}"}, configuration),
            (std::vector<std::string>{"{B}", "{", "}", "{A", "{1}", "{}", "{B1"}));
}

}  // namespace
}  // namespace burnish::work
