// Small texts as other tuners write them, each with a deviation that occurs in published files.
#include "common/measured/reader.h"

#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/measured/writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::measured {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using work::Outcome;

MeasuredSpace ReadOk(const std::string& text, const std::string& name = "x.json") {
  absl::StatusOr<MeasuredSpace> space = Read(name, text);
  EXPECT_TRUE(space.ok()) << space.status();
  return space.ok() ? *std::move(space) : MeasuredSpace{};
}
std::string ErrorOf(const std::string& text) {
  const auto space = Read("x.json", text);
  EXPECT_FALSE(space.ok());
  EXPECT_TRUE(DiagnosticOf(space.status()).has_value()) << space.status();
  return std::string(space.status().message());
}
// "2 False" for each record: its values.
std::string ValuesOf(const MeasuredSpace& space, size_t record) {
  std::string text;
  for (size_t p = 0; p < space.parameters.size(); ++p) {
    text += expr::FormatValue(space.parameters[p].values[space.records[record].values[p]]) + " ";
  }
  return text;
}

// --- T4 -----------------------------------------------------------------------------------------

std::string T4(const std::string& rows, const std::string& head = "") {
  return "{" + head + "\"schema_version\": \"1.0.0\", \"results\": [" + rows + "]}";
}
std::string T4Row(const std::string& configuration, const std::string& rest) {
  return "{\"configuration\": {" + configuration + "}, " + rest + "}";
}
constexpr char kCorrect[] = R"("invalidity": "correct", "correctness": 1)";

TEST(T4Test, ATimeIsTheMeanOfTheRunsElseTheFigure) {
  const MeasuredSpace space =
      ReadOk(T4(T4Row(R"("wg": 64, "mode": "b")", absl::StrCat(R"("times": {"compilation": 40,
             "framework": 2, "runtimes": [2, 4]}, "measurements": [{"name": "time", "value": 9,
             "unit": "ms"}, {"name": "GFLOP/s", "value": 7, "unit": "G"}], )",
                                                               kCorrect)) +
                "," +
                T4Row(R"("mode": "a", "wg": 32)",
                      absl::StrCat(R"("times": {"compilation_time": 5}, "measurements":
             [{"name": "time", "value": 30, "unit": "us"}], "objectives": ["time"], )",
                                   kCorrect))),
             "folder/gemm-X.t4.json.gz");
  EXPECT_EQ(space.name, "gemm-X");
  EXPECT_EQ(space.format, "t4");
  ASSERT_EQ(space.parameters.size(), 2);
  EXPECT_EQ(space.parameters[0].name, "wg");
  ASSERT_EQ(space.records.size(), 2);
  EXPECT_EQ(ValuesOf(space, 0), "64 'b' ");
  EXPECT_THAT(space.records[0].values, ElementsAre(1, 1));  // values ascend
  EXPECT_EQ(ValuesOf(space, 1), "32 'a' ");
  const Record& runs = space.records[0];
  EXPECT_THAT(runs.latency_seconds, DoubleNear(3e-3, 1e-15));
  EXPECT_THAT(runs.samples_seconds, ElementsAre(2e-3, 4e-3));
  EXPECT_THAT(runs.compile_seconds, DoubleNear(40e-3, 1e-15));
  ASSERT_EQ(runs.metrics.size(), 2);
  EXPECT_EQ(runs.metrics[0].name, "framework");
  EXPECT_EQ(runs.metrics[1].unit, "G");
  EXPECT_THAT(space.records[1].latency_seconds, DoubleNear(30e-6, 1e-15));
  EXPECT_THAT(space.records[1].compile_seconds, DoubleNear(5e-3, 1e-15));
  EXPECT_THAT(space.warnings, IsEmpty());
}

TEST(T4Test, TheUnitOfTimeIsReadAlsoMisspelt) {
  const std::string row =
      T4Row("\"a\": 1", absl::StrCat("\"times\": {\"runtimes\": [2]}, ", kCorrect));
  for (const auto& [unit, seconds] : {std::pair("miliseconds", 2e-3),
                                      {"milliseconds", 2e-3},
                                      {"seconds", 2.0},
                                      {"microseconds", 2e-6},
                                      {"ns", 2e-9}}) {
    const std::string head = absl::StrCat(R"("metadata": {"timeunit": ")", unit, "\"}, ");
    EXPECT_EQ(ReadOk(T4(row, head)).records[0].latency_seconds, seconds) << unit;
  }
  EXPECT_THAT(ErrorOf(T4(row, R"("metadata": {"timeunit": "days"}, )")),
              HasSubstr("metadata.timeunit: is no unit of time: 'days'"));
}

