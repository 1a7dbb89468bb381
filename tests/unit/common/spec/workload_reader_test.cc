// `workload:`: what it means, and every refusal with its exact words and place.
#include <gtest/gtest.h>

#include "common/op/einsum.h"
#include "tests/unit/common/spec/bad_job.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {
namespace {

JobSpec Read(const std::string& text) {
  absl::StatusOr<JobSpec> spec = ReadJob(SampleJob(text), SourceCheck::kRequired);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *std::move(spec) : JobSpec{};
}

std::string KeyOf(const op::EinsumOptions& options) {
  return op::CanonicalKey(op::Einsum(options).value());
}

TEST(WorkloadTest, IsReadIntoAnOperator) {
  const JobSpec spec = Read(std::string(kSampleWorkload));
  ASSERT_TRUE(spec.workload.has_value());
  EXPECT_EQ(op::Describe(*spec.workload), "matmul 64x32x16 f32 bias relu");
  EXPECT_EQ(op::CanonicalKey(*spec.workload), KeyOf({.expression = "mk,nk->mn",
                                                     .extents = {{"m", 64}, {"n", 32}, {"k", 16}},
                                                     .constant = {"b"},
                                                     .epilogue = {"bias", "relu"}}));
  EXPECT_EQ(std::get<double>(*spec.work.flops), 2.0 * 64 * 32 * 16);
  EXPECT_EQ(std::get<double>(*spec.work.bytes), 4.0 * (64 * 16 + 32 * 16 + 32 + 64 * 32));
  EXPECT_EQ(spec.reference.kind, Reference::Kind::kOperator);
  EXPECT_EQ(op::CanonicalKey(*spec.reference.op), op::CanonicalKey(*spec.workload));
  EXPECT_TRUE(spec.kernels.empty());
  EXPECT_TRUE(spec.warnings.empty());
  EXPECT_EQ(spec.budget.trials, 50);
}

TEST(WorkloadTest, BatchesAndDtypes) {
  const JobSpec batched = Read(WorkloadWith("{m: 64,", "{batch: 3, m: 64,"));
  EXPECT_EQ(op::Describe(*batched.workload), "matmul 3x64x32x16 f32 bias relu");
  const auto description = [](const std::string& dtype) {
    return op::Describe(*Read(WorkloadWith("dtype: f32", "dtype: " + dtype)).workload);
  };
  EXPECT_EQ(description("bf16"), "matmul 64x32x16 bf16 bias relu");
  EXPECT_EQ(description("f64"), "matmul 64x32x16 f64 bias relu");
  EXPECT_EQ(description("i8"), "matmul 64x32x16 i8->i32 bias relu");
  EXPECT_EQ(description("{a: u8, b: i8, c: i32}"), "matmul 64x32x16 u8*i8->i32 bias relu");
  EXPECT_EQ(description("{a: bf16, b: bf16, c: f32}"), "matmul 64x32x16 bf16->f32 bias relu");
}

TEST(WorkloadTest, AnEinsumIsTheSameProblemAsItsMatmul) {
  const JobSpec einsum = Read(
      "name: e\nworkload: {operator: einsum, expression: 'xz,yz->xy', "
      "shape: {x: 64, y: 32, z: 16}, dtype: f32, constant: [b], epilogue: [bias, relu]}\n");
  EXPECT_EQ(op::Describe(*einsum.workload), "einsum 64x32x16 f32 bias relu");
  EXPECT_EQ(op::CanonicalKey(*einsum.workload),
            op::CanonicalKey(*Read(std::string(kSampleWorkload)).workload));
}

TEST(WorkloadTest, NamesNoFiles) {
  const auto references = FindFileReferences("job.yaml", kSampleWorkload);
  ASSERT_TRUE(references.ok()) << references.status();
  EXPECT_TRUE(references->empty());
}

TEST(WorkloadTest, HasNoSpaceOfItsOwn) {
  const JobText job = SampleJob(std::string(kSampleWorkload));
  const auto space = BuildSpace(job, Read(job.text));
  EXPECT_EQ(space.status().message(),
            "job.yaml:2:1: workload: a workload needs a schedule template");
}

class BadWorkloadTest : public testing::TestWithParam<BadJob> {};

TEST_P(BadWorkloadTest, IsRefused) {
  const BadJob& job = GetParam();
  ExpectRefusal(ReadJob(SampleJob(job.text), SourceCheck::kRequired).status(), job);
}

std::string Einsum(const std::string& expression, const std::string& shape) {
  return "name: e\nworkload:\n  operator: einsum\n  expression: " + expression +
         "\n  shape: " + shape + "\n  dtype: f32\n";
}

const BadJob kBadJobs[] = {
    {"NoMapping", "name: a\nworkload: matmul\n",
     "job.yaml:2:11: workload: must be a mapping, not the string 'matmul'",
     "write {operator: matmul, shape: {m: 512, n: 512, k: 512}, dtype: f32}"},
    {"KeyOfAKernel", WorkloadWith("  dtype: f32", "  parameters: {P: [1]}\n  dtype: f32"),
     "job.yaml:5:3: workload.parameters: unknown key 'parameters'",
     "it stands under `kernel:`, for code of your own; a workload's code comes from Burnish"},
    {"UnknownKey", WorkloadWith("  epilogue:", "  epilog:"),
     "job.yaml:8:3: workload.epilog: unknown key 'epilog'", "did you mean 'epilogue'?"},
    {"KeyOutside", WorkloadWith("budget:", "dtype: f32\nbudget:"),
     "job.yaml:9:1: dtype: unknown key 'dtype'", "it stands under `workload:`"},
    {"NoOperator", WorkloadWith("  operator: matmul\n", ""),
     "job.yaml:2:1: workload: the key 'operator' is missing", ""},
    {"UnknownOperator", WorkloadWith("operator: matmul", "operator: matmull"),
     "job.yaml:3:13: workload.operator: unknown operator 'matmull'", "did you mean 'matmul'?"},
    {"LaterOperator", WorkloadWith("operator: matmul", "operator: conv2d"),
     "job.yaml:3:13: workload.operator: operator 'conv2d' is not supported by this version",
     "known: matmul, einsum"},
    {"NoShape", WorkloadWith("  shape: {m: 64, n: 32, k: 16}\n", ""),
     "job.yaml:2:1: workload: the key 'shape' is missing", ""},
    {"ShapeIsAList", WorkloadWith("{m: 64, n: 32, k: 16}", "[64, 32, 16]"),
     "job.yaml:4:10: workload.shape: must be a mapping, not a list",
     "write {m: 512, n: 512, k: 512}"},
    {"MissingExtent", WorkloadWith(", k: 16}", "}"),
     "job.yaml:4:3: workload.shape: the key 'k' is missing", ""},
    {"UnknownExtent", WorkloadWith(", k: 16}", ", k: 16, q: 3}"),
     "job.yaml:4:32: workload.shape.q: unknown key 'q'", "known: m, n, k, batch"},
    {"ZeroExtent", WorkloadWith("m: 64", "m: 0"),
     "job.yaml:4:14: workload.shape.m: must be from 1 to 8589934592, not 0", ""},
    {"RealExtent", WorkloadWith("m: 64", "m: 6.5"),
     "job.yaml:4:14: workload.shape.m: must be an integer, not the real 6.5", ""},
    {"ZeroBatch", WorkloadWith("m: 64", "batch: 0, m: 64"),
     "job.yaml:4:18: workload.shape.batch: must be from 1 to 8589934592, not 0", ""},
    {"HugeTensor", WorkloadWith("m: 64, n: 32", "m: 1000000, n: 1000000"),
     "job.yaml:4:10: workload.shape: tensor 'c' is larger than 8589934592 bytes", ""},
    {"NoDtype", WorkloadWith("  dtype: f32\n", ""),
     "job.yaml:2:1: workload: the key 'dtype' is missing", ""},
    {"UnknownDtype", WorkloadWith("dtype: f32", "dtype: f23"),
     "job.yaml:5:10: workload.dtype: unknown dtype 'f23'", "did you mean 'f32'?"},
    {"LaterDtype", WorkloadWith("dtype: f32", "dtype: f16"),
     "job.yaml:5:10: workload.dtype: dtype 'f16' is not supported by this version",
     "known: f32, f64, bf16, i8, u8"},
    {"MissingDtype", WorkloadWith("dtype: f32", "dtype: {a: f32, b: f32}"),
     "job.yaml:5:3: workload.dtype: the key 'c' is missing", ""},
    {"DtypesThatDoNotGoTogether", WorkloadWith("dtype: f32", "dtype: {a: f32, b: i8, c: f32}"),
     "job.yaml:5:10: workload.dtype: a product of f32 and i8 into f32 is not supported by this "
     "version",
     "f32 or f64 throughout, bf16 into bf16 or f32, i8 and u8 into i32"},
    {"TransposedOutput", WorkloadWith("transpose: [b]", "transpose: [b, c]"),
     "job.yaml:6:18: workload.transpose[1]: unknown factor 'c'", "known: a, b"},
    {"TransposedTwice", WorkloadWith("transpose: [b]", "transpose: [b, b]"),
     "job.yaml:6:18: workload.transpose[1]: 'b' stands twice", ""},
    {"ConstantOutput", WorkloadWith("constant: [b]", "constant: [c]"),
     "job.yaml:7:14: workload.constant[0]: unknown factor 'c'", "known: a, b"},
    {"ConstantIsNoList", WorkloadWith("constant: [b]", "constant: b"),
     "job.yaml:7:13: workload.constant: must be a list, not the string 'b'", ""},
    {"UnknownEpilogue", WorkloadWith("[bias, relu]", "[bias, relo]"),
     "job.yaml:8:20: workload.epilogue[1]: unknown epilogue 'relo'", "did you mean 'relu'?"},
    {"BiasTwice", WorkloadWith("[bias, relu]", "[bias, relu, bias]"),
     "job.yaml:8:26: workload.epilogue[2]: 'bias' stands twice", ""},
    {"GeluOfIntegers",
     WorkloadWith("dtype: f32\n  transpose: [b]\n  constant: [b]\n  epilogue: [bias, relu]",
                  "dtype: i8\n  epilogue: [gelu]"),
     "job.yaml:6:14: workload.epilogue[0]: gelu needs a floating output, not i32", ""},
    {"MatmulWithExpression", WorkloadWith("  dtype:", "  expression: 'mk,kn->mn'\n  dtype:"),
     "job.yaml:5:3: workload.expression: a matmul has no `expression`",
     "`operator: einsum` has one"},
    {"EinsumWithTranspose", Einsum("'mk,kn->mn'", "{m: 1, n: 1, k: 1}") + "  transpose: [b]\n",
     "job.yaml:7:3: workload.transpose: an einsum has no `transpose`",
     "its expression orders the indices, as 'mk,nk->mn' does"},
    {"EinsumWithoutExpression", WorkloadWith("operator: matmul", "operator: einsum"),
     "job.yaml:6:3: workload.transpose: an einsum has no `transpose`",
     "its expression orders the indices, as 'mk,nk->mn' does"},
    {"BadExpression", Einsum("'mk,kn'", "{m: 1, n: 1, k: 1}"),
     "job.yaml:4:15: workload.expression: has no '->' before the output's indices",
     "write it like 'mk,kn->mn'"},
    {"EinsumMissesAnExtent", Einsum("'mk,kn->mn'", "{m: 1, n: 1}"),
     "job.yaml:5:10: workload.shape: the extent of 'k' is missing", ""},
    {"EinsumExtentOfNoIndex", Einsum("'mk,kn->mn'", "{m: 1, n: 1, k: 1, x: 1}"),
     "job.yaml:5:32: workload.shape.x: the expression has no index 'x'", "known: m, n, k"},
    {"EinsumLongIndex", Einsum("'mk,kn->mn'", "{m: 1, n: 1, kk: 1}"),
     "job.yaml:5:23: workload.shape.kk: an index is a single letter, not 'kk'", ""},
};
INSTANTIATE_TEST_SUITE_P(All, BadWorkloadTest, testing::ValuesIn(kBadJobs), NameOfBadJob);

}  // namespace
}  // namespace burnish::spec
