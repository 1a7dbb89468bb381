#include "common/net/status.h"

#include <optional>
#include <string>
#include <string_view>

#include "common/base/diagnostic.h"

namespace burnish::net {
namespace {

// Percent-encoding may triple a message and base64 adds a third to the details: both together stay
// below kMetadataBytes.
constexpr size_t kMessageBytes = 6 << 10;
constexpr size_t kExcerptBytes = 1 << 10;

// At most `max_bytes`, not cut inside a UTF-8 sequence.
std::string Cut(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0) == 0x80) --max_bytes;
  return std::string(text.substr(0, max_bytes)) + "…";
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  std::string details;
  if (std::optional<Diagnostic> diagnostic = DiagnosticOf(status)) {
    diagnostic->message = Cut(diagnostic->message, kMessageBytes);
    diagnostic->hint = Cut(diagnostic->hint, kMessageBytes);
    diagnostic->path = Cut(diagnostic->path, kExcerptBytes);
    // A caret below a cut line would point at nothing.
    if (diagnostic->excerpt.size() > kExcerptBytes) diagnostic->excerpt.clear();
    details = EncodeDiagnostic(*diagnostic);
  }
  return grpc::Status(
      static_cast<grpc::StatusCode>(status.code()),
      Cut(std::string_view(status.message().data(), status.message().size()), kMessageBytes),
      details);
}

absl::Status ToAbslStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  const std::optional<Diagnostic> diagnostic = DecodeDiagnostic(status.error_details());
  if (diagnostic.has_value()) return DiagnosticStatus(code, *diagnostic);
  return absl::Status(code, status.error_message());
}

}  // namespace burnish::net