TEST(T4Test, FailedRowsHoldTheFailureInPlaceOfATime) {
  std::string rows;
  int value = 0;
  for (const char* invalidity : {"compile", "runtime", "timeout", "correctness", "constraints"}) {
    rows += T4Row(absl::StrCat("\"a\": ", value++),
                  absl::StrCat("\"times\": {\"compilation\": 1}, \"invalidity\": \"", invalidity,
                               "\", \"correctness\": 0")) +
            ",";
  }
  rows += T4Row("\"a\": 9", R"("times": {}, "invalidity": "compile", "correctness": 0,
      "measurements": [{"name": "time", "value": "CompilationFailedConfig", "unit": ""}])");
  const MeasuredSpace space = ReadOk(T4(rows));
  const Outcome expected[] = {Outcome::kCompileError, Outcome::kCrash,    Outcome::kTimeout,
                              Outcome::kWrongResult,  Outcome::kRejected, Outcome::kCompileError};
  ASSERT_EQ(space.records.size(), std::size(expected));
  for (size_t i = 0; i < space.records.size(); ++i) {
    EXPECT_EQ(space.records[i].outcome, expected[i]) << i;
  }
  EXPECT_EQ(space.records.back().message, "CompilationFailedConfig");
}

TEST(T4Test, OfAConfigurationThatOccursTwiceTheLastRowCounts) {
  const auto row = [](const char* ms, const char* a) {
    return T4Row(absl::StrCat("\"a\": ", a),
                 absl::StrCat("\"times\": {\"runtimes\": [", ms, "]}, ", kCorrect));
  };
  const MeasuredSpace space =
      ReadOk(T4(row("1", "1") + "," + row("2", "2") + "," + row("3", "1.0") + "," + row("4", "1")));
  ASSERT_EQ(space.records.size(), 2);
  EXPECT_THAT(space.records[0].latency_seconds, DoubleNear(4e-3, 1e-15));
  EXPECT_THAT(space.warnings,
              ElementsAre("results[2].configuration: the configuration occurs again; its last "
                          "record counts (and 1 more)"));
}

TEST(T4Test, ErrorsNameThePlace) {
  EXPECT_THAT(ErrorOf(T4(T4Row("\"a\": 1", "\"times\": {}, \"invalidity\": \"gone\""))),
              HasSubstr("results[0].invalidity: is no outcome of T4: 'gone'"));
  EXPECT_THAT(ErrorOf(T4(T4Row("\"a\": [1]", kCorrect))),
              HasSubstr("results[0].configuration.a: is no value for a parameter"));
  const std::string first = T4Row("\"a\": 1", kCorrect) + ",";
  EXPECT_THAT(ErrorOf(T4(first + T4Row("\"b\": 1", kCorrect))),
              HasSubstr("results[1].configuration: the parameter 'b' is not in the rows before"));
  EXPECT_THAT(ErrorOf(T4(first + T4Row("", kCorrect))),
              HasSubstr("results[1].configuration: the parameter 'a' has no value"));
  EXPECT_THAT(ErrorOf(T4("7")), HasSubstr("results[0]: the object 'configuration' is missing"));
  EXPECT_THAT(ErrorOf(T4("")), HasSubstr("the file holds no record"));
  EXPECT_THAT(ErrorOf("{\"results\":\n [1, }"), HasSubstr("2:6: not JSON: "));
  EXPECT_THAT(ErrorOf("{\"results\": [{\"a\": 1"), HasSubstr("the file ends early"));
}

TEST(T4Test, ATimeThatIsNoNumberMakesTheRecordUnstable) {
  const MeasuredSpace space =
      ReadOk(T4(T4Row("\"a\": 1", absl::StrCat(R"("times": {"runtimes": [NaN, -Infinity]},
      "measurements": [{"name": "time", "value": NaN}], )",
                                               kCorrect)) +
                "," +
                T4Row("\"a\": \"NaN\"",
                      absl::StrCat(R"("times": {"runtimes": [Infinity, 2]}, )", kCorrect))));
  EXPECT_EQ(space.records[0].outcome, Outcome::kUnstable);
  EXPECT_EQ(space.records[1].outcome, Outcome::kOk);
  EXPECT_THAT(space.records[1].samples_seconds, ElementsAre(2e-3));
  EXPECT_EQ(ValuesOf(space, 1), "'NaN' ");
  EXPECT_EQ(space.warnings.size(), 2);
}

