// The run role of the real burnish-worker program, driven through its pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "agent/verify/input_set.h"
#include "common/spec/isolation_level.h"
#include "common/work/control_kernel.h"
#include "tests/unit/agent/worker/worker_driver.h"

namespace burnish::worker {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const op::EinsumOptions kSmallMatmul = {.extents = {{"m", 33}, {"n", 47}, {"k", 70}}};

class RunWorkerTest : public ::testing::Test {
 protected:
  // Shared, so that what several tests compile is compiled once.
  static void SetUpTestSuite() { artefacts_ = new ScratchFolder; }
  static void TearDownTestSuite() { delete artefacts_; }

  pb::Artefact Compiled(const pb::WorkerRequest& request) {
    const pb::WorkerReply reply = build_.Ask(request);
    EXPECT_EQ(reply.compile().outcome(), pb::OUTCOME_OK) << reply.ShortDebugString();
    return reply.compile().artefact();
  }

  template <typename Request>
  void SetTask(const work::TaskDefinition& task, Request& request) {
    request.set_backend("cpu");
    *request.mutable_task() = wire::ToProto(task);
    request.set_task_hash(work::HashOf(task).value());
    request.set_reference_folder(folder_.path("references"));
    if (task.reference.kind == spec::Reference::Kind::kFunction) {
      *request.mutable_reference() = Compiled(CompileReferenceRequest(artefacts_->path(""), task));
    }
  }

  pb::CandidateArtefact Candidate(const work::TaskDefinition& task, int64_t wrong) {
    pb::CandidateArtefact candidate;
    *candidate.mutable_configuration() = wire::ToProto(Configured(wrong));
    *candidate.mutable_artefact() =
        Compiled(CompileRequestFor(artefacts_->path(""), task, Configured(wrong)));
    return candidate;
  }

  pb::WorkerRequest MeasureRequestFor(const work::TaskDefinition& task, int64_t wrong = 0) {
    pb::WorkerRequest request;
    SetTask(task, *request.mutable_measure());
    *request.mutable_measure()->mutable_candidate() = Candidate(task, wrong);
    return request;
  }

  pb::Measurement Measured(const work::TaskDefinition& task, int64_t wrong = 0) {
    const pb::WorkerReply reply = run_.Ask(MeasureRequestFor(task, wrong));
    EXPECT_EQ(reply.refusal(), "");
    EXPECT_TRUE(RunnersBelow(run_.process().pid()).empty()) << "a runner is left";
    return reply.measurement();
  }

  // Of a kernel that does `body` beside the right thing.
  pb::Measurement MeasuredBody(const std::string& body) { return Measured(ScaleTask(body)); }

  static inline ScratchFolder* artefacts_ = nullptr;
  const ScratchFolder folder_;
  WorkerDriver build_{"build"};
  WorkerDriver run_{"run"};
};

TEST_F(RunWorkerTest, MeasuresAGoodKernel) {
  work::TaskDefinition task = ScaleTask("");
  task.measure = {};
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_EQ(measurement.message(), "");
  EXPECT_GE(measurement.samples_size(), 3);
  EXPECT_EQ(measurement.latency().statistic(), "p20");
  EXPECT_GT(measurement.latency().seconds(), 0);
  EXPECT_LT(measurement.latency().seconds(), 1e-3);
  EXPECT_TRUE(measurement.correctness().verified());
  EXPECT_GT(measurement.run_seconds(), 0);
  EXPECT_NE(measurement.environment().entries().at("compiler"), "");
}

TEST_F(RunWorkerTest, CountsWorkspacesAndTheVariablesOfTheCode) {
  const auto bytes_of = [&](const std::string& body) {
    return MeasuredBody(body).figures().memory_bytes();
  };
  const double without = bytes_of("");
  EXPECT_GE(without, 4096) << "the workspace";
  EXPECT_LT(without, 4096 + 64) << "a counter, and a few bytes of the runtime's";
  EXPECT_NEAR(bytes_of("static volatile float tile[1000]; tile[n % 7] = c[0]; c[0] = tile[n % 7];"),
              without + 4000, 128)
      << "and its alignment";
  EXPECT_GT(MeasuredBody("").figures().code_bytes(), 0);
}

// Takes what it computes from a workspace that its `prepare` has filled.
work::TaskDefinition PreparedTask(const std::string& prepare, bool constant) {
  work::TaskDefinition task = ScaleTask("for (int i = 0; i < n; ++i) c[i] = w[i];");
  task.stages[0].source.text +=
      "void prepare(float* a, float* c, float* w, int n) {\n  " + prepare + "\n}\n";
  task.stages[0].prepare = "prepare";
  task.arguments[0].constant = constant;
  return task;
}

TEST_F(RunWorkerTest, PreparesFromConstantInputsAheadOfEveryFreshExecution) {
  const std::string doubles = "for (int i = 0; i < n; ++i) w[i] = 2 * a[i];";
  const pb::Measurement measurement = Measured(PreparedTask(doubles, /*constant=*/true));
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_TRUE(measurement.correctness().verified());
}

TEST_F(RunWorkerTest, PrepareSeesNothingButConstantInputsAndWorkspaces) {
  const pb::Measurement measurement =
      Measured(PreparedTask("if (a == nullptr && c == nullptr) std::abort(); w[0] = n;", false));
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_CRASH);
  EXPECT_THAT(measurement.message(), HasSubstr("Aborted"));
}

