#include "common/wire/operator.h"

#include <set>

#include "common/op/einsum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::wire {
namespace {

using ::testing::HasSubstr;

op::Operator Sent(const op::Operator& op) {
  pb::Operator parsed;
  EXPECT_TRUE(parsed.ParseFromString(ToProto(op).SerializeAsString()));
  const auto back = FromProto(parsed);
  EXPECT_TRUE(back.ok()) << back.status();
  return back.value_or(op::Operator{});
}

TEST(OperatorWire, KeepsEveryField) {
  op::Operator op = op::Einsum({.name = "layer",
                                .expression = "mk,kn->mn",
                                .extents = {{"m", 4}, {"n", 6}, {"k", 8}},
                                .a = Dtype::kBf16,
                                .b = Dtype::kBf16,
                                .constant = {"b"},
                                .epilogue = {"bias", "relu", "gelu", "gelu_tanh", "residual"}})
                        .value();
  op.factors[0].guarded = true;
  op.factors[0].indices[1].offset = -3;
  op.factors[0].indices[1].terms.push_back({.axis = 1, .coefficient = 2});
  const op::Operator back = Sent(op);
  EXPECT_EQ(op::CanonicalKey(back), op::CanonicalKey(op));
  EXPECT_EQ(op::Describe(back), op::Describe(op));
  for (size_t i = 0; i < op.tensors.size(); ++i)
    EXPECT_EQ(back.tensors[i].name, op.tensors[i].name);
  for (size_t i = 0; i < op.axes.size(); ++i) EXPECT_EQ(back.axes[i].name, op.axes[i].name);
}

TEST(OperatorWire, RefusesWhatDoesNotHoldTogether) {
  const pb::Operator sound = ToProto(op::Einsum({.expression = "mk,kn->mn",
                                                 .extents = {{"m", 4}, {"n", 6}, {"k", 8}},
                                                 .epilogue = {"bias"}})
                                         .value());
  const auto message = [&](void (*change)(pb::Operator&)) {
    pb::Operator proto = sound;
    change(proto);
    const auto op = FromProto(proto);
    EXPECT_TRUE(absl::IsInvalidArgument(op.status())) << op.status();
    return std::string(op.status().message());
  };
  EXPECT_THAT(message([](pb::Operator& o) { o.clear_name(); }), HasSubstr("operator: name"));
  EXPECT_THAT(message([](pb::Operator& o) { o.clear_accumulator(); }), HasSubstr("dtype"));
  EXPECT_THAT(message([](pb::Operator& o) { o.mutable_tensors(0)->clear_dtype(); }),
              HasSubstr("dtype"));
  EXPECT_THAT(message([](pb::Operator& o) { o.mutable_epilogue(0)->clear_kind(); }),
              HasSubstr("epilogue.kind"));
  EXPECT_THAT(message([](pb::Operator& o) { o.mutable_epilogue(0)->clear_operand(); }),
              HasSubstr("epilogue.operand: indices"));
  EXPECT_THAT(message([](pb::Operator& o) { o.clear_output(); }), HasSubstr("output: indices"));
  EXPECT_THAT(message([](pb::Operator& o) {
                o.mutable_factors(1)->mutable_indices(0)->mutable_terms(0)->set_axis(4'000'000'000);
              }),
              HasSubstr("there is no such axis"));
}

TEST(OperatorWire, EpilogueKindsKeepTheirValues) {
  std::set<int> seen;
  for (const auto kind : {op::EpilogueKind::kAdd, op::EpilogueKind::kRelu, op::EpilogueKind::kGelu,
                          op::EpilogueKind::kGeluTanh}) {
    seen.insert(ToProto(kind));
    EXPECT_EQ(FromProto(ToProto(kind)).value(), kind);
  }
  EXPECT_EQ(static_cast<int>(seen.size()), pb::EpilogueKind_descriptor()->value_count() - 1);
}

}  // namespace
}  // namespace burnish::wire