// --- Kernel Tuner's cache -----------------------------------------------------------------------

constexpr char kCacheHead[] = R"({"device_name": "Card", "kernel_name": "scale",
"problem_size": 4096, "tune_params_keys": ["wg", "fast", "mode"],
"tune_params": {"fast": [true, false], "wg": [64, 32], "mode": ["a,b", "c"]}, )";
constexpr char kFirst[] = R"(
"64,True,a,b": {"wg": 64, "fast": true, "mode": "a,b", "time": 9, "times": [1, 3],
 "compile_time": 50, "framework_time": 2.5, "GFLOP/s": 8})";
constexpr char kSecond[] = R"(,
"32,False,c": {"wg": 32.0, "fast": false, "mode": "c", "time": 4})";

std::string Cache(const std::string& records, const std::string& end = "}}") {
  return std::string(kCacheHead) + "\"cache\": {" + records + end;
}
std::string Failed(const std::string& fields) {
  return R"("k": {"wg": 64, "fast": true, "mode": "c", )" + fields + "}";
}

TEST(KernelTunerCacheTest, ReadsHeaderAndRecords) {
  const MeasuredSpace space = ReadOk(Cache(std::string(kFirst) + kSecond), "conv.cache.json");
  EXPECT_EQ(space.name, "conv");
  EXPECT_EQ(space.format, "cache");
  EXPECT_EQ(space.device, "Card");
  EXPECT_EQ(space.kernel, "scale");
  ASSERT_EQ(space.parameters.size(), 3);
  EXPECT_EQ(space.parameters[0].values.front(), expr::Value(int64_t{64}));  // as declared
  ASSERT_EQ(space.records.size(), 2);
  EXPECT_EQ(ValuesOf(space, 0), "64 true 'a,b' ");
  EXPECT_EQ(ValuesOf(space, 1), "32 false 'c' ");  // 32.0 is 32
  const Record& record = space.records[0];
  EXPECT_THAT(record.latency_seconds, DoubleNear(2e-3, 1e-15));
  EXPECT_THAT(record.compile_seconds, DoubleNear(50e-3, 1e-15));
  ASSERT_EQ(record.metrics.size(), 2);
  EXPECT_EQ(record.metrics[0].unit, "ms");
  EXPECT_EQ(record.metrics[1].name, "GFLOP/s");
  EXPECT_THAT(space.records[1].latency_seconds, DoubleNear(4e-3, 1e-15));
  EXPECT_THAT(space.warnings, IsEmpty());
}

TEST(KernelTunerCacheTest, AFileThatIsStillOpenIsRead) {
  const MeasuredSpace space = ReadOk(Cache(std::string(kFirst) + kSecond, ",\n"));
  EXPECT_EQ(space.records.size(), 2);
  EXPECT_THAT(space.warnings, ElementsAre(HasSubstr("was not closed by its tuner")));
}

TEST(KernelTunerCacheTest, ARecordThatWasCutIsLeftOut) {
  const std::string whole = Cache(std::string(kFirst) + kSecond, "");
  const size_t second = whole.find("\n\"32,");
  for (size_t length = second + 2; length < whole.size(); ++length) {
    const MeasuredSpace space = ReadOk(whole.substr(0, length));
    ASSERT_EQ(space.records.size(), 1) << whole.substr(second, length - second);
    ASSERT_THAT(space.warnings, ::testing::SizeIs(1));
  }
}

TEST(KernelTunerCacheTest, ZerosOfAPowerLossAndASecondProcessAreSurvived) {
  const std::string zeros(100, '\0');
  EXPECT_EQ(ReadOk(Cache(kFirst, ",") + zeros).records.size(), 1);
  const MeasuredSpace appended = ReadOk(Cache(kFirst) + std::string(kSecond).substr(1) + ",");
  EXPECT_EQ(appended.records.size(), 1);
  EXPECT_THAT(appended.warnings, ElementsAre(HasSubstr("behind the end of the file")));
}