TEST_F(RunWorkerTest, TheControlKernelIsRightAndBusyAllTheTime) {
  const pb::Measurement measurement = Measured(*work::ControlKernel("cpu"));
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_TRUE(measurement.correctness().verified());
  // 65,536 dependent steps of a few cycles: no compiler may have found a way around them.
  EXPECT_GT(measurement.latency().min_seconds(), 20e-6);
  EXPECT_LT(measurement.latency().min_seconds(), 2e-3);
}

TEST_F(RunWorkerTest, HonoursNumberAndRepeat) {
  work::TaskDefinition task = ScaleTask("");
  task.measure.number = 7;
  task.measure.repeat = 4;
  const pb::Measurement measurement = Measured(task);
  ASSERT_EQ(measurement.samples_size(), 4);
  EXPECT_EQ(measurement.samples(2).launches(), 7);
}

TEST_F(RunWorkerTest, ColdCachesTakeOneLaunchPerSample) {
  work::TaskDefinition task = ScaleTask("");
  task.measure.number = 0;
  task.measure.cache = spec::CacheState::kCold;
  const pb::Measurement measurement = Measured(task);
  ASSERT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_EQ(measurement.samples(0).launches(), 1);
}

TEST_F(RunWorkerTest, ACrashIsNamedByItsSignal) {
  const pb::Measurement crashed = MeasuredBody("*(volatile int*)nullptr = 1;");
  EXPECT_EQ(crashed.outcome(), pb::OUTCOME_CRASH);
  EXPECT_EQ(crashed.message(),
            "ended by signal 11 (Segmentation fault), running scale with {\"WRONG\": 0}");
  EXPECT_THAT(MeasuredBody("std::abort();").message(), StartsWith("ended by signal 6 (Aborted)"));
  EXPECT_FALSE(crashed.has_latency());
}

TEST_F(RunWorkerTest, EndingTheProcessIsACrash) {
  const pb::Measurement exited = MeasuredBody("_exit(0);");
  EXPECT_EQ(exited.outcome(), pb::OUTCOME_CRASH);
  EXPECT_THAT(exited.message(), StartsWith("ended by exit code 0"));
}

TEST_F(RunWorkerTest, AnEndlessLoopEndsAtTheTimeout) {
  work::TaskDefinition task = ScaleTask("for (volatile int i = 0;; i = 0) {}");
  task.measure.run_timeout_seconds = 0.3;
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_TIMEOUT);
  EXPECT_EQ(measurement.message(), "took longer than its limit of 300ms");
}

TEST_F(RunWorkerTest, WrongInSomeConfigurationsIsWrongThere) {
  const work::TaskDefinition task = ScaleTask("if (WRONG) c[17] += 1;");
  EXPECT_EQ(Measured(task, 0).outcome(), pb::OUTCOME_OK);
  const pb::Measurement wrong = Measured(task, 1);
  EXPECT_EQ(wrong.outcome(), pb::OUTCOME_WRONG_RESULT);
  EXPECT_THAT(wrong.message(), StartsWith("c[17]: "));
  EXPECT_THAT(wrong.message(), HasSubstr("(1 of 1024 elements differ)"));
  EXPECT_EQ(wrong.correctness().worst(), wrong.message());
  EXPECT_FALSE(wrong.correctness().verified());
}

