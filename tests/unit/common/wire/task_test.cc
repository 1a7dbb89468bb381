#include "common/wire/task.h"

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "common/op/einsum.h"
#include "common/wire/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::wire {
namespace {

using ::testing::HasSubstr;

// Each domain value survives, and every wire value but the unset one is used.
template <typename Domain>
void ExpectWholeEnum(const std::vector<Domain>& all,
                     const google::protobuf::EnumDescriptor* descriptor) {
  std::set<int> seen;
  for (const Domain value : all) {
    const auto proto = ToProto(value);
    EXPECT_TRUE(seen.insert(proto).second);
    const auto back = FromProto(proto);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, value);
  }
  EXPECT_EQ(static_cast<int>(seen.size()), descriptor->value_count() - 1) << descriptor->name();
}

TEST(TaskEnumsWire, KeepEveryValue) {
  std::vector<Dtype> dtypes;
  for (const std::string& name : DtypeNames()) dtypes.push_back(*ParseDtype(name));
  ExpectWholeEnum(dtypes, pb::Dtype_descriptor());
  ExpectWholeEnum<spec::Role>(
      {spec::Role::kInput, spec::Role::kOutput, spec::Role::kInout, spec::Role::kWorkspace},
      pb::Role_descriptor());
  ExpectWholeEnum<spec::FillKind>({spec::FillKind::kUniform, spec::FillKind::kNormal,
                                   spec::FillKind::kConstant, spec::FillKind::kRamp},
                                  pb::FillKind_descriptor());
  ExpectWholeEnum<spec::CacheState>({spec::CacheState::kHot, spec::CacheState::kCold},
                                    pb::CacheState_descriptor());
}

TEST(TaskEnumsWire, RefuseUnsetAndUnknownValues) {
  EXPECT_THAT(FromProto(static_cast<pb::Dtype>(99)).status().message(), HasSubstr("dtype"));
  EXPECT_THAT(FromProto(pb::ROLE_UNSPECIFIED).status().message(), HasSubstr("role"));
  EXPECT_THAT(FromProto(static_cast<pb::FillKind>(99)).status().message(), HasSubstr("fill"));
  EXPECT_THAT(FromProto(pb::CACHE_STATE_UNSPECIFIED).status().message(), HasSubstr("cache"));
}

work::TaskDefinition FullDefinition() {
  work::TaskDefinition definition;
  definition.problem = "matmul";
  definition.stages = {{.language = "cpp",
                        .source = {.file = "matmul.cpp", .text = "void matmul() {} // \xFF"},
                        .entry = "matmul",
                        .flags = {"-O{OPT}", "-march=native"},
                        .define = {"n"}}};
  spec::Argument buffer;
  buffer.name = "a";
  buffer.dtype = Dtype::kF16;
  buffer.is_buffer = true;
  buffer.shape = {4, 8};
  buffer.role = spec::Role::kInout;
  buffer.fill = {.kind = spec::FillKind::kConstant, .value = 0.5};
  spec::Argument scalar;
  scalar.name = "n";
  scalar.dtype = Dtype::kI32;
  scalar.value = int64_t{32};
  definition.arguments = {buffer, scalar};
  definition.constants = {{"n", int64_t{32}}, {"alpha", 1.5}};
  definition.parameter_names = {"OPT", "BLOCK"};
  definition.reference = {.kind = spec::Reference::Kind::kFunction,
                          .language = "cpp",
                          .source = {.file = "reference.cpp", .text = "void reference() {}"},
                          .entry = "reference",
                          .flags = {"-O1"}};
  definition.measure = {.cache = spec::CacheState::kCold,
                        .number = 5,
                        .repeat = 7,
                        .min_repeat_ms = 1.5,
                        .warmup = 2,
                        .run_timeout_seconds = 3,
                        .compile_timeout_seconds = 4,
                        .varies_inputs = false};
  definition.input_seed = 0xFEDCBA9876543210u;
  definition.costly_goals = "{}";
  return definition;
}