TEST(KernelTunerCacheTest, FailuresStandInTheObjectiveOrUnderAKeyOfTheirOwn) {
  const auto outcome = [](const std::string& fields) {
    return ReadOk(Cache(Failed(fields))).records[0].outcome;
  };
  EXPECT_EQ(outcome(R"("time": "CompilationFailedConfig")"), Outcome::kCompileError);
  EXPECT_EQ(outcome(R"("time": "RuntimeFailedConfig")"), Outcome::kCrash);
  EXPECT_EQ(outcome(R"("time": "InvalidConfig")"), Outcome::kRejected);
  EXPECT_EQ(outcome(R"("__error__": "ErrorConfig")"), Outcome::kCrash);
  EXPECT_EQ(outcome(R"("__error__": "CompilationFailedConfig", "time": 1)"),
            Outcome::kCompileError);
  EXPECT_EQ(outcome(R"("time": NaN)"), Outcome::kUnstable);
  EXPECT_EQ(outcome(R"("time": Infinity)"), Outcome::kUnstable);
  EXPECT_EQ(outcome(R"("time": "Exploded")"), Outcome::kCrash);
  const std::string objective =
      absl::StrReplaceAll(Cache(Failed(R"("energy": "RuntimeFailedConfig", "time": 3)")),
                          {{"\"cache\"", "\"objective\": \"energy\", \"cache\""}});
  EXPECT_EQ(ReadOk(objective).records[0].outcome, Outcome::kCrash);
}

TEST(KernelTunerCacheTest, ErrorsNameThePlace) {
  EXPECT_THAT(ErrorOf(Cache(R"("64": {"wg": 64, "time": 1})")),
              HasSubstr("cache[\"64\"]: the parameter 'fast' has no value"));
  EXPECT_THAT(ErrorOf(Cache("\"64\": 3")), HasSubstr("cache[\"64\"]: must be an object"));
  EXPECT_THAT(ErrorOf(kCacheHead), HasSubstr("the object 'cache' is missing"));
  EXPECT_THAT(ErrorOf("{\"cache\": {}}"), HasSubstr("the list 'tune_params_keys' is missing"));
}

// --- KTT ----------------------------------------------------------------------------------------

constexpr char kKtt[] = R"({"Metadata": {"Device": "Card", "TimeUnit": "Microseconds",
  "KttVersion": "2.1.0"}, "Results": [
  {"KernelName": "scale", "Status": "Ok", "TotalDuration": 7.5, "CompilationOverhead": 100.0,
   "Configuration": [{"Name": "wg", "ValueType": "UnsignedInt", "Value": 64},
                     {"Name": "fast", "ValueType": "Bool", "Value": true}],
   "ComputationResults": [{"KernelFunction": "scale", "Duration": 7.5,
     "CompilationData": {"RegistersCount": 28}, "PowerUsage": 90.5, "EnergyConsumption": 0.25,
     "ProfilingData": {"Counters": [{"Name": "dram", "Value": 12}]}}]},
  {"Status": "STATUS", "TotalDuration": 0.0, "ComputationResults": [],
   "Configuration": [{"Name": "fast", "Value": false}, {"Name": "wg", "Value": 32}]}]})";

TEST(KttTest, ReadsDurationsCountersAndEnergy) {
  const MeasuredSpace space = ReadOk(absl::StrReplaceAll(kKtt, {{"STATUS", "ComputationFailed"}}));
  EXPECT_EQ(space.format, "ktt");
  EXPECT_EQ(space.kernel, "scale");
  EXPECT_EQ(space.device, "Card");
  EXPECT_EQ(ValuesOf(space, 0), "64 true ");
  EXPECT_EQ(ValuesOf(space, 1), "32 false ");
  EXPECT_THAT(space.records[0].latency_seconds, DoubleNear(7.5e-6, 1e-18));
  EXPECT_THAT(space.records[0].compile_seconds, DoubleNear(1e-4, 1e-15));
  std::string metrics;
  for (const Metric& metric : space.records[0].metrics) metrics += metric.name + metric.unit + " ";
  EXPECT_EQ(metrics, "RegistersCount PowerUsage EnergyConsumption dram ");
}