TEST_F(RunWorkerTest, ADroppedTailWasNeverWritten) {
  work::TaskDefinition task = ScaleTask("");
  std::string& text = task.stages[0].source.text;
  text.replace(text.find("i < n"), 5, "i < n - 1");
  EXPECT_THAT(Measured(task).message(), StartsWith("c[1023]: never written, expected "));
}

TEST_F(RunWorkerTest, AnUninitialisedWorkspaceSpoilsTheResult) {
  EXPECT_THAT(MeasuredBody("c[3] += w[5];").message(), StartsWith("c[3]: "));
}

TEST_F(RunWorkerTest, WritingOutsideTheBuffersIsCaught) {
  const pb::Measurement behind = MeasuredBody("c[n] = 1;");
  EXPECT_EQ(behind.outcome(), pb::OUTCOME_WRONG_RESULT);
  EXPECT_EQ(behind.message(), "wrote outside its buffers: byte 1 after the end of 'c'");
  EXPECT_EQ(MeasuredBody("c[-1] = 0;").message(),
            "wrote outside its buffers: byte 4 before the start of 'c'");
  // In timed executions only: calls 1 to 4 are the checked ones before them.
  EXPECT_EQ(MeasuredBody("if (calls == 5) c[n] = 1;").message(), behind.message());
}

TEST_F(RunWorkerTest, ChangingAnInputIsCaught) {
  const pb::Measurement measurement = MeasuredBody("a[0] += 1;");
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_WRONG_RESULT);
  EXPECT_EQ(measurement.message(), "changed its input 'a'");
}

TEST_F(RunWorkerTest, RightOnlyWhileItIsNotTimedIsCaught) {
  const pb::Measurement measurement = MeasuredBody("if (calls > 4) c[0] = 100;");
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_WRONG_RESULT);
  EXPECT_THAT(measurement.message(),
              AllOf(StartsWith("c[0]: 100, expected "), EndsWith(" while it was timed")));
  EXPECT_FALSE(measurement.has_latency());
}

TEST_F(RunWorkerTest, EveryExecutionBeforeTimingIsCheckedAndTheLastIsOnTheInputsAsFilled) {
  for (const auto& [call, where] : {std::pair("1", "differ)"),
                                    {"2", " on structured inputs"},
                                    {"3", " on adversarial inputs"},
                                    {"4", "differ)"}}) {
    EXPECT_THAT(MeasuredBody(std::string("if (calls == ") + call + ") c[0] = 100;").message(),
                EndsWith(where));
  }
}

TEST_F(RunWorkerTest, AJobMayHaveResultsCheckedOnItsOwnInputsAlone) {
  work::TaskDefinition task = ScaleTask("for (int i = 0; i < n; ++i) if (a[i] == 0) c[i] = 7;");
  EXPECT_THAT(Measured(task).message(), EndsWith(" on adversarial inputs"));
  task.measure.varies_inputs = false;
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_TRUE(measurement.correctness().verified());
}

TEST_F(RunWorkerTest, TimedExecutionsHaveToWriteTheirOutputs) {
  const pb::Measurement measurement = MeasuredBody(
      "static float kept[1024]; if (calls == 4) for (int i = 0; i < n; ++i) kept[i] = a[i];\n"
      "if (calls > 4 && kept[5] == a[5]) __builtin_memset(c, 0xff, 4 * n);");
  EXPECT_THAT(measurement.message(), AllOf(StartsWith("c[0]: "), EndsWith(" while it was timed")));
  // Of an inout buffer they find the first content each time.
  work::TaskDefinition task = ScaleTask("");
  task.arguments[1].role = spec::Role::kInout;
  EXPECT_EQ(Measured(task).outcome(), pb::OUTCOME_OK);
}

TEST_F(RunWorkerTest, RightWithinTheToleranceButNotTwiceTheSameIsNondeterministic) {
  const pb::Measurement measurement = MeasuredBody("c[0] *= 1 + 1e-6f * calls;");
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_NONDETERMINISTIC);
  EXPECT_EQ(measurement.message(), "'c' differs between two executions on the same inputs");
}

