#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/backends/cpu/compiler.h"
#include "agent/backends/cpu/diagnostics.h"
#include "agent/backends/cpu/flags.h"
#include "agent/backends/cpu/kernel.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/random.h"

namespace burnish::backends::cpu {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

spec::Argument BufferArgument(std::string name) {
  spec::Argument argument;
  argument.name = std::move(name);
  argument.is_buffer = true;
  argument.shape = {4};
  return argument;
}

class CpuCompilerTest : public ::testing::Test {
 protected:
  CpuCompilerTest()
      : folder_(std::filesystem::temp_directory_path() / ("burnish-cpu-" + RandomHexId())) {
    job_.kernel.language = "cpp";
    job_.kernel.source.file = "conv.cc";
    job_.kernel.source.text =
        "void conv(const float* a, float* c, int n) {\n"
        "  for (int i = 0; i < n; ++i) c[i] = FACTOR * a[i];\n"
        "}\n";
    job_.kernel.entry = "conv";
    job_.macros = "#define FACTOR 3\n";
    spec::Argument n;
    n.name = "n";
    n.dtype = Dtype::kI32;
    job_.arguments = {BufferArgument("a"), BufferArgument("c"), n};
    job_.artefact_folder = (folder_ / "artefacts").string();
    job_.timeout = absl::Seconds(60);
  }
  ~CpuCompilerTest() override { std::filesystem::remove_all(folder_); }

  CompileResult Compile() { return CpuCompiler().Compile(job_); }
  // What the artefact folder holds beside artefacts.
  std::vector<std::string> LeftOver() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(job_.artefact_folder)) {
      if (entry.path().extension() != ".so") names.push_back(entry.path().filename());
    }
    return names;
  }

  const std::filesystem::path folder_;
  CompileJob job_;
};

TEST_F(CpuCompilerTest, CompilesAKernelThatRuns) {
  const CompileResult result = Compile();
  ASSERT_EQ(result.outcome, work::Outcome::kOk) << result.message;
  EXPECT_FALSE(result.cached);
  EXPECT_THAT(LeftOver(), IsEmpty());

  float a[] = {1, 2, 3, 4};
  float c[] = {0, 0, 0, 0};
  int n = 3;
  const auto kernel =
      CpuLoader().Load({.artefact_path = result.artefact.path, .arguments = {a, c, &n}});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_GE((*kernel)->Run(2).value(), 0);
  EXPECT_THAT(c, ::testing::ElementsAre(3, 6, 9, 0));
  (*kernel)->FlushCaches();
}

TEST_F(CpuCompilerTest, CompilesTheSameOnlyOnce) {
  const CompileResult first = Compile();
  const CompileResult again = Compile();
  EXPECT_TRUE(again.cached);
  EXPECT_EQ(again.artefact.path, first.artefact.path);
  job_.macros = "#define FACTOR 4\n";
  const CompileResult other = Compile();
  EXPECT_FALSE(other.cached);
  EXPECT_NE(other.artefact.key, first.artefact.key);
  job_.kernel.flags = {"-O1"};
  EXPECT_NE(Compile().artefact.key, other.artefact.key);
}

TEST_F(CpuCompilerTest, CountsTheVariablesThatTheCandidateKeeps) {
  const auto plain = CpuCompiler().FootprintOf(Compile().artefact.path);
  ASSERT_TRUE(plain.has_value());
  EXPECT_GT(plain->code_bytes, 0);
  EXPECT_LT(plain->variable_bytes, 64) << "a few bytes of the C runtime's";
  job_.kernel.source.text +=
      "\nint zeroes[100];\nint ones[100] = {1};\nthread_local int own[100];\n"
      "const int fixed[100] = {1};\nint* use() { return zeroes + ones[0] + own[0] + fixed[0]; }\n";
  const auto more = CpuCompiler().FootprintOf(Compile().artefact.path);
  EXPECT_NEAR(more->variable_bytes, plain->variable_bytes + 1200, 128) << "and their alignment";
}

TEST_F(CpuCompilerTest, WhatIsNoLibraryHasNoFootprint) {
  EXPECT_EQ(CpuCompiler().FootprintOf("/nowhere/kernel.so"), std::nullopt);
  std::filesystem::create_directories(folder_);
  const std::string path = folder_ / "cut.so";
  for (const std::string content : {std::string(), std::string("\177ELF"), std::string(64, 'x')}) {
    ASSERT_TRUE(WriteFileAtomically(path, content, false).ok());
    EXPECT_EQ(CpuCompiler().FootprintOf(path), std::nullopt);
  }
}

TEST_F(CpuCompilerTest, ErrorsKeepTheUsersFileAndLine) {
  job_.kernel.source.text =
      "\nvoid conv(const float* a, float* c, int n) {\n  c[0] = missing;\n}\n";
  const CompileResult result = Compile();
  EXPECT_EQ(result.outcome, work::Outcome::kCompileError);
  EXPECT_THAT(result.message, StartsWith("conv.cc:3:10: error: "));
  EXPECT_THAT(result.message, HasSubstr("missing"));
  EXPECT_THAT(result.message, Not(HasSubstr(folder_.string())));
  EXPECT_THAT(result.message, Not(HasSubstr("burnish wrapper")));
  EXPECT_THAT(LeftOver(), IsEmpty());
}