TEST(KttTest, EveryStatusIsAnOutcome) {
  const std::pair<const char*, Outcome> statuses[] = {{"ComputationFailed", Outcome::kCrash},
                                                      {"ValidationFailed", Outcome::kWrongResult},
                                                      {"CompilationFailed", Outcome::kCompileError},
                                                      {"DeviceLimitsExceeded", Outcome::kRejected}};
  for (const auto& [status, outcome] : statuses) {
    EXPECT_EQ(ReadOk(absl::StrReplaceAll(kKtt, {{"STATUS", status}})).records[1].outcome, outcome);
  }
  EXPECT_THAT(ErrorOf(kKtt), HasSubstr("Results[1].Status: is no status of KTT: 'STATUS'"));
  EXPECT_THAT(ErrorOf(absl::StrReplaceAll(kKtt, {{"Microseconds", "Days"}})),
              HasSubstr("Metadata.TimeUnit: is no unit of time"));
}

// --- CLBlast ------------------------------------------------------------------------------------

constexpr char kClblast[] = R"({
  "kernel_family": "xgemm",
  "precision": "32",
  "best_parameters": "A=1 PRECISION=32",
  "clblast_device_name": "DEVICE",
  "results": [
    {
      "kernel": "Xgemm",
      "time": TIME,
      "parameters": {
        "A": 1,
        "PRECISION": 32
      }
    },
    {"kernel": "Xgemm", "time": 2.000, "parameters": {"A": 2,"PRECISION": 32}}
  ]
}
)";

TEST(ClblastTest, ReadsItsTunersOutput) {
  const MeasuredSpace space =
      ReadOk(absl::StrReplaceAll(kClblast, {{"DEVICE", "Card"}, {"TIME", "0.125"}}));
  EXPECT_EQ(space.format, "clblast");
  EXPECT_EQ(space.kernel, "xgemm");
  EXPECT_EQ(space.device, "Card");
  ASSERT_EQ(space.records.size(), 2);
  EXPECT_THAT(space.records[0].latency_seconds, DoubleNear(0.125e-3, 1e-15));
  EXPECT_THAT(space.warnings, IsEmpty());
}

TEST(ClblastTest, QuotesThatAreNotEscapedAndCommasOfALocaleAreRepaired) {
  const MeasuredSpace space = ReadOk(
      absl::StrReplaceAll(kClblast, {{"DEVICE", R"(The "Fast" \Card)"}, {"TIME", "1000,125"}}));
  EXPECT_EQ(space.device, R"(The "Fast" \Card)");
  EXPECT_THAT(space.records[0].latency_seconds, DoubleNear(1.000125, 1e-12));
  EXPECT_THAT(space.records[1].latency_seconds, DoubleNear(2e-3, 1e-12));
  EXPECT_THAT(space.warnings, ElementsAre(HasSubstr("repaired")));
}

// --- what all have in common --------------------------------------------------------------------