TEST_F(RunWorkerTest, InoutBuffersStartAnewInEveryCheckedRun) {
  work::TaskDefinition task = ScaleTask("");
  task.arguments[1].role = spec::Role::kInout;
  std::string& text = task.stages[0].source.text;
  text.replace(text.find("c[i] ="), 6, "c[i] +=");
  std::string& reference = task.reference.source.text;
  reference.replace(reference.find("c[i] ="), 6, "c[i] +=");
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
}

TEST_F(RunWorkerTest, EveryTimedExecutionFindsItsInoutBuffersAsTheyWere) {
  for (const spec::CacheState cache : {spec::CacheState::kHot, spec::CacheState::kCold}) {
    work::TaskDefinition task = ScaleTask("if (c[0] > 12) std::abort();");
    task.arguments[1].role = spec::Role::kInout;
    std::string& text = task.stages[0].source.text;
    text.replace(text.find("c[i] = 2 * a[i]"), 15, "c[i] += 8");
    std::string& reference = task.reference.source.text;
    reference.replace(reference.find("c[i] = a[i] + a[i]"), 18, "c[i] += 8");
    task.measure.number = cache == spec::CacheState::kHot ? 5 : 0;
    task.measure.cache = cache;
    const pb::Measurement measurement = Measured(task);
    EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  }
}

TEST_F(RunWorkerTest, WhatIsClearlySlowerThanTheIncumbentIsFlaggedAndStillVerified) {
  work::TaskDefinition task = ScaleTask("if (WRONG) usleep(2000);");
  task.measure.number = 0;
  task.measure.repeat = 0;
  pb::WorkerRequest request = MeasureRequestFor(task, 1);
  request.mutable_measure()->set_incumbent_seconds(1e-4);
  const pb::Measurement raced = run_.Ask(request).measurement();
  EXPECT_EQ(raced.outcome(), pb::OUTCOME_OK) << raced.message();
  EXPECT_THAT(raced.flags(), ElementsAre("raced"));
  EXPECT_EQ(raced.samples_size(), 3);
  EXPECT_TRUE(raced.correctness().verified());
  EXPECT_GT(raced.latency().seconds(), 2e-3);
}

TEST_F(RunWorkerTest, AForgedReplyIsRejected) {
  // The runner's reply, as the candidate could write it itself.
  pb::RunnerReply reply;
  reply.set_elapsed_ns(1);
  const std::string message = reply.SerializeAsString();
  std::string frame = std::to_string(message.size()) + ", 0, 0, 0";
  for (const char byte : message) frame += ", " + std::to_string(static_cast<uint8_t>(byte));
  const pb::Measurement measurement =
      MeasuredBody("static const unsigned char forged[] = {" + frame +
                   "}; (void)!write(3, forged, sizeof(forged)); usleep(1000);");
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_REJECTED);
  EXPECT_EQ(measurement.message(), "meddled with its runner: a reply that nobody had asked for");
}

TEST_F(RunWorkerTest, GarbageFromTheCandidateIsRejected) {
  const pb::Measurement measurement =
      MeasuredBody("(void)!write(3, \"\\1\\0\\0\\0\\377\", 5); usleep(1000);");
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_REJECTED);
  EXPECT_THAT(measurement.message(), StartsWith("meddled with its runner"));
}

TEST_F(RunWorkerTest, WithoutAReferenceNothingIsVerified) {
  work::TaskDefinition task = ScaleTask("c[0] = 100;");
  task.reference = {};
  task.reference.kind = spec::Reference::Kind::kNone;
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_FALSE(measurement.correctness().verified());
}

TEST_F(RunWorkerTest, AnOperatorIsItsOwnReference) {
  const pb::Measurement measurement = Measured(MatmulTask(kSmallMatmul, ""));
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_TRUE(measurement.correctness().verified());
  EXPECT_GT(measurement.correctness().max_relative_error(), 0);
  EXPECT_LT(measurement.correctness().max_relative_error(), 1e-5);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("references")));
}

