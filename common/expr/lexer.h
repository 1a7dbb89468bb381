// The text of an expression as tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace burnish::expr {

enum class TokenKind : uint8_t {
  kEnd,
  kInteger,
  kReal,
  kString,
  kName,  // functions, too
  kTrue,
  kFalse,
  kAnd,
  kOr,
  kNot,
  kIn,
  kIf,
  kElse,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kDoubleSlash,
  kPercent,
  kDoubleStar,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kQuestion,
  kColon,
  kComma,
  kLeftParenthesis,
  kRightParenthesis,
  kLeftBracket,
  kRightBracket,
};

// Of the smallest integer, -2^63: as a literal it is valid behind a minus sign only.
inline constexpr uint64_t kSmallestMagnitude = uint64_t{1} << 63;

struct Token {
  TokenKind kind = TokenKind::kEnd;
  int column = 0;         // from 1
  std::string_view text;  // as written; borrowed from the expression
  uint64_t integer = 0;   // of kInteger: at most kSmallestMagnitude
  double real = 0;        // of kReal
  std::string string;     // of kString: without quotes and escapes
};

// The last token is kEnd. `text` must outlive the tokens.
absl::StatusOr<std::vector<Token>> Tokenize(std::string_view text);

// The words that are tokens of their own: and, or, not, in, if, else, true, false, True, False.
const std::vector<std::string>& LanguageWords();

// A Diagnostic at `column` of `text`.
absl::Status ErrorAt(std::string_view text, int column, std::string_view message,
                     std::string_view hint = "");

}  // namespace burnish::expr
