#include "agent/config/command_words.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"

namespace burnish::agent {

absl::StatusOr<std::vector<std::string>> SplitCommand(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;  // that has begun
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : 0;
    if (quote == 0 && absl::ascii_isspace(static_cast<unsigned char>(c))) {
      if (word) words.push_back(*std::move(word));
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && (quote == 0 || (quote == '"' && (next == '"' || next == '\\')))) {
      if (next == 0) return InvalidInput("a \\ at the end, which makes nothing itself");
      word->push_back(next);
      ++i;
    } else {
      word->push_back(c);
    }
  }
  if (quote != 0) {
    return InvalidInput(absl::StrCat("a ", std::string(1, quote), " without its end"));
  }
  if (word) words.push_back(*std::move(word));
  return words;
}

}  // namespace burnish::agent