TEST_F(RunWorkerTest, AnOperatorFindsWrongElements) {
  const auto message = [&](const std::string& body) {
    const pb::Measurement measurement = Measured(MatmulTask(kSmallMatmul, body));
    EXPECT_EQ(measurement.outcome(), pb::OUTCOME_WRONG_RESULT) << body;
    EXPECT_FALSE(measurement.correctness().verified());
    EXPECT_EQ(measurement.correctness().worst(), measurement.message());
    return measurement.message();
  };
  EXPECT_THAT(message("c[M * N - 1] += 1;"), StartsWith("c[32, 46]: "));
  EXPECT_THAT(message("c[(M - 1) * N + 5] += 1;"),
              AllOf(StartsWith("c[32, 5]: "), EndsWith("(1 of 1551 elements differ)")));
  EXPECT_THAT(message("c[7 * N + 3] = NAN;"), StartsWith("c[7, 3]: nan, expected "));
}

TEST_F(RunWorkerTest, ASampleOfALargeOutputFindsMistakesAtTheEdgesAndMissingElements) {
  const op::EinsumOptions large = {.extents = {{"m", 1500}, {"n", 1400}, {"k", 64}}};
  const auto message = [&](const std::string& body) {
    return Measured(MatmulTask(large, body)).message();
  };
  EXPECT_EQ(message(""), "");
  EXPECT_THAT(message("for (int m = 0; m < M; ++m) c[m * N + N - 1] += 1;"),
              AllOf(HasSubstr(", 1399]: "), EndsWith(" checked elements differ)")));
  EXPECT_THAT(message("for (int n = 0; n < N; ++n) c[(M - 1) * N + n] += 1;"),
              StartsWith("c[1499, "));
  // An element that is hardly ever among the sample.
  EXPECT_THAT(message("c[700 * N + 123] = NAN;"), StartsWith("c[700, 123]: nan, expected "));
  EXPECT_THAT(message("unsigned poison = 0xFFF3FFF9; c[700 * N + 124] = 0;"
                      "__builtin_memcpy(&c[700 * N + 124], &poison, 4);"),
              StartsWith("c[700, 124]: never written, expected "));
}

TEST_F(RunWorkerTest, AnIntegerOperatorIsExact) {
  op::EinsumOptions bytes = kSmallMatmul;
  bytes.a = bytes.b = Dtype::kI8;
  bytes.output = Dtype::kI32;
  const pb::Measurement right = Measured(MatmulTask(bytes, ""));
  EXPECT_EQ(right.outcome(), pb::OUTCOME_OK) << right.message();
  EXPECT_EQ(right.correctness().max_relative_error(), 0);
  EXPECT_THAT(Measured(MatmulTask(bytes, "c[40] += 1;")).message(),
              AllOf(StartsWith("c[0, 40]: "), EndsWith("(1 of 1551 elements differ)")));
}

TEST_F(RunWorkerTest, KernelsGetBFloat16AsTheUpperHalfOfAFloat) {
  op::EinsumOptions options = kSmallMatmul;
  options.a = options.b = Dtype::kBf16;
  const pb::Measurement measurement = Measured(MatmulTask(options, ""));
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_LT(measurement.correctness().max_relative_error(), 1e-5);
}

TEST_F(RunWorkerTest, AnOperatorOfOtherArgumentsIsRejected) {
  work::TaskDefinition task = MatmulTask(kSmallMatmul, "");
  task.arguments[2].name = "offsets";
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_REJECTED);
  EXPECT_EQ(measurement.message(),
            "the reference failed: the operator's 'bias' is no such argument");
}

TEST_F(RunWorkerTest, TheReferenceIsComputedOnceAndAgainIfDamaged) {
  const work::TaskDefinition task = ScaleTask("");
  const std::string stored = folder_.path("references/" + work::HashOf(task).value() + ".ref");
  // It is written under another name and then renamed: another file each time.
  const auto identity = [&] {
    struct stat status = {};
    EXPECT_EQ(::stat(stored.c_str(), &status), 0);
    return status.st_ino;
  };
  EXPECT_EQ(Measured(task).outcome(), pb::OUTCOME_OK);
  const auto first = identity();
  EXPECT_EQ(Measured(task, 1).outcome(), pb::OUTCOME_OK);
  EXPECT_EQ(identity(), first);

  std::fstream(stored, std::ios::in | std::ios::out).seekp(100).put('!');
  EXPECT_EQ(Measured(task, 1).outcome(), pb::OUTCOME_OK);
  EXPECT_NE(identity(), first);
}

