#include "client/cli/kernel_scan.h"

#include "client/cli/job_template.h"
#include "common/base/diagnostic.h"
#include "common/spec/job_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kVadd[] = R"(// not: extern "C" void comment(float* c) {}
#include <cstdint>
#ifndef VADD_H
#define VADD_H
#endif
#ifndef BLOCK
#define BLOCK 16  // floats
#endif
#if !defined(FAST)
#define FAST true
#endif
#define TILE 8
#define SQUARE(x) ((x) * \
  (x))
static float helper(float x) { return SQUARE(x); }
extern "C" {
void vadd(const float* __restrict a, float c[], int32_t n, const double scale) {
  for (int i = 0; i < n; i += BLOCK) c[i] = helper(a[i]) * TILE * scale + FLT_MAX;
}
}
void after(float* c) {}
)";

TEST(KernelScanTest, ReadsEntryArgumentsAndMacros) {
  const auto kernel = ScanKernel(kVadd, "");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(kernel->entry, "vadd");
  ASSERT_EQ(kernel->arguments.size(), 4u);
  EXPECT_EQ(kernel->arguments[0].name, "a");
  EXPECT_TRUE(kernel->arguments[0].is_buffer);
  EXPECT_TRUE(kernel->arguments[0].is_const);
  EXPECT_TRUE(kernel->arguments[1].is_buffer);
  EXPECT_FALSE(kernel->arguments[1].is_const);
  EXPECT_EQ(kernel->arguments[2].dtype, Dtype::kI32);
  EXPECT_FALSE(kernel->arguments[2].is_buffer);
  EXPECT_EQ(kernel->arguments[3].dtype, Dtype::kF64);
  std::vector<std::string> macros;
  for (const ScannedMacro& macro : kernel->macros) {
    macros.push_back(macro.name + (macro.guarded ? " guarded " : " fixed ") + macro.value);
  }
  EXPECT_THAT(macros, ElementsAre("BLOCK guarded 16", "FAST guarded true", "TILE fixed 8"));
  EXPECT_THAT(kernel->undefined, IsEmpty());
}

TEST(KernelScanTest, FindsTheEntryOfEachLanguage) {
  EXPECT_EQ(ScanKernel("void a(int* x) {}\n__kernel void k(__global float* x) {}\n", "")->entry,
            "k");
  EXPECT_EQ(ScanKernel("__global__ void g(float* x) {}\nvoid b(int* x) {}\n", "")->entry, "g");
  EXPECT_EQ(ScanKernel("void a(int* x) {}\nvoid b(int* x) {}\nstatic void c() {}\n", "")->entry,
            "b");
  EXPECT_EQ(ScanKernel("void a(int* x) {}\nvoid b(int* x) {}\n", "a")->entry, "a");
  const absl::Status unknown = ScanKernel("void vadd(int* x) {}\n", "vad").status();
  EXPECT_EQ(DiagnosticOf(unknown)->hint, "did you mean 'vadd'?");
  EXPECT_FALSE(ScanKernel("int x;\n", "").ok());
}

TEST(KernelScanTest, NamesInCapitalsThatNothingDefinesAreLeftToTheJob) {
  const auto kernel = ScanKernel(
      "enum Kind { A, B = 2 };\nconst int WIDTH = 4;\ntemplate <typename T> void f(T* x) {}\n"
      "void k(float* c) { for (int i = 0; i < N; i += UNROLL) c[i] = WIDTH * NULL; CHECK(c); }\n",
      "");
  EXPECT_THAT(kernel->undefined, ElementsAre("N", "UNROLL"));
}

TEST(KernelScanTest, BrokenSourcesAreNoReasonToHang) {
  for (const char* source : {"", "/*", "\"", "void f(", "void f(int* x) {", "#define", "}}}{",
                             "#ifndef X\n#define X \\", "extern \"C\" {"}) {
    ScanKernel(source, "").status().IgnoreError();
  }
}

spec::JobSpec Accepted(const std::string& source) {
  const auto kernel = ScanKernel(source, "");
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  const auto text = JobTemplate(*kernel, "cpp", "k.cc");
  EXPECT_TRUE(text.ok()) << text.status();
  const auto spec =
      spec::ReadJob({"job.yaml", *text, {{"k.cc", source}}}, spec::SourceCheck::kRequired);
  EXPECT_TRUE(spec.ok()) << spec.status() << "\n" << *text;
  return *spec;
}

TEST(JobTemplateTest, AKernelThatStandsByItselfIsItsOwnReference) {
  const spec::JobSpec job = Accepted(kVadd);
  EXPECT_EQ(job.name, "vadd");
  EXPECT_EQ(job.reference.kind, spec::Reference::Kind::kFunction);
  EXPECT_EQ(job.reference.entry, "vadd");
  ASSERT_EQ(job.parameters.size(), 2u);
  EXPECT_EQ(job.parameters[0].name, "BLOCK");
  EXPECT_EQ(job.parameters[0].values.size(), 4u);
  ASSERT_EQ(job.arguments.size(), 4u);
  EXPECT_EQ(job.arguments[1].role, spec::Role::kOutput);
  EXPECT_EQ(job.arguments[0].shape, std::vector<int64_t>{65536});
  EXPECT_EQ(std::get<int64_t>(job.arguments[2].value), 65536);
}

TEST(JobTemplateTest, AKernelThatNeedsTheParametersIsUnverified) {
  const spec::JobSpec job =
      Accepted("void k(const float* a, float* c) { c[N * N - ROWS] = a[0]; }\n");
  EXPECT_EQ(job.reference.kind, spec::Reference::Kind::kNone);
  EXPECT_THAT(job.kernels[0].define, ElementsAre("N"));
  EXPECT_EQ(job.parameters[0].name, "ROWS");
  EXPECT_EQ(job.arguments[1].ElementCount(), 64 * 64);
}

TEST(JobTemplateTest, SaysWhatItCouldNotTell) {
  const std::string source = "#define TILE 4\nvoid k(Thing* c, int m, int in) {}\n";
  const std::string text = *JobTemplate(*ScanKernel(source, ""), "cpp", "k.cc");
  EXPECT_THAT(text, HasSubstr("TILE is fixed in the file"));
  EXPECT_THAT(text, HasSubstr("no dtype for 'Thing' is known"));
  Accepted(source);
  EXPECT_FALSE(JobTemplate(*ScanKernel("void k(int n) {}", ""), "cpp", "k.cc").ok());
}

}  // namespace
}  // namespace burnish::cli
