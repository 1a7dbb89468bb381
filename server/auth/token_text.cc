#include "server/auth/token_text.h"

#include "absl/strings/match.h"
#include "common/base/hash.h"
#include "common/base/random.h"

namespace burnish::auth {
namespace {

constexpr std::string_view kPrefix = "burnish_";
constexpr std::string_view kScheme = "Bearer ";
constexpr size_t kDigits = 64;
constexpr size_t kVisibleDigits = 8;

}  // namespace

std::string NewTokenText() { return std::string(kPrefix) + RandomSecret(); }

bool IsTokenText(std::string_view text) {
  return text.starts_with(kPrefix) && text.size() == kPrefix.size() + kDigits &&
         text.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
}

std::string HashOfToken(std::string_view text) { return Sha256Hex(text); }

std::string VisiblePrefix(std::string_view text) {
  return std::string(text.substr(kPrefix.size(), kVisibleDigits));
}

std::optional<std::string> BearerToken(std::string_view header) {
  if (!absl::StartsWithIgnoreCase(absl::string_view(header.data(), header.size()),
                                  absl::string_view(kScheme.data(), kScheme.size()))) {
    return std::nullopt;
  }
  return std::string(header.substr(kScheme.size()));
}

}  // namespace burnish::auth