TEST_F(RunWorkerTest, EverySetOfInputsHasItsReference) {
  const work::TaskDefinition task = ScaleTask("");
  EXPECT_EQ(Measured(task).outcome(), pb::OUTCOME_OK);
  const std::string stored = folder_.path("references/" + work::HashOf(task).value());
  for (const std::string end : {".ref", ".structured.ref", ".adversarial.ref"}) {
    EXPECT_EQ(std::filesystem::file_size(stored + end), 64 + 4096) << end;
  }
  std::ofstream(stored + ".structured.ref", std::ios::trunc).close();
  EXPECT_EQ(Measured(task).outcome(), pb::OUTCOME_OK);
  EXPECT_EQ(std::filesystem::file_size(stored + ".structured.ref"), 64 + 4096);
}

TEST_F(RunWorkerTest, InputsThatAreTheSameInEverySetAreCheckedOnce) {
  work::TaskDefinition task = ScaleTask("if (calls > 2) c[0] = 100;");
  task.arguments[0].fill = {.kind = spec::FillKind::kRamp};
  EXPECT_THAT(Measured(task).message(), EndsWith(" while it was timed"));
}

TEST_F(RunWorkerTest, ASetOnWhichTheReferenceFailsIsLeftOut) {
  // Zeros are among the adversarial inputs alone; the candidate has no need to cope with them.
  const std::string refuses = "for (int i = 0; i < n; ++i) if (a[i] == 0) __builtin_trap();\n";
  work::TaskDefinition task = ScaleTask(refuses);
  task.reference.source.text = "void reference(float* a, float* c, float*, int n) {\n" + refuses +
                               "  for (int i = 0; i < n; ++i) c[i] = a[i] + a[i];\n}\n";
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  EXPECT_TRUE(measurement.correctness().verified());
  EXPECT_EQ(std::filesystem::file_size(
                folder_.path("references/" + work::HashOf(task).value() + ".adversarial.ref")),
            64);
  EXPECT_EQ(Measured(task, 1).outcome(), pb::OUTCOME_OK) << "and stays so";
}

TEST_F(RunWorkerTest, WhereOtherInputsHaveNoNumberForAResultNoneIsAskedFor) {
  // 1 / 0: with -ffast-math anything may come out.
  work::TaskDefinition task = ScaleTask("for (int i = 0; i < n; ++i) c[i] = a[i] ? 1 / a[i] : 7;");
  task.reference.source.text =
      "void reference(float* a, float* c, float*, int n) {\n"
      "  for (int i = 0; i < n; ++i) c[i] = 1 / a[i];\n}\n";
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
}

TEST_F(RunWorkerTest, AReferenceThatFailsRejectsTheCandidate) {
  work::TaskDefinition task = ScaleTask("");
  task.reference.source.text = "void reference(float*, float*, float*, int) { __builtin_trap(); }";
  const pb::Measurement crashed = Measured(task);
  EXPECT_EQ(crashed.outcome(), pb::OUTCOME_REJECTED);
  EXPECT_THAT(crashed.message(), StartsWith("the reference failed: ended by signal"));
  task.reference.source.text = "void reference(float*, float*, float*, int) {}";
  EXPECT_EQ(Measured(task).message(), "the reference failed: it never writes its output 'c'");
  task.reference.source.text =
      "void reference(float*, float* c, float*, int n) {\n"
      "  for (int i = 0; i < n; ++i) c[i] = __builtin_nanf(\"\");\n}\n";
  EXPECT_EQ(Measured(task).message(), "the reference failed: its output 'c' holds no number");
}

TEST_F(RunWorkerTest, AnArtefactThatIsGoneIsNotTheCandidatesFault) {
  pb::WorkerRequest request = MeasureRequestFor(ScaleTask(""));
  request.mutable_measure()->mutable_candidate()->mutable_artefact()->set_path("/nowhere.so");
  EXPECT_EQ(run_.Ask(request).measurement().outcome(), pb::OUTCOME_INFRASTRUCTURE);
}

