#include "agent/config/token_file.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"

namespace burnish::agent {
namespace {

constexpr size_t kTokenBytes = 4 << 10;

}  // namespace

absl::StatusOr<std::string> ReadTokenFile(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return InvalidInput(absl::StrCat("--token-file ", path, ": others than its owner may read it"),
                        absl::StrCat("chmod 600 ", path));
  }
  const absl::StatusOr<std::string> text = ReadFile(path, kTokenBytes);
  if (!text.ok()) {
    return InvalidInput(absl::StrCat("--token-file ", std::string(text.status().message())));
  }
  const std::string token(absl::StripAsciiWhitespace(*text));
  // It travels as a header, where nothing but these may stand.
  const bool one_word =
      !token.empty() && std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
  if (one_word) return token;
  return InvalidInput(absl::StrCat("--token-file ", path, ": holds no token"),
                      "it holds one word, as `burnish token create` prints it");
}

}  // namespace burnish::agent
