// What a person can get wrong, each with a message that names the place and the fix, exit 2, and
// nothing left behind: no process, no job row, no socket, no temporary file.
#include <filesystem>
#include <string>
#include <vector>

#include "SQLiteCpp/SQLiteCpp.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kJob[] = R"(name: scale
kernel:
  language: cpp
  source: {file: kernel.cc}
  entry: scale
  arguments:
    - {name: a, dtype: f32, shape: [n], fill: uniform}
    - {name: c, dtype: f32, shape: [n], role: output}
    - {name: n, dtype: i32, value: n}
  constants: {n: 4096}
  reference: {language: cpp, source: {file: reference.cc}, entry: scale_reference}
  parameters:
    UNROLL: [1, 2, 4, 8]
    MODE: [0, 1, 2]
  default: {UNROLL: 1, MODE: 0}
  constraints: ["n % UNROLL == 0"]
objectives: [latency]
budget: {trials: 4}
)";

class BadInputTest : public ::testing::Test {
 protected:
  BadInputTest() {
    WriteSmallJob(folder_, {});
    for (const char* name : {"run", "tmp"}) fs::create_directories(folder_.path() + "/" + name);
    environment_ = {absl::StrCat("XDG_DATA_HOME=", folder_.path(), "/data"),
                    absl::StrCat("XDG_RUNTIME_DIR=", folder_.path(), "/run"),
                    absl::StrCat("TMPDIR=", folder_.path(), "/tmp")};
  }

  CommandResult Tune(const std::string& path) { return Burnish({"tune", path}, environment_); }

  // The job above with one text replaced.
  CommandResult TuneEdited(const std::string& from, const std::string& to) {
    const std::string text = absl::StrReplaceAll(kJob, {{from, to}});
    EXPECT_NE(text, kJob) << "'" << from << "' is not in the job";
    return Tune(folder_.Write("job.yaml", text));
  }

  // Nothing was started and nothing written.
  void ExpectUntouched() {
    EXPECT_FALSE(fs::exists(folder_.path() + "/data"));
    EXPECT_TRUE(fs::is_empty(folder_.path() + "/run"));
    EXPECT_TRUE(fs::is_empty(folder_.path() + "/tmp"));
    EXPECT_TRUE(ProcessesWith(folder_.path()).empty());
  }

  // A private server was needed to find out; it is gone again and has stored no job.
  void ExpectNoJobAndNothingLeft() {
    EXPECT_TRUE(WaitUntil(
        [&] {
          return ProcessesWith(folder_.path()).empty() && fs::is_empty(folder_.path() + "/run") &&
                 fs::is_empty(folder_.path() + "/tmp");
        },
        absl::Seconds(10)));
    SQLite::Database database(folder_.path() + "/data/burnish/burnish.db", SQLite::OPEN_READONLY);
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM jobs").getInt(), 0);
  }

  TemporaryFolder folder_;
  std::vector<std::string> environment_;
};

struct Edit {
  const char* name;
  const char* from;
  const char* to;
  std::vector<std::string> said;  // all of these stand in the error
};

class EditedJobTest : public BadInputTest, public ::testing::WithParamInterface<Edit> {};