TEST(TaskDefinitionWire, KeepsSourcesToChooseFromAndWhatIsPreparedAhead) {
  work::TaskDefinition definition = FullDefinition();
  definition.arguments[0].constant = true;
  spec::Kernel& kernel = definition.stages[0];
  kernel.by = "OPT";
  kernel.variants = {{"1", {.file = "a.cc", .text = "one"}},
                     {"2", {.file = "b.cc", .text = "two"}}};
  kernel.source = {};
  kernel.prepare = "pack";
  const auto back = FromProto(ToProto(definition));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(back->arguments[0].constant);
  EXPECT_EQ(back->stages[0].by, "OPT");
  EXPECT_EQ(back->stages[0].variants.at("2").text, "two");
  EXPECT_EQ(back->stages[0].prepare, "pack");
  EXPECT_EQ(work::HashOf(*back), work::HashOf(definition));
  pb::TaskDefinition empty = ToProto(definition);
  empty.mutable_stages(0)->mutable_variants(0)->clear_source();
  EXPECT_THAT(FromProto(empty).status().message(), HasSubstr("stage.source.text: missing"));
}

TEST(TaskDefinitionWire, KeepsEveryField) {
  const work::TaskDefinition definition = FullDefinition();
  pb::TaskDefinition parsed;
  ASSERT_TRUE(parsed.ParseFromString(ToProto(definition).SerializeAsString()));
  const auto back = FromProto(parsed);
  ASSERT_TRUE(back.ok()) << back.status();

  EXPECT_EQ(back->problem, definition.problem);
  ASSERT_EQ(back->stages.size(), 1u);
  EXPECT_EQ(back->stages[0].language, "cpp");
  EXPECT_EQ(back->stages[0].source.file, "matmul.cpp");
  EXPECT_EQ(back->stages[0].source.text, definition.stages[0].source.text);
  EXPECT_EQ(back->stages[0].entry, "matmul");
  EXPECT_EQ(back->stages[0].flags, definition.stages[0].flags);
  EXPECT_EQ(back->stages[0].define, definition.stages[0].define);
  ASSERT_EQ(back->arguments.size(), 2u);
  EXPECT_EQ(back->arguments[0].name, "a");
  EXPECT_EQ(back->arguments[0].dtype, Dtype::kF16);
  EXPECT_TRUE(back->arguments[0].is_buffer);
  EXPECT_EQ(back->arguments[0].shape, definition.arguments[0].shape);
  EXPECT_EQ(back->arguments[0].role, spec::Role::kInout);
  EXPECT_EQ(back->arguments[0].fill.kind, spec::FillKind::kConstant);
  EXPECT_EQ(back->arguments[0].fill.value, 0.5);
  EXPECT_EQ(back->arguments[1].name, "n");
  EXPECT_FALSE(back->arguments[1].is_buffer);
  EXPECT_TRUE(expr::Equal(back->arguments[1].value, int64_t{32}));
  ASSERT_EQ(back->constants.size(), 2u);
  EXPECT_EQ(back->constants[1].first, "alpha");
  EXPECT_TRUE(expr::Equal(back->constants[1].second, 1.5));
  EXPECT_EQ(back->parameter_names, definition.parameter_names);
  EXPECT_EQ(back->reference.kind, spec::Reference::Kind::kFunction);
  EXPECT_EQ(back->reference.language, "cpp");
  EXPECT_EQ(back->reference.source.file, "reference.cpp");
  EXPECT_EQ(back->reference.source.text, definition.reference.source.text);
  EXPECT_EQ(back->reference.entry, "reference");
  EXPECT_EQ(back->reference.flags, definition.reference.flags);
  EXPECT_EQ(back->measure.cache, spec::CacheState::kCold);
  EXPECT_EQ(back->measure.number, 5);
  EXPECT_EQ(back->measure.repeat, 7);
  EXPECT_EQ(back->measure.min_repeat_ms, 1.5);
  EXPECT_EQ(back->measure.warmup, 2);
  EXPECT_EQ(back->measure.run_timeout_seconds, 3);
  EXPECT_FALSE(back->measure.varies_inputs);
  EXPECT_EQ(back->measure.compile_timeout_seconds, 4);
  EXPECT_EQ(back->input_seed, definition.input_seed);
  EXPECT_EQ(back->costly_goals, definition.costly_goals);
}

