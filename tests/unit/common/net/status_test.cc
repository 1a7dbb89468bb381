#include "common/net/status.h"

#include <string>

#include "common/base/diagnostic.h"
#include "gtest/gtest.h"

namespace burnish::net {
namespace {

TEST(StatusWire, KeepsEveryCodeAndTheMessage) {
  for (int code = 0; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "why");
    const absl::Status back = ToAbslStatus(ToGrpcStatus(status));
    EXPECT_EQ(back, status) << code;
  }
}

TEST(StatusWire, CarriesADiagnostic) {
  const Diagnostic diagnostic{.file = "job.yaml",
                              .line = 14,
                              .column = 29,
                              .path = "kernel.constraints[0]",
                              .message = "unknown name 'BLCK'",
                              .hint = "did you mean 'BLOCK'?",
                              .excerpt = "  constraints: [BLCK > 1]"};
  const absl::Status status = DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
  const absl::Status back = ToAbslStatus(ToGrpcStatus(status));
  EXPECT_EQ(back.code(), status.code());
  EXPECT_EQ(DiagnosticOf(back), diagnostic);
}

TEST(StatusWire, CutsWhatMetadataCannotCarry) {
  const Diagnostic diagnostic{.file = "job.yaml",
                              .line = 1,
                              .column = 70'000,
                              .path = "kernel",
                              .message = std::string(100'000, 'm'),
                              .hint = "ä" + std::string(100'000, 'h'),
                              .excerpt = std::string(100'000, 'x')};
  const grpc::Status status =
      ToGrpcStatus(DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic));
  EXPECT_LT(3 * status.error_message().size() + status.error_details().size() * 4 / 3, 60u << 10);
  const auto back = DiagnosticOf(ToAbslStatus(status));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->line, 1);
  EXPECT_EQ(back->excerpt, "");
}

}  // namespace
}  // namespace burnish::net
