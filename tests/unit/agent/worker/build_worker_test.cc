// The build role of the real burnish-worker program, driven through its pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/worker/worker_driver.h"

namespace burnish::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

pb::WorkerRequest DescribeRequestFor(const std::string& backend) {
  pb::WorkerRequest request;
  request.mutable_describe()->set_backend(backend);
  return request;
}

TEST(BuildWorkerTest, DescribesTheCpu) {
  WorkerDriver worker("build");
  const pb::WorkerReply reply = worker.Ask(DescribeRequestFor("cpu"));
  ASSERT_EQ(reply.describe().devices_size(), 1);
  const pb::DeviceInfo& cpu = reply.describe().devices(0);
  EXPECT_EQ(cpu.backend(), "cpu");
  EXPECT_THAT(cpu.languages(), ::testing::ElementsAre("cpp"));
  EXPECT_EQ(cpu.unavailable_reason(), "");
  EXPECT_NE(cpu.environment().entries().at("compiler"), "");
}

TEST(BuildWorkerTest, WithoutACompilerTheDeviceSaysSo) {
  WorkerDriver worker("build", {"PATH=/nowhere"});
  const pb::WorkerReply reply = worker.Ask(DescribeRequestFor("cpu"));
  ASSERT_EQ(reply.describe().devices_size(), 1);
  EXPECT_EQ(reply.describe().devices(0).languages_size(), 0);
  EXPECT_EQ(reply.describe().devices(0).unavailable_reason(),
            "no C++ compiler on the PATH (looked for g++, clang++, c++)");
  EXPECT_NE(reply.describe().devices(0).device_class(), "");
}

TEST(BuildWorkerTest, ACompilerThatIsNamedButNotThereIsNamed) {
  WorkerDriver worker("build", {"PATH=/usr/bin:/bin", "BURNISH_CXX=/nowhere/c++"});
  const pb::WorkerReply reply = worker.Ask(DescribeRequestFor("cpu"));
  EXPECT_EQ(reply.describe().devices(0).unavailable_reason(),
            "BURNISH_CXX: '/nowhere/c++' is not a program");
}

TEST(BuildWorkerTest, ClangServesAsWell) {
  if (!FindProgram("clang++")) GTEST_SKIP() << "no clang++ on the PATH";
  const ScratchFolder folder;
  WorkerDriver worker("build", {"PATH=" + *EnvironmentVariable("PATH"), "BURNISH_CXX=clang++"});
  work::TaskDefinition task = ScaleTask("");
  const auto compile = [&] {
    return worker.Ask(CompileRequestFor(folder.path("artefacts"), task, Configured(0))).compile();
  };
  EXPECT_EQ(compile().outcome(), pb::OUTCOME_OK) << compile().message();
  task.stages[0].entry = "scaled";
  EXPECT_THAT(compile().message(),
              StartsWith("kernel.entry: 'scaled' is not declared in scale.cc"));
}

TEST(BuildWorkerTest, RefusesUnknownBackendsAndForeignRequests) {
  WorkerDriver worker("build");
  EXPECT_THAT(worker.Ask(DescribeRequestFor("cpi")).refusal(), HasSubstr("unknown backend 'cpi'"));
  pb::WorkerRequest measure;
  measure.mutable_measure();
  EXPECT_EQ(worker.Ask(measure).refusal(), "not a request for a build worker");
  pb::WorkerRequest compile;
  compile.mutable_compile()->set_backend("cpu");
  EXPECT_NE(worker.Ask(compile).refusal(), "");
}

TEST(BuildWorkerTest, CompilesACandidateWithItsMacrosAndFlags) {
  const ScratchFolder folder;
  WorkerDriver worker("build");
  work::TaskDefinition task = ScaleTask("static_assert(WRONG == 7 && OPTION == 7);");
  task.stages[0].flags = {"-DOPTION={WRONG}"};
  const pb::WorkerReply reply =
      worker.Ask(CompileRequestFor(folder.path("artefacts"), task, Configured(7)));
  EXPECT_EQ(reply.compile().outcome(), pb::OUTCOME_OK) << reply.ShortDebugString();
  EXPECT_TRUE(std::filesystem::exists(reply.compile().artefact().path()));
  EXPECT_GT(reply.compile().seconds(), 0);
  EXPECT_FALSE(reply.compile().cached());
  EXPECT_TRUE(worker.Ask(CompileRequestFor(folder.path("artefacts"), task, Configured(7)))
                  .compile()
                  .cached());
}

TEST(BuildWorkerTest, ACompileErrorKeepsTheUsersLine) {
  const ScratchFolder folder;
  WorkerDriver worker("build");
  const pb::WorkerReply reply = worker.Ask(
      CompileRequestFor(folder.path("artefacts"), ScaleTask("c[0] = nothing;"), Configured(0)));
  EXPECT_EQ(reply.compile().outcome(), pb::OUTCOME_COMPILE_ERROR);
  EXPECT_THAT(reply.compile().message(), StartsWith("scale.cc:9:10: error:"));
}

TEST(BuildWorkerTest, TheReferenceIsCompiledWithoutTheParameters) {
  const ScratchFolder folder;
  WorkerDriver worker("build");
  work::TaskDefinition task = ScaleTask("");
  EXPECT_EQ(worker.Ask(CompileReferenceRequest(folder.path("artefacts"), task)).compile().outcome(),
            pb::OUTCOME_OK);
  task.reference.source.text += "int use = WRONG;";
  const pb::WorkerReply reply = worker.Ask(CompileReferenceRequest(folder.path("artefacts"), task));
  EXPECT_EQ(reply.compile().outcome(), pb::OUTCOME_COMPILE_ERROR);
  EXPECT_THAT(reply.compile().message(), HasSubstr("WRONG"));
}

TEST(BuildWorkerTest, HangingUpEndsTheCompilerToo) {
  const ScratchFolder folder;
  WorkerDriver worker("build");
  work::TaskDefinition task = ScaleTask("constexpr long k = count(); c[0] = k;");
  task.stages[0].source.text =
      "constexpr long count() { long i = 0; while (i < 1000000000000) ++i; return i; }\n" +
      task.stages[0].source.text;
  task.stages[0].flags = {"-fconstexpr-ops-limit=2000000000", "-fconstexpr-loop-limit=2000000000"};
  task.measure.compile_timeout_seconds = 600;
  worker.Send(CompileRequestFor(folder.path("artefacts"), task, Configured(0)));
  pid_t compiler = 0;
  // Not the short run that asks the compiler for its version.
  while (compiler == 0 || ChildrenOf(compiler).empty()) {
    compiler = WaitForChildren(worker.process().pid())[0];
  }
  const std::vector<pid_t> passes = ChildrenOf(compiler);
  worker.HangUp();
  const auto status = worker.process().Wait(kPatience);
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(status->ok()) << ToText(*status);
  EXPECT_FALSE(Alive(compiler));
  for (const pid_t pass : passes) {
    while (Alive(pass)) {  // killed, but nobody's to wait for
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("artefacts"))) {
    ADD_FAILURE() << "left over: " << entry.path();
  }
}

TEST(BuildWorkerTest, RefusesABadCommandLine) {
  WorkerDriver worker("cook");
  EXPECT_EQ(worker.process().Wait(kPatience)->code, 2);
}

}  // namespace
}  // namespace burnish::worker