TEST_F(RunWorkerTest, ComparesFinalistsInAlignedRounds) {
  const work::TaskDefinition task = ScaleTask(
      "if (WRONG == 2) c[1] = 7;\n"
      "if (WRONG == 3 && calls == 8) std::abort();");
  pb::WorkerRequest request;
  pb::CompareRequest& compare = *request.mutable_compare();
  SetTask(task, compare);
  for (const int64_t wrong : {0, 1, 2, 3}) *compare.add_finalists() = Candidate(task, wrong);
  compare.set_rounds(5);
  compare.set_order_seed(11);
  const pb::Comparison comparison = run_.Ask(request).comparison();
  EXPECT_EQ(comparison.outcome(), pb::OUTCOME_OK) << comparison.message();
  ASSERT_EQ(comparison.finalists_size(), 4);
  std::vector<pb::Outcome> outcomes;
  std::vector<int> rounds;
  for (const pb::FinalistSamples& finalist : comparison.finalists()) {
    outcomes.push_back(finalist.outcome());
    rounds.push_back(finalist.rounds_size());
  }
  EXPECT_THAT(outcomes, ElementsAre(pb::OUTCOME_OK, pb::OUTCOME_OK, pb::OUTCOME_WRONG_RESULT,
                                    pb::OUTCOME_CRASH));
  EXPECT_THAT(rounds, ElementsAre(5, 5, 0, ::testing::Lt(5)));
  EXPECT_EQ(comparison.finalists(1).configuration().settings(0).value().integer(), 1);
  EXPECT_TRUE(comparison.finalists(0).correctness().verified());
  EXPECT_THAT(comparison.finalists(3).message(), HasSubstr("Aborted"));
}

TEST_F(RunWorkerTest, FinalistsMeetInputsThatNoCandidateHasSeen) {
  // Right wherever a kernel of this task has been run before.
  std::string known = "false";
  for (const verify::InputSet set : verify::kInputSets) {
    work::TaskDefinition task = ScaleTask("");
    std::vector<float> values(1024);
    verify::FillBuffer(task.arguments[0], set, task.input_seed,
                       std::as_writable_bytes(std::span(values)));
    known += absl::StrFormat(" || a[3] == %af", values[3]);
  }
  const work::TaskDefinition task = ScaleTask("if (!(" + known + ")) c[8] = 9;");
  const pb::Measurement measurement = Measured(task);
  EXPECT_EQ(measurement.outcome(), pb::OUTCOME_OK) << measurement.message();
  const auto files = [&] {
    const std::filesystem::directory_iterator stored(folder_.path("references"));
    return std::distance(begin(stored), end(stored));
  };
  const auto files_before = files();
  pb::WorkerRequest request;
  pb::CompareRequest& compare = *request.mutable_compare();
  SetTask(task, compare);
  *compare.add_finalists() = Candidate(task, 0);
  *compare.add_finalists() = Candidate(ScaleTask(""), 0);
  compare.set_rounds(2);
  const pb::Comparison comparison = run_.Ask(request).comparison();
  ASSERT_EQ(comparison.finalists_size(), 2) << comparison.message();
  EXPECT_EQ(comparison.finalists(0).outcome(), pb::OUTCOME_WRONG_RESULT);
  EXPECT_THAT(comparison.finalists(0).message(), StartsWith("c[8]: 9, expected "));
  EXPECT_EQ(comparison.finalists(1).outcome(), pb::OUTCOME_OK);
  EXPECT_EQ(files(), files_before) << "what they should be is not stored";
}

TEST_F(RunWorkerTest, HangingUpEndsTheRunnerToo) {
  work::TaskDefinition task = ScaleTask("for (volatile int i = 0;; i = 0) {}");
  task.measure.run_timeout_seconds = 600;
  task.reference = {};
  task.reference.kind = spec::Reference::Kind::kNone;
  run_.Send(MeasureRequestFor(task));
  std::vector<pid_t> runners;
  while (runners.empty()) runners = RunnersBelow(run_.process().pid());
  run_.HangUp();
  const auto status = run_.process().Wait(kPatience);
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(status->ok()) << ToText(*status);
  EXPECT_FALSE(Alive(runners[0]));
}

TEST_F(RunWorkerTest, RefusesForeignRequests) {
  EXPECT_EQ(run_.Ask(CompileRequestFor(artefacts_->path(""), ScaleTask(""), {})).refusal(),
            "not a request for a run worker");
  pb::WorkerRequest request = MeasureRequestFor(ScaleTask(""));
  request.mutable_measure()->set_device_index(1);
  EXPECT_THAT(run_.Ask(request).refusal(), HasSubstr("device_index: 1"));
}

