#include "common/expr/lexer.h"

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::expr {
namespace {

struct Spelling {
  std::string_view text;
  TokenKind kind;
  std::string_view hint = "";  // set: no token, but a habit from another language
};

constexpr std::array<Spelling, 10> kWords = {{
    {"and", TokenKind::kAnd},
    {"or", TokenKind::kOr},
    {"not", TokenKind::kNot},
    {"in", TokenKind::kIn},
    {"if", TokenKind::kIf},
    {"else", TokenKind::kElse},
    {"true", TokenKind::kTrue},
    {"false", TokenKind::kFalse},
    {"True", TokenKind::kTrue},
    {"False", TokenKind::kFalse},
}};

// The first that fits is taken: longer spellings stand before their beginnings.
constexpr std::array<Spelling, 34> kSymbols = {{
    {"===", TokenKind::kEnd, "did you mean '=='?"},
    {"!==", TokenKind::kEnd, "did you mean '!='?"},
    {"**", TokenKind::kDoubleStar},
    {"//", TokenKind::kDoubleSlash},
    {"<=", TokenKind::kLessEqual},
    {">=", TokenKind::kGreaterEqual},
    {"==", TokenKind::kEqual},
    {"!=", TokenKind::kNotEqual},
    {"&&", TokenKind::kAnd},
    {"||", TokenKind::kOr},
    {"<>", TokenKind::kEnd, "did you mean '!='?"},
    {"=<", TokenKind::kEnd, "did you mean '<='?"},
    {"=>", TokenKind::kEnd, "did you mean '>='?"},
    {"<<", TokenKind::kEnd, "multiply by a power of two instead: a * 2 ** b"},
    {">>", TokenKind::kEnd, "divide by a power of two instead: a // 2 ** b"},
    {"=", TokenKind::kEnd, "did you mean '=='?"},
    {"&", TokenKind::kEnd, "did you mean '&&'?"},
    {"|", TokenKind::kEnd, "did you mean '||'?"},
    {"^", TokenKind::kEnd, "did you mean '**', the power?"},
    {"!", TokenKind::kNot},
    {"+", TokenKind::kPlus},
    {"-", TokenKind::kMinus},
    {"*", TokenKind::kStar},
    {"/", TokenKind::kSlash},
    {"%", TokenKind::kPercent},
    {"<", TokenKind::kLess},
    {">", TokenKind::kGreater},
    {"?", TokenKind::kQuestion},
    {":", TokenKind::kColon},
    {",", TokenKind::kComma},
    {"(", TokenKind::kLeftParenthesis},
    {")", TokenKind::kRightParenthesis},
    {"[", TokenKind::kLeftBracket},
    {"]", TokenKind::kRightBracket},
}};

bool IsNameStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool IsNamePart(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// The first character of `text` in quotes, or its first byte if that is no UTF-8.
std::string DescribeCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (absl::ascii_isprint(lead)) return absl::StrCat("'", std::string(1, text[0]), "'");
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  bool is_utf8 = length > 1 && length <= text.size();
  for (size_t i = 1; is_utf8 && i < length; ++i) is_utf8 = (text[i] & 0xc0) == 0x80;
  if (!is_utf8) return absl::StrFormat("'\\x%02x'", lead);
  return absl::StrCat("'", std::string(text.substr(0, length)), "'");
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    while (true) {
      while (absl::ascii_isspace(At(position_))) ++position_;
      ASSIGN_OR_RETURN(Token token, Next());
      tokens.push_back(std::move(token));
      if (tokens.back().kind == TokenKind::kEnd) return tokens;
    }
  }

 private:
  // '\0' behind the end; a NUL within the text is no character of the language either.
  char At(size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  absl::Status Error(std::string_view message, std::string_view hint = "") const {
    return ErrorAt(text_, static_cast<int>(position_) + 1, message, hint);
  }

  Token Take(TokenKind kind, size_t length) {
    Token token;
    token.kind = kind;
    token.column = static_cast<int>(position_) + 1;
    token.text = text_.substr(position_, length);
    position_ += length;
    return token;
  }

  absl::StatusOr<Token> Next() {
    if (position_ == text_.size()) return Take(TokenKind::kEnd, 0);
    const char c = At(position_);
    if (absl::ascii_isdigit(c) || (c == '.' && absl::ascii_isdigit(At(position_ + 1)))) {
      return NextNumber();
    }
    if (IsNameStart(c)) return NextName();
    if (c == '\'' || c == '"') return NextString();
    return NextSymbol();
  }

  // Takes everything that could be meant as one number, so that `12ab` is one error.
  absl::StatusOr<Token> NextNumber() {
    const bool is_hexadecimal = At(position_) == '0' && (At(position_ + 1) | 0x20) == 'x';
    size_t end = position_;
    bool is_real = false;
    while (IsNamePart(At(end)) || At(end) == '.') {
      const bool is_exponent = !is_hexadecimal && (At(end) | 0x20) == 'e';
      is_real |= is_exponent || At(end) == '.';
      ++end;
      if (is_exponent && (At(end) == '+' || At(end) == '-')) ++end;
    }
    const std::string text(text_.substr(position_, end - position_));
    return is_real ? RealNumber(text) : IntegerNumber(text, is_hexadecimal);
  }

  absl::Status BadNumber(const std::string& text) const {
    return Error(absl::StrCat("'", text, "' is not a valid number"),
                 "numbers are written like 42, 0x2A, 2.5 or 1e-3");
  }

  absl::StatusOr<Token> RealNumber(const std::string& text) {
    const std::optional<double> real = ParseReal(text);
    if (!real.has_value()) return BadNumber(text);
    Token token = Take(TokenKind::kReal, text.size());
    token.real = *real;
    return token;
  }

  absl::StatusOr<Token> IntegerNumber(const std::string& text, bool is_hexadecimal) {
    const std::string digits = is_hexadecimal ? text.substr(2) : text;
    if (digits.empty()) return BadNumber(text);
    for (const char c : digits) {
      if (!(is_hexadecimal ? absl::ascii_isxdigit(c) : absl::ascii_isdigit(c))) {
        return BadNumber(text);
      }
    }
    if (!is_hexadecimal && digits.size() > 1 && digits[0] == '0') {
      return Error(absl::StrCat("'", text, "' begins with 0, which would mean octal elsewhere"),
                   "leave the leading zeros out, or write 0x for hexadecimal");
    }
    uint64_t integer = 0;
    const bool fits =
        is_hexadecimal ? absl::SimpleHexAtoi(digits, &integer) : absl::SimpleAtoi(digits, &integer);
    if (!fits || integer > kSmallestMagnitude) {
      return Error(absl::StrCat("the integer ", text, " is above 9223372036854775807"));
    }
    Token token = Take(TokenKind::kInteger, text.size());
    token.integer = integer;
    return token;
  }

  Token NextName() {
    size_t end = position_;
    do {
      ++end;
      while (IsNamePart(At(end))) ++end;
    } while (At(end) == '.' && IsNameStart(At(end + 1)));
    const std::string_view name = text_.substr(position_, end - position_);
    for (const Spelling& word : kWords) {
      if (word.text == name) return Take(word.kind, name.size());
    }
    return Take(TokenKind::kName, name.size());
  }

  absl::StatusOr<Token> NextString() {
    const char quote = At(position_);
    std::string content;
    size_t end = position_ + 1;
    for (; end < text_.size() && At(end) != quote; ++end) {
      if (At(end) == '\\') {
        ++end;
        if (At(end) != '\\' && At(end) != '\'' && At(end) != '"') {
          return ErrorAt(text_, static_cast<int>(end), "unknown escape in a string",
                         "the escapes are \\\\, \\' and \\\"");
        }
      }
      content += At(end);
    }
    if (end >= text_.size()) {
      return Error("the string that begins here is not closed",
                   absl::StrCat("expected a closing ", std::string(1, quote)));
    }
    Token token = Take(TokenKind::kString, end + 1 - position_);
    token.string = std::move(content);
    return token;
  }

  absl::StatusOr<Token> NextSymbol() {
    const std::string_view rest = text_.substr(position_);
    for (const Spelling& symbol : kSymbols) {
      if (!rest.starts_with(symbol.text)) continue;
      if (symbol.hint.empty()) return Take(symbol.kind, symbol.text.size());
      return Error(absl::StrCat("'", std::string(symbol.text), "' is not an operator"),
                   symbol.hint);
    }
    return Error(absl::StrCat("unexpected character ", DescribeCharacter(rest)));
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Token>> Tokenize(std::string_view text) { return Lexer(text).Run(); }

const std::vector<std::string>& LanguageWords() {
  static const auto* const words = [] {
    auto* list = new std::vector<std::string>;
    for (const Spelling& word : kWords) list->emplace_back(word.text);
    return list;
  }();
  return *words;
}

absl::Status ErrorAt(std::string_view text, int column, std::string_view message,
                     std::string_view hint) {
  Diagnostic diagnostic;
  diagnostic.column = column;
  diagnostic.message = message;
  diagnostic.hint = hint;
  diagnostic.excerpt = text;
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

}  // namespace burnish::expr