TEST(ReaderTest, OtherTextsAreRefusedInWords) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("the file is empty"));
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("in no known format"));
  EXPECT_THAT(ErrorOf("[1]"), HasSubstr("in no known format"));
  EXPECT_THAT(ErrorOf("{\"ConfigurationSpace\": {}}"), HasSubstr("T1 file"));
  EXPECT_THAT(ErrorOf(std::string(100'000, '[')), HasSubstr("nested more than"));
  EXPECT_THAT(ErrorOf("{} {}"), HasSubstr("behind the end"));
}

class PackedTest : public ::testing::Test {
 protected:
  std::string Pack(const std::string& content) {
    const std::string path = folder_ + "/packed";  // told by its content, not by its name
    const gzFile file = gzopen(path.c_str(), "ab");
    gzwrite(file, content.data(), content.size());
    gzclose(file);
    return path;
  }
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "burnish-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST_F(PackedTest, GzipIsUnpackedAlsoInSeveralPieces) {
  Pack("first, ");
  EXPECT_EQ(*ReadFileText(Pack("second")), "first, second");
}

TEST_F(PackedTest, ACutOrDamagedFileIsRefused) {
  const std::string path = Pack(Cache(kFirst));
  std::string packed = *burnish::ReadFile(path, 1 << 20);
  const std::string cut = folder_ + "/cut";
  ASSERT_TRUE(WriteFileAtomically(cut, packed.substr(0, packed.size() - 9), false).ok());
  const absl::Status ended = ReadFile(cut).status();
  EXPECT_TRUE(absl::IsInvalidArgument(ended));
  EXPECT_THAT(std::string(ended.message()), HasSubstr(cut + ": the packed file ends early"));
  packed[packed.size() / 2] ^= 0x55;
  ASSERT_TRUE(WriteFileAtomically(cut, packed, false).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFile(cut).status()));
}

TEST_F(PackedTest, ErrorsNameTheFile) {
  EXPECT_TRUE(absl::IsNotFound(ReadFile(folder_ + "/none").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFile(folder_).status()));
  EXPECT_THAT(std::string(ReadFile(Pack("{}")).status().message()),
              HasSubstr("packed: the text is in no known format"));
}

// --- writers ------------------------------------------------------------------------------------

void ExpectSame(const MeasuredSpace& a, const MeasuredSpace& b) {
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.device, b.device);
  ASSERT_EQ(a.records.size(), b.records.size());
  for (size_t i = 0; i < a.records.size(); ++i) {
    EXPECT_EQ(ValuesOf(a, i), ValuesOf(b, i));
    const Record& x = a.records[i];
    const Record& y = b.records[i];
    EXPECT_EQ(x.outcome, y.outcome);
    EXPECT_DOUBLE_EQ(x.latency_seconds, y.latency_seconds);
    EXPECT_DOUBLE_EQ(x.compile_seconds, y.compile_seconds);
    EXPECT_THAT(x.samples_seconds, ::testing::Pointwise(::testing::DoubleEq(), y.samples_seconds));
    ASSERT_EQ(x.metrics.size(), y.metrics.size());
    for (size_t m = 0; m < x.metrics.size(); ++m) {
      EXPECT_EQ(x.metrics[m].name, y.metrics[m].name);
      EXPECT_DOUBLE_EQ(x.metrics[m].value, y.metrics[m].value);
    }
  }
}

std::string SomeRecords() {
  return Cache(std::string(kFirst) + kSecond + "," +
               Failed(R"("time": "CompilationFailedConfig", "compile_time": 3)") + "," +
               absl::StrReplaceAll(Failed(R"("time": "RuntimeFailedConfig")"), {{"64", "32"}}));
}

TEST(WriterTest, ACacheFileReadsBack) {
  const MeasuredSpace space = ReadOk(SomeRecords());
  const MeasuredSpace again = ReadOk(WriteKernelTunerCache(space));
  ExpectSame(space, again);
  EXPECT_EQ(again.parameters[0].values, space.parameters[0].values);
  EXPECT_THAT(WriteKernelTunerCache(space), HasSubstr("\n\"64,True,a,b\": {\"wg\":64,"));
}

TEST(WriterTest, AT4FileReadsBackAndHasBothNamesAndAUnit) {
  const MeasuredSpace space = ReadOk(SomeRecords());
  const std::string text = WriteT4(space);
  ExpectSame(space, ReadOk(text));
  EXPECT_THAT(text, HasSubstr(R"("compilation":50.0,"compilation_time":50.0)"));
  EXPECT_THAT(text, HasSubstr(R"("unit":"ms")"));
  EXPECT_THAT(text, HasSubstr(R"("timeunit":"milliseconds")"));
}

TEST(WriterTest, OurOutcomesBecomeTheNearestOnes) {
  const auto written = [](Outcome outcome) {
    MeasuredSpace space = ReadOk(Cache(kFirst));
    space.records[0].outcome = outcome;
    return std::pair(WriteT4(space), WriteKernelTunerCache(space));
  };
  EXPECT_THAT(written(Outcome::kTimeout).first, HasSubstr(R"("invalidity":"timeout")"));
  EXPECT_THAT(written(Outcome::kOutOfMemory).first, HasSubstr(R"("invalidity":"runtime")"));
  EXPECT_THAT(written(Outcome::kNondeterministic).first, HasSubstr(R"(:"correctness")"));
  EXPECT_THAT(written(Outcome::kRejected).second, HasSubstr(R"("time":"InvalidConfig")"));
  EXPECT_THAT(written(Outcome::kCrash).second, HasSubstr(R"("__error__":"RuntimeFailedConfig")"));
  EXPECT_THAT(written(Outcome::kInfrastructure).first, HasSubstr("\"results\": [\n]"));
}

}  // namespace
}  // namespace burnish::measured