// What every level of isolation keeps a candidate from, and that it keeps no honest one from
// anything.
class IsolationLevelTest : public RunWorkerTest,
                           public ::testing::WithParamInterface<spec::IsolationLevel> {
 protected:
  // Nothing if this machine or user does not have the level.
  std::optional<pb::Measurement> MeasuredThere(const work::TaskDefinition& task) {
    const std::string level = spec::IsolationLevelName(GetParam());
    SpawnOptions probe;
    probe.arguments = {ExecutableFolder() + "/burnish-worker", "--role", "probe",
                       "--isolation-ceiling", level};
    const auto found = RunCaptured(probe, kPatience, 4096);
    CHECK_OK(found.status());
    if (spec::IsolationLevelOf(found->output) != GetParam()) return std::nullopt;
    WorkerDriver worker("run", {}, {"--isolation-ceiling", level});
    return worker.Ask(MeasureRequestFor(task)).measurement();
  }
  bool at_least(spec::IsolationLevel level) const { return GetParam() >= level; }
};

TEST_P(IsolationLevelTest, RunsAnHonestKernelWithThreads) {
  const auto measured =
      MeasuredThere(ScaleTask("pthread_t thread; pthread_create(&thread, 0, [](void*) -> void* "
                              "{ return 0; }, 0); pthread_join(thread, 0);"));
  if (!measured) GTEST_SKIP() << "this machine does not have it";
  EXPECT_EQ(measured->outcome(), pb::OUTCOME_OK) << measured->message();
}

TEST_P(IsolationLevelTest, StartsNoProcess) {
  const auto measured = MeasuredThere(ScaleTask("if (fork() == 0) _exit(0);"));
  if (!measured) GTEST_SKIP() << "this machine does not have it";
  EXPECT_EQ(measured->outcome(), at_least(spec::IsolationLevel::kProcess)
                                     ? pb::OUTCOME_SANDBOX_VIOLATION
                                     : pb::OUTCOME_OK)
      << measured->message();
}

TEST_P(IsolationLevelTest, SeesNoFileOfItsUser) {
  const std::string secret = folder_.path("secret");
  std::ofstream(secret) << "secret";
  const auto measured =
      MeasuredThere(ScaleTask("if (access(\"" + secret + "\", F_OK) == 0) c[0] = 1e9;"));
  if (!measured) GTEST_SKIP() << "this machine does not have it";
  EXPECT_EQ(measured->outcome(),
            at_least(spec::IsolationLevel::kNamespace) ? pb::OUTCOME_OK : pb::OUTCOME_WRONG_RESULT)
      << measured->message();
}

INSTANTIATE_TEST_SUITE_P(
    Levels, IsolationLevelTest,
    ::testing::Values(spec::IsolationLevel::kNone, spec::IsolationLevel::kProcess,
                      spec::IsolationLevel::kNamespace, spec::IsolationLevel::kFull),
    [](const auto& info) { return std::string(spec::IsolationLevelName(info.param)); });

TEST_F(RunWorkerTest, WhatACandidateLeftInItsFolderIsGoneForTheNext) {
  const work::TaskDefinition task = ScaleTask(
      "if (calls == 1 && access(\"/tmp/left\", F_OK) == 0) c[0] = 1e9;\n"
      "if (calls == 1 && getppid() == 1) close(open(\"/tmp/left\", O_CREAT, 0600));");
  EXPECT_EQ(Measured(task).outcome(), pb::OUTCOME_OK);
  EXPECT_EQ(Measured(task).outcome(), pb::OUTCOME_OK);
}

TEST(RunWorker, SaysThatABackendHasNoRoofs) {
  WorkerDriver worker("run");
  pb::WorkerRequest request;
  request.set_id(7);
  request.mutable_measure_roofs()->set_backend("null");
  const pb::WorkerReply reply = worker.Ask(request);
  EXPECT_EQ(reply.roofs().peaks_size(), 0);
  EXPECT_EQ(reply.roofs().absence(), "devices of the null backend have none");
  request.mutable_measure_roofs()->set_backend("cpv");
  EXPECT_EQ(worker.Ask(request).refusal(), "unknown backend 'cpv'");
}

}  // namespace
}  // namespace burnish::worker