TEST_P(EditedJobTest, IsRefusedWithPlaceAndFix) {
  const CommandResult result = TuneEdited(GetParam().from, GetParam().to);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("error: "));
  for (const std::string& text : GetParam().said) EXPECT_THAT(result.err, HasSubstr(text));
  ExpectUntouched();
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, EditedJobTest,
    ::testing::Values(
        Edit{"NotYaml", "kernel:", "kernel: [", {"job.yaml:"}},
        Edit{"NotUtf8", "name: scale", "name: sc\xff\xfe", {"job.yaml:1", "UTF-8"}},
        Edit{"UnknownKey", "budget:", "bugdet:", {"job.yaml:18", "bugdet", "budget"}},
        Edit{"DuplicateKey",
             "objectives: [latency]",
             "name: again",
             {"job.yaml:17", "name", "duplicate key"}},
        Edit{"Alias", "constants: {n: 4096}", "constants: &c {n: 4096}", {"job.yaml:10"}},
        Edit{"WrongType",
             "budget: {trials: 4}",
             "budget: {trials: many}",
             {"job.yaml:18", "budget.trials"}},
        Edit{"EmptyParameter", "MODE: [0, 1, 2]", "MODE: []", {"job.yaml:14", "MODE"}},
        Edit{"DuplicateParameter",
             "MODE: [0, 1, 2]",
             "UNROLL: [0, 1, 2]",
             {"job.yaml:14", "UNROLL"}},
        Edit{"DuplicateValue", "MODE: [0, 1, 2]", "MODE: [0, 1, 1]", {"job.yaml:14", "MODE"}},
        Edit{"ParameterNamedLikeAnArgument", "MODE", "a", {"job.yaml:14", "argument"}},
        Edit{"ParameterNamedLikeAKeyword", "MODE", "while", {"job.yaml:14", "while"}},
        Edit{"ParameterNamedLikeTheEntry", "MODE", "scale", {"job.yaml:14", "scale", "entry"}},
        Edit{"ConstraintWithUnknownName",
             "n % UNROLL == 0",
             "n % UNROL == 0",
             {"job.yaml:16", "constraints[0]", "UNROL", "did you mean 'UNROLL'"}},
        Edit{"ConstraintSyntax",
             "n % UNROLL == 0",
             "n % (UNROLL == 0",
             {"job.yaml:16", "constraints[0]"}},
        Edit{"ConstraintDividesByZero",
             "n % UNROLL == 0",
             "n % MODE == 0",
             {"constraints[0]", "zero"}},
        Edit{"ConstraintOverflows",
             "n % UNROLL == 0",
             "UNROLL * 9223372036854775807 * 2 > 0",
             {"constraints[0]", "overflow"}},
        Edit{"NothingLeft",
             "n % UNROLL == 0",
             "UNROLL > 8",
             {"the search space is empty", "constraints[0]"}},
        Edit{
            "DefaultBreaksAConstraint", "n % UNROLL == 0", "UNROLL > 1", {"default", "UNROLL > 1"}},
        Edit{"DefaultOutsideTheValues",
             "default: {UNROLL: 1",
             "default: {UNROLL: 3",
             {"job.yaml:15", "default", "3"}},
        Edit{"ShapeZero", "shape: [n], role", "shape: [n - n], role", {"job.yaml:8", "shape"}},
        Edit{"ShapeNegative", "shape: [n], role", "shape: [1 - n], role", {"job.yaml:8", "shape"}},
        Edit{"ShapeNotIntegral",
             "shape: [n], role",
             "shape: [n / 3], role",
             {"job.yaml:8", "shape"}},
        Edit{"SourceMissing",
             "file: kernel.cc",
             "file: kernal.cc",
             {"job.yaml:4", "kernel.source", "kernal.cc"}},
        Edit{"SourceOutside",
             "file: kernel.cc",
             "file: /etc/passwd",
             {"job.yaml:4", "kernel.source", "outside"}},
        Edit{"BudgetZero", "trials: 4", "trials: 0", {"job.yaml:18", "budget.trials"}},
        Edit{"UnknownStrategy",
             "objectives: [latency]",
             "strategy: {name: randon}",
             {"job.yaml:17", "randon", "random"}},
        Edit{"UnknownObjective",
             "objectives: [latency]",
             "objectives: [latencyy]",
             {"job.yaml:17", "latencyy"}},
        Edit{"KeyThisVersionLacks",
             "objectives: [latency]",
             "model: net.onnx",
             {"`model` is not supported by this version"}},
        Edit{"NanConstant", "{n: 4096}", "{n: 4096, x: .nan}", {"job.yaml:10"}},
        Edit{"InfiniteConstant", "{n: 4096}", "{n: 4096, x: .inf}", {"job.yaml:10"}},
        Edit{"NoReference",
             "  reference: {language: cpp, source: {file: reference.cc}, entry: "
             "scale_reference}\n",
             "",
             {"reference: none"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(BadInputTest, TheUneditedJobIsGood) {
  EXPECT_EQ(Burnish({"validate", folder_.Write("job.yaml", kJob)}).exit_code, 0);
}

TEST_F(BadInputTest, AFileThatIsNotThere) {
  const CommandResult result = Tune(folder_.path() + "/no.yaml");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no.yaml"));
  ExpectUntouched();
}

TEST_F(BadInputTest, AFolder) {
  const CommandResult result = Tune(folder_.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is a folder"));
  ExpectUntouched();
}

TEST_F(BadInputTest, WithJsonAnErrorIsOneJsonLineOnStandardError) {
  const CommandResult result =
      Burnish({"tune", folder_.path() + "/no.yaml", "--json"}, environment_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  const auto document = nlohmann::json::parse(result.err, nullptr, false);
  ASSERT_TRUE(document.is_object()) << result.err;
  for (const char* key : {"code", "message", "hint", "path"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
}

TEST_F(BadInputTest, UnknownBackendTellsWhichThereAre) {
  const CommandResult result = TuneEdited("objectives: [latency]", "devices: {backend: cudda}");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown backend 'cudda'"));
  EXPECT_THAT(result.err, HasSubstr("known: cpu"));
  ExpectUntouched();
}

TEST_F(BadInputTest, NoMatchingDeviceTellsWhyEachFails) {
  const CommandResult result = TuneEdited("objectives: [latency]", "devices: \"cores > 100000\"");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no device matches"));
  EXPECT_THAT(result.err, HasSubstr("cores > 100000"));
  EXPECT_THAT(result.err, HasSubstr("cpu:0"));
  ExpectNoJobAndNothingLeft();
}

TEST_F(BadInputTest, NoCompilerOnThePath) {
  environment_.push_back("PATH=" + folder_.path() + "/run");
  const CommandResult result = Tune(folder_.Write("job.yaml", kJob));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no C++ compiler on the PATH"));
  ExpectNoJobAndNothingLeft();
}

TEST_F(BadInputTest, AServerThatIsNotThere) {
  const CommandResult result = Burnish({"tune", folder_.Write("job.yaml", kJob), "--server",
                                        "127.0.0.1:1", "--connect-timeout", "0.5"},
                                       environment_);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("127.0.0.1:1"));
  ExpectUntouched();
}

TEST_F(BadInputTest, AnEntryThatIsNotInTheSourceFailsTheJobWithItsName) {
  const CommandResult result = TuneEdited("entry: scale\n", "entry: scalee\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("scalee"));
  EXPECT_THAT(result.out, HasSubstr("compile_error 4"));
}

TEST_F(BadInputTest, ATypingMistakeInAVerbNamesTheNearest) {
  const CommandResult result = Burnish({"tun", "job.yaml"}, environment_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean 'tune'?"));
  ExpectUntouched();
}

TEST_F(BadInputTest, NoVerbAtAllPrintsTheHelp) {
  const CommandResult result = Burnish({}, environment_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("Exit codes:"));
  ExpectUntouched();
}

TEST_F(BadInputTest, AnUnknownJobIsNamed) {
  const CommandResult result = Burnish({"show", "j99"}, environment_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("j99"));
  const CommandResult nonsense = Burnish({"show", "latest"}, environment_);
  EXPECT_EQ(nonsense.exit_code, 2);
  EXPECT_THAT(nonsense.err, HasSubstr("j42"));
}

}  // namespace
}  // namespace burnish::e2e
