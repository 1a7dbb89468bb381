#include "server/templates/contraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "common/op/einsum.h"

namespace burnish::templates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Every letter has another extent, so that loops can be told apart.
op::Operator Product(std::string_view expression, std::vector<std::string> epilogue = {}) {
  const std::map<std::string, int64_t> all = {{"a", 2},  {"b", 3},  {"h", 4},  {"k", 5}, {"l", 6},
                                              {"m", 10}, {"n", 12}, {"o", 14}, {"p", 16}};
  op::EinsumOptions options{.expression = expression, .epilogue = std::move(epilogue)};
  for (const auto& [letter, extent] : all) {
    if (expression.find(letter) != expression.npos) options.extents[letter] = extent;
  }
  return op::Einsum(options).value();
}

Contraction Of(std::string_view expression, std::vector<std::string> epilogue = {}) {
  return AsContraction(Product(expression, std::move(epilogue))).value();
}

std::string Refusal(std::string_view expression) {
  const auto contraction = AsContraction(Product(expression));
  EXPECT_EQ(contraction.status().code(), absl::StatusCode::kNotFound) << expression;
  return std::string(contraction.status().message());
}

TEST(AsContraction, SeesAMatrixProduct) {
  const Contraction x = Of("mk,kn->mn");
  EXPECT_EQ(x.m.extent, 10);
  EXPECT_EQ(x.n.extent, 12);
  EXPECT_EQ(x.k.extent, 5);
  EXPECT_THAT(x.m.strides, ElementsAre(5, 0, 12));
  EXPECT_THAT(x.n.strides, ElementsAre(0, 1, 1));
  EXPECT_THAT(x.k.strides, ElementsAre(1, 12, 0));
  EXPECT_THAT(x.batches, SizeIs(0));
  EXPECT_EQ(x.BatchCount(), 1);
}

TEST(AsContraction, SeesTransposedFactors) {
  const Contraction x = Of("km,nk->mn");
  EXPECT_THAT(x.m.strides, ElementsAre(1, 0, 12));
  EXPECT_THAT(x.n.strides, ElementsAre(0, 5, 1));
  EXPECT_THAT(x.k.strides, ElementsAre(10, 1, 0));
}

TEST(AsContraction, MergesAxesThatLieBehindEachOther) {
  // Rows of a and of c, columns of b and of c, and what is summed over.
  EXPECT_EQ(Of("abk,kn->abn").m.extent, 2 * 3);
  EXPECT_EQ(Of("mk,kno->mno").n.extent, 12 * 14);
  const Contraction x = Of("mkl,kln->mn");
  EXPECT_EQ(x.k.extent, 5 * 6);
  EXPECT_THAT(x.k.strides, ElementsAre(1, 12, 0));
}

TEST(AsContraction, MergesBatchesThatLieBehindEachOtherInEveryOperand) {
  const Contraction whole = Of("abmk,abkn->abmn");
  EXPECT_THAT(whole.batches, SizeIs(1));
  EXPECT_EQ(whole.BatchCount(), 2 * 3);
  // In b the two lie the other way round.
  const Contraction apart = Of("abmk,bakn->abmn");
  EXPECT_THAT(apart.batches, SizeIs(2));
  EXPECT_EQ(apart.BatchCount(), 2 * 3);
  EXPECT_EQ(apart.batches[0].extent, 2);
}

TEST(AsContraction, KeepsTheRowsApartThatAnOperandOfTheEpilogueDoesNotJoin) {
  // The bias moves along n alone: m and n stay what they are, whatever c would allow.
  const Contraction x = Of("mk,kn->mn", {"bias", "relu", "residual"});
  ASSERT_THAT(x.operands, SizeIs(5));
  EXPECT_THAT(x.m.strides, ElementsAre(5, 0, 12, 0, 12));
  EXPECT_THAT(x.n.strides, ElementsAre(0, 1, 1, 1, 1));
  // The bias moves along o alone, which keeps n and o apart: n becomes a batch.
  const Contraction apart = Of("mk,kno->mno", {"bias"});
  EXPECT_EQ(apart.n.extent, 14);
  ASSERT_THAT(apart.batches, SizeIs(1));
  EXPECT_EQ(apart.batches[0].extent, 12);
}

TEST(AsContraction, CountsTheBatchesOfEachFactor) {
  const Contraction only_a = Of("bkm,kn->bmn");
  EXPECT_EQ(only_a.BatchCountOf(Contraction::kA), 3);
  EXPECT_EQ(only_a.BatchCountOf(Contraction::kB), 1);
  const Contraction only_b = Of("mk,bkn->bmn");
  EXPECT_EQ(only_b.BatchCountOf(Contraction::kA), 1);
  EXPECT_EQ(only_b.BatchCountOf(Contraction::kB), 3);
}

TEST(AsContraction, SwapsTheFactorsWhereOnlyTheRowsLieSideBySide) {
  const Contraction x = Of("mk,kn->nm");
  EXPECT_EQ(x.operands[Contraction::kA].tensor, 1);
  EXPECT_EQ(x.operands[Contraction::kB].tensor, 0);
  EXPECT_EQ(x.m.extent, 12);
  EXPECT_EQ(x.n.extent, 10);
  EXPECT_THAT(x.m.strides, ElementsAre(1, 0, 10));
  EXPECT_THAT(x.n.strides, ElementsAre(0, 5, 1));
  EXPECT_THAT(x.k.strides, ElementsAre(12, 1, 0));
}

TEST(AsContraction, TakesAVectorForAMatrixOfOneRow) {
  const Contraction x = Of("mk,k->m");
  EXPECT_EQ(x.m.extent, 1);
  EXPECT_EQ(x.n.extent, 10);
  EXPECT_EQ(x.operands[Contraction::kB].tensor, 0);
}

TEST(AsContraction, TakesAxesOfExtentOneForNothing) {
  const auto op = op::Einsum({.expression = "mbk,bkn->mbn",
                              .extents = {{"m", 1}, {"b", 1}, {"k", 5}, {"n", 1}}})
                      .value();
  const Contraction x = AsContraction(op).value();
  EXPECT_EQ(x.m.extent * x.n.extent * x.BatchCount(), 1);
  EXPECT_EQ(x.k.extent, 5);
}

TEST(AsContraction, TakesASingleRowOrColumnWhereverTheOutputHasIt) {
  // c[m, b, 1] and c[1, b] behind each other: batches lie side by side there.
  for (const char* expression : {"bmk,bkn->mbn", "bkn,bmk->mbn"}) {
    const auto op =
        op::Einsum({.expression = expression, .extents = {{"m", 10}, {"b", 3}, {"k", 5}, {"n", 1}}})
            .value();
    const auto x = AsContraction(op);
    ASSERT_TRUE(x.ok()) << expression << ": " << x.status();
    EXPECT_EQ(x->n.extent, 1);
    EXPECT_EQ(x->m.extent, 10);
    EXPECT_EQ(x->m.strides[Contraction::kC], 3);
    EXPECT_EQ(x->BatchCount(), 3);
  }
}

TEST(AsContraction, SaysWhyItRefuses) {
  EXPECT_THAT(Refusal("mkb,knb->mnb"), HasSubstr("the output's last axis is one of a batch"));
  EXPECT_THAT(Refusal("mkl,lkn->mn"), HasSubstr("do not lie behind each other"));
}

}  // namespace
}  // namespace burnish::templates