TEST_F(CpuCompilerTest, SaysThatTheEntryIsNotDeclared) {
  job_.kernel.entry = "convolve";
  EXPECT_THAT(Compile().message, StartsWith("kernel.entry: 'convolve' is not declared in conv.cc"));
  job_.role = "reference";
  EXPECT_THAT(Compile().message, StartsWith("reference.entry: 'convolve' is not declared in"));
}

TEST_F(CpuCompilerTest, SaysThatTheArgumentsDoNotFit) {
  job_.arguments.pop_back();
  const CompileResult result = Compile();
  EXPECT_EQ(result.outcome, work::Outcome::kCompileError);
  EXPECT_THAT(result.message,
              StartsWith("kernel.arguments: they do not fit the parameters of 'conv' in conv.cc"));
}

TEST_F(CpuCompilerTest, AnUndefinedFunctionIsACompileError) {
  job_.kernel.source.text =
      "void other(float*);\nvoid conv(const float*, float* c, int) { other(c); }\n";
  const CompileResult result = Compile();
  EXPECT_EQ(result.outcome, work::Outcome::kCompileError);
  EXPECT_THAT(result.message, HasSubstr("undefined reference to `other(float*)'"));
  EXPECT_THAT(result.message, Not(HasSubstr(folder_.string())));
}

TEST_F(CpuCompilerTest, RefusesFlagsThatReachOtherFiles) {
  job_.kernel.flags = {"-O2", "-fplugin=evil.so"};
  const CompileResult result = Compile();
  EXPECT_EQ(result.outcome, work::Outcome::kCompileError);
  EXPECT_THAT(result.message, StartsWith("kernel.flags: '-fplugin=evil.so' is not allowed"));
}

TEST_F(CpuCompilerTest, EndsACompilationAtItsDeadline) {
  job_.kernel.source.text =
      "constexpr long count() { long i = 0; while (i < 1000000000000) ++i; return i; }\n"
      "void conv(const float*, float* c, int) { constexpr long k = count(); c[0] = k; }\n";
  job_.kernel.flags = {"-fconstexpr-ops-limit=2000000000", "-fconstexpr-loop-limit=2000000000"};
  job_.timeout = absl::Milliseconds(300);
  const CompileResult result = Compile();
  EXPECT_EQ(result.outcome, work::Outcome::kCompileTimeout) << result.message;
  EXPECT_EQ(result.message, "the compiler took longer than 300ms");
  EXPECT_THAT(LeftOver(), IsEmpty());
}

TEST_F(CpuCompilerTest, GivesUpWhenCancelled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[1]);  // hung up
  job_.cancel_fd = ends[0];
  EXPECT_EQ(Compile().outcome, work::Outcome::kInfrastructure);
  ::close(ends[0]);
}

TEST_F(CpuCompilerTest, AFileNameCannotLeaveItsLineDirective) {
  job_.kernel.source.file = "a\"\n#error b\\.cc";
  EXPECT_EQ(Compile().outcome, work::Outcome::kOk) << Compile().message;
}

TEST(FlagsTest, AcceptsWhatTunersTune) {
  EXPECT_EQ(RefusedFlag({"-O2", "-Ofast", "-march=native", "-mavx2", "-funroll-loops", "-DN=4",
                         "-DPATH=\"/a\"", "-std=c++17", "-ffast-math", "-fopenmp", "-lm", "-g",
                         "--param=max-unroll-times=8", "-Wno-all", "-mprefer-vector-width=512"}),
            std::nullopt);
}

TEST(FlagsTest, RefusesEachThatNamesFilesOrPrograms) {
  for (const char* flag : {"-o",
                           "x.cc",
                           "@file",
                           "-include",
                           "-I/etc",
                           "-I.",
                           "-B.",
                           "-x",
                           "-specs=a",
                           "-wrapper",
                           "-fplugin=a.so",
                           "-fplugin-arg-a",
                           "-fpass-plugin=a.so",
                           "-fdump-tree-all",
                           "-fprofile-use=a",
                           "-fuse-ld=a",
                           "-Wl,-o,a",
                           "-Wa,a",
                           "-Wp,a",
                           "-MD",
                           "-E",
                           "-S",
                           "-save-temps",
                           "-dumpdir",
                           "-Xlinker",
                           "-Xclang",
                           "-T",
                           "-L/lib",
                           "-l/x",
                           "-D",
                           "-mllvm",
                           "--sysroot=/",
                           "-isystem",
                           "-iquote",
                           "-fsanitize-blacklist=/etc/passwd",
                           "",
                           "-"}) {
    EXPECT_EQ(RefusedFlag({flag}), flag);
  }
}

TEST(CompileMessageTest, KeepsErrorsWithinTheLimit) {
  std::string output = "conv.cc: In function 'void conv()':\nconv.cc:1:1: error: first\n";
  for (int i = 0; i < 10'000; ++i) output += "conv.cc:2:1: error: more of it\n";
  const std::string message = CompileMessage({}, output, "/tmp/x");
  EXPECT_THAT(message, StartsWith("conv.cc:1:1: error: first\n"));
  EXPECT_EQ(message.size(), limits::kOutcomeMessageBytes);
}

}  // namespace
}  // namespace burnish::backends::cpu
