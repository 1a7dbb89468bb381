#include "common/base/diagnostic.h"

#include <gtest/gtest.h>

namespace burnish {
namespace {

Diagnostic Example() {
  Diagnostic diagnostic;
  diagnostic.file = "job.yaml";
  diagnostic.line = 14;
  diagnostic.column = 29;
  diagnostic.path = "kernel.constraints[0]";
  diagnostic.message = "unknown name 'BLCK'";
  diagnostic.hint = "did you mean 'BLOCK'?";
  diagnostic.excerpt = "  constraints: [\"BLCK < 3\"]";
  return diagnostic;
}

TEST(Diagnostic, FormatsPlacePathAndMessage) {
  EXPECT_EQ(FormatDiagnostic(Example()),
            "job.yaml:14:29: kernel.constraints[0]: unknown name 'BLCK'");
}

TEST(Diagnostic, LeavesOutWhatIsUnknown) {
  Diagnostic diagnostic = Example();
  diagnostic.column = 0;
  EXPECT_EQ(FormatDiagnostic(diagnostic),
            "job.yaml:14: kernel.constraints[0]: unknown name 'BLCK'");
  diagnostic.line = 0;
  EXPECT_EQ(FormatDiagnostic(diagnostic), "job.yaml: kernel.constraints[0]: unknown name 'BLCK'");
  diagnostic.path.clear();
  EXPECT_EQ(FormatDiagnostic(diagnostic), "job.yaml: unknown name 'BLCK'");
  diagnostic.file.clear();
  EXPECT_EQ(FormatDiagnostic(diagnostic), "unknown name 'BLCK'");
}

TEST(Diagnostic, TravelsInsideAStatus) {
  const absl::Status status = DiagnosticStatus(absl::StatusCode::kInvalidArgument, Example());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), FormatDiagnostic(Example()));
  EXPECT_EQ(DiagnosticOf(status), Example());
}

TEST(Diagnostic, IsAbsentFromOtherStatuses) {
  EXPECT_EQ(DiagnosticOf(absl::InternalError("x")), std::nullopt);
  EXPECT_EQ(DiagnosticOf(absl::OkStatus()), std::nullopt);
}

TEST(Diagnostic, InvalidInputCarriesItsHint) {
  const auto diagnostic = DiagnosticOf(InvalidInput("no such flag", "see --help"));
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->message, "no such flag");
  EXPECT_EQ(diagnostic->hint, "see --help");
}

TEST(Diagnostic, SurvivesEncoding) {
  EXPECT_EQ(DecodeDiagnostic(EncodeDiagnostic(Example())), Example());
}

TEST(Diagnostic, EncodesTextThatIsNotUtf8) {
  Diagnostic diagnostic = Example();
  diagnostic.excerpt = "caf\xe9";
  const auto decoded = DecodeDiagnostic(EncodeDiagnostic(diagnostic));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->excerpt, "caf\xef\xbf\xbd");
}

TEST(Diagnostic, DecodesNothingFromForeignText) {
  EXPECT_EQ(DecodeDiagnostic(""), std::nullopt);
  EXPECT_EQ(DecodeDiagnostic("no such job"), std::nullopt);
  EXPECT_EQ(DecodeDiagnostic("[1]"), std::nullopt);
  EXPECT_EQ(DecodeDiagnostic(R"({"message": "only"})"), std::nullopt);
  EXPECT_EQ(DecodeDiagnostic(R"({"file": 3, "line": "x"})"), std::nullopt);
}

TEST(NearestName, FindsTyposOfEveryKind) {
  const std::vector<std::string> names = {"strategy", "kernel", "budget"};
  EXPECT_EQ(NearestName("stratgy", names), "strategy");  // lost
  EXPECT_EQ(NearestName("kernnel", names), "kernel");    // doubled
  EXPECT_EQ(NearestName("budgit", names), "budget");     // replaced
  EXPECT_EQ(NearestName("kenrel", names), "kernel");     // swapped
  EXPECT_EQ(NearestName("BUDGET", names), "budget");     // case
}

TEST(NearestName, CountsASwapAsOneEdit) {
  EXPECT_EQ(NearestName("ab", {"ba"}), std::nullopt);  // one edit of two letters is too much
  EXPECT_EQ(NearestName("acb", {"abc"}), "abc");       // one of three is not; two would be
}

TEST(NearestName, PrefersTheNearest) {
  EXPECT_EQ(NearestName("BLOCK_X", {"BLOCK_YZ", "BLOCK_Y", "BLOCK_X1"}), "BLOCK_Y");
  EXPECT_EQ(NearestName("block_x", {"BLOCK_Y", "BLOCK_X"}), "BLOCK_X");
}

TEST(NearestName, GivesNothingForWhatIsFar) {
  EXPECT_EQ(NearestName("m", {"n"}), std::nullopt);
  EXPECT_EQ(NearestName("flops", {"kernel"}), std::nullopt);
  EXPECT_EQ(NearestName("x", {}), std::nullopt);
  EXPECT_EQ(NearestName(std::string(1 << 20, 'a'), {"a"}), std::nullopt);
}

TEST(NameHint, NamesTheNearestElseAllElseNothing) {
  EXPECT_EQ(NameHint("BLCK", {"BLOCK", "TILE"}), "did you mean 'BLOCK'?");
  EXPECT_EQ(NameHint("z", {"BLOCK", "TILE"}), "known: BLOCK, TILE");
  EXPECT_EQ(NameHint("z", {}), "");
}

}  // namespace
}  // namespace burnish