TEST(TaskDefinitionWire, ASourceThatIsABlobTravelsByItsHashAlone) {
  work::TaskDefinition definition = FullDefinition();
  definition.stages[0].source.blob = BlobHash(std::string(64, 'a'));
  const auto back = FromProto(ToProto(definition));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->stages[0].source.blob, definition.stages[0].source.blob);
  EXPECT_EQ(back->stages[0].source.text, "");
  EXPECT_TRUE(back->reference.source.blob.empty());
  EXPECT_EQ(back->reference.source.text, definition.reference.source.text);
}

TEST(TaskDefinitionWire, KeepsAJobWithoutReference) {
  work::TaskDefinition definition = FullDefinition();
  definition.reference.kind = spec::Reference::Kind::kNone;
  const auto back = FromProto(ToProto(definition));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->reference.kind, spec::Reference::Kind::kNone);
}

TEST(TaskDefinitionWire, KeepsAnOperatorAsTheReference) {
  work::TaskDefinition definition = FullDefinition();
  definition.reference = {.kind = spec::Reference::Kind::kOperator};
  definition.reference.op = op::Einsum({.expression = "mk,kn->mn",
                                        .extents = {{"m", 4}, {"n", 6}, {"k", 8}},
                                        .epilogue = {"bias", "relu"}})
                                .value();
  pb::TaskDefinition proto = ToProto(definition);
  const auto back = FromProto(proto);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->reference.kind, spec::Reference::Kind::kOperator);
  EXPECT_EQ(work::HashOf(*back), work::HashOf(definition));
  proto.mutable_reference()->mutable_op()->mutable_factors(1)->set_tensor(7);
  EXPECT_THAT(FromProto(proto).status().message(),
              HasSubstr("operator: factors: tensor: there is no such tensor"));
}

TEST(TaskDefinitionWire, NamesWhatIsMissing) {
  const pb::TaskDefinition whole = ToProto(FullDefinition());
  const auto message = [](const pb::TaskDefinition& proto) {
    return std::string(FromProto(proto).status().message());
  };
  pb::TaskDefinition proto = whole;
  proto.clear_stages();
  EXPECT_THAT(message(proto), HasSubstr("task.stages"));
  proto = whole;
  proto.mutable_stages(0)->clear_source();
  EXPECT_THAT(message(proto), HasSubstr("stage.source.text"));
  proto = whole;
  proto.mutable_stages(0)->mutable_source()->mutable_text()->set_sha256("ab");
  EXPECT_THAT(message(proto), HasSubstr("64 hexadecimal digits"));
  proto = whole;
  proto.clear_reference();
  EXPECT_THAT(message(proto), HasSubstr("reference.kind"));
  proto = whole;
  proto.mutable_arguments(1)->clear_scalar();
  EXPECT_THAT(message(proto), HasSubstr("argument 'n': kind"));
  proto = whole;
  proto.mutable_arguments(0)->set_dtype(static_cast<pb::Dtype>(77));
  EXPECT_THAT(message(proto), HasSubstr("argument 'a': dtype: unknown value 77"));
  proto = whole;
  proto.mutable_arguments(0)->mutable_buffer()->set_shape(1, 0);
  EXPECT_THAT(message(proto), HasSubstr("argument 'a': shape"));
  proto = whole;
  proto.clear_measure();
  EXPECT_THAT(message(proto), HasSubstr("cache"));
}

TEST(TaskDefinitionWire, RefusesNumbersThatNoMachineHasRoomOrTimeFor) {
  const pb::TaskDefinition whole = ToProto(FullDefinition());
  const auto message = [](const pb::TaskDefinition& proto) {
    return std::string(FromProto(proto).status().message());
  };
  pb::TaskDefinition proto = whole;
  for (int i = 0; i < 2; ++i) {
    proto.mutable_arguments(0)->mutable_buffer()->set_shape(i, int64_t{1} << 32);
  }
  EXPECT_THAT(message(proto), HasSubstr("argument 'a': shape: larger than 8589934592 bytes"));
  for (const double number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    proto = whole;
    proto.mutable_arguments(0)->mutable_buffer()->set_fill_value(number);
    EXPECT_THAT(message(proto), HasSubstr("argument 'a': fill_value"));
    proto = whole;
    proto.mutable_measure()->set_run_timeout_seconds(number);
    EXPECT_THAT(message(proto), HasSubstr("measure: times"));
  }
}

}  // namespace
}  // namespace burnish::wire
