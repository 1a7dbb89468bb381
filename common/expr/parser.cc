#include "common/expr/parser.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/expr/lexer.h"

namespace burnish::expr {
namespace {

// How tightly operators bind, loosest first.
enum class Level { kNone, kOr, kAnd, kNot, kComparison, kSum, kProduct, kSign, kPower };

Level Tighter(Level level) { return static_cast<Level>(static_cast<int>(level) + 1); }

struct Infix {
  Level level = Level::kNone;
  Operator op = Operator::kNone;
};

Infix InfixOf(TokenKind kind) {
  switch (kind) {
    case TokenKind::kOr:
      return {Level::kOr};
    case TokenKind::kAnd:
      return {Level::kAnd};
    case TokenKind::kIn:
      return {Level::kComparison, Operator::kIn};
    case TokenKind::kLess:
      return {Level::kComparison, Operator::kLess};
    case TokenKind::kLessEqual:
      return {Level::kComparison, Operator::kLessEqual};
    case TokenKind::kGreater:
      return {Level::kComparison, Operator::kGreater};
    case TokenKind::kGreaterEqual:
      return {Level::kComparison, Operator::kGreaterEqual};
    case TokenKind::kEqual:
      return {Level::kComparison, Operator::kEqual};
    case TokenKind::kNotEqual:
      return {Level::kComparison, Operator::kNotEqual};
    case TokenKind::kPlus:
      return {Level::kSum, Operator::kAdd};
    case TokenKind::kMinus:
      return {Level::kSum, Operator::kSubtract};
    case TokenKind::kStar:
      return {Level::kProduct, Operator::kMultiply};
    case TokenKind::kSlash:
      return {Level::kProduct, Operator::kDivide};
    case TokenKind::kDoubleSlash:
      return {Level::kProduct, Operator::kFloorDivide};
    case TokenKind::kPercent:
      return {Level::kProduct, Operator::kModulo};
    case TokenKind::kDoubleStar:
      return {Level::kPower, Operator::kPower};
    default:
      return {};
  }
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  absl::StatusOr<ParsedExpression> Run() {
    if (Current().kind == TokenKind::kEnd) return Error("the expression is empty");
    ASSIGN_OR_RETURN(result_.program.root, ParseExpression());
    if (Current().kind != TokenKind::kEnd) return UnexpectedAfterValue();
    return std::move(result_);
  }

 private:
  // Counts nesting while it lives. Between two of these the recursion is bounded by the number of
  // levels, so bounding their depth bounds the stack of parser, folder and evaluator.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    absl::Status Check() const {
      if (parser_.depth_ <= limits::kExpressionDepth) return absl::OkStatus();
      return parser_.Error(
          absl::StrCat("the expression is nested more than ", limits::kExpressionDepth, " deep"));
    }

   private:
    Parser& parser_;
  };

  const Token& Current() const { return tokens_[position_]; }
  // kEnd, the last token, is never taken.
  const Token& Following() const { return tokens_[std::min(position_ + 1, tokens_.size() - 1)]; }
  const Token& Take() { return tokens_[position_++]; }
  bool Accept(TokenKind kind) {
    if (Current().kind != kind) return false;
    ++position_;
    return true;
  }

  absl::Status Error(std::string_view message, std::string_view hint = "") const {
    return ErrorAt(text_, Current().column, message, hint);
  }

  std::string Found() const {
    if (Current().kind == TokenKind::kEnd) return "the end";
    return absl::StrCat("'", std::string(Current().text), "'");
  }

  // A value is complete and something follows that cannot.
  absl::Status UnexpectedAfterValue() const {
    switch (Current().kind) {
      case TokenKind::kName: {  // `a AND b`, `a ad b`
        const auto word = NearestName(Current().text, {"and", "or", "not", "in", "if", "else"});
        return Error(absl::StrCat("expected an operator before ", Found()),
                     word.has_value() ? absl::StrCat("did you mean '", *word, "'?") : "");
      }
      case TokenKind::kInteger:
      case TokenKind::kReal:
      case TokenKind::kString:
      case TokenKind::kTrue:
      case TokenKind::kFalse:
      case TokenKind::kNot:
      case TokenKind::kLeftParenthesis:
      case TokenKind::kLeftBracket:
        return Error(absl::StrCat("expected an operator before ", Found()));
      default:
        return Error(absl::StrCat("unexpected ", Found()));
    }
  }

  absl::Status ExpectClosing(TokenKind kind, const Token& opening) {
    if (Accept(kind)) return absl::OkStatus();
    const char* closing = kind == TokenKind::kRightParenthesis ? ")" : "]";
    const bool is_closing = Current().kind == TokenKind::kRightParenthesis ||
                            Current().kind == TokenKind::kRightBracket;
    if (!is_closing && Current().kind != TokenKind::kEnd) return UnexpectedAfterValue();
    return Error(
        absl::StrCat("expected a closing '", closing, "'"),
        absl::StrCat("for the '", std::string(opening.text), "' at column ", opening.column));
  }

  // A whole expression, conditionals included.
  absl::StatusOr<NodeIndex> ParseExpression() {
    const Nested nested(*this);
    RETURN_IF_ERROR(nested.Check());
    ASSIGN_OR_RETURN(const NodeIndex first, ParseBinary(Level::kOr));
    const int column = Current().column;
    if (Accept(TokenKind::kIf)) {
      ASSIGN_OR_RETURN(const NodeIndex condition, ParseBinary(Level::kOr));
      if (!Accept(TokenKind::kElse)) {
        return Error(absl::StrCat("expected 'else', found ", Found()),
                     "a conditional is written A if CONDITION else B");
      }
      ASSIGN_OR_RETURN(const NodeIndex otherwise, ParseExpression());
      return Add(NodeKind::kConditional, column, {{condition}, {first}, {otherwise}});
    }
    if (Accept(TokenKind::kQuestion)) {
      ASSIGN_OR_RETURN(const NodeIndex chosen, ParseExpression());
      if (!Accept(TokenKind::kColon)) {
        return Error(absl::StrCat("expected ':', found ", Found()),
                     "a conditional is written CONDITION ? A : B");
      }
      ASSIGN_OR_RETURN(const NodeIndex otherwise, ParseExpression());
      return Add(NodeKind::kConditional, column, {{first}, {chosen}, {otherwise}});
    }
    return first;
  }

  // Operators that bind at least as tightly as `loosest`.
  absl::StatusOr<NodeIndex> ParseBinary(Level loosest) {
    ASSIGN_OR_RETURN(NodeIndex left, ParsePrefix(loosest));
    while (true) {
      const Level level = CurrentInfix().level;
      if (level == Level::kNone || level < loosest) return left;
      if (level == Level::kPower) {
        ASSIGN_OR_RETURN(left, ParsePower(left));
      } else if (level == Level::kComparison) {
        ASSIGN_OR_RETURN(left, ParseComparisons(left));
      } else {
        ASSIGN_OR_RETURN(left, ParseChain(left, level));
      }
    }
  }

  Infix CurrentInfix() const {
    if (Current().kind == TokenKind::kNot && Following().kind == TokenKind::kIn) {
      return {Level::kComparison, Operator::kNotIn};
    }
    return InfixOf(Current().kind);
  }

  absl::StatusOr<NodeIndex> ParseChain(NodeIndex left, Level level) {
    std::vector<Link> links = {{left}};
    const int column = Current().column;
    while (CurrentInfix().level == level) {
      const Operator op = CurrentInfix().op;
      const int op_column = Take().column;
      ASSIGN_OR_RETURN(const NodeIndex right, ParseBinary(Tighter(level)));
      links.push_back({right, op, op_column});
    }
    const NodeKind kind = level == Level::kOr    ? NodeKind::kOr
                          : level == Level::kAnd ? NodeKind::kAnd
                                                 : NodeKind::kChain;
    return Add(kind, column, links);
  }

  absl::StatusOr<NodeIndex> ParseComparisons(NodeIndex left) {
    std::vector<Link> links = {{left}};
    const int column = Current().column;
    while (CurrentInfix().level == Level::kComparison) {
      const Operator op = CurrentInfix().op;
      const int op_column = Take().column;
      if (op == Operator::kNotIn) Take();
      const bool is_membership = op == Operator::kIn || op == Operator::kNotIn;
      if (is_membership && Current().kind == TokenKind::kLeftBracket) {
        ASSIGN_OR_RETURN(const NodeIndex list, ParseList());
        links.push_back({list, op, op_column});
        if (CurrentInfix().level >= Level::kComparison) {
          return Error(absl::StrCat("unexpected ", Found(), " after a list"),
                       "put parentheses around the comparison");
        }
        break;
      }
      ASSIGN_OR_RETURN(const NodeIndex right, ParseBinary(Tighter(Level::kComparison)));
      links.push_back({right, op, op_column});
    }
    return Add(NodeKind::kCompare, column, links);
  }

  // Binds tighter than a sign on its left, looser than one on its right, and from right to left.
  absl::StatusOr<NodeIndex> ParsePower(NodeIndex base) {
    const Nested nested(*this);
    RETURN_IF_ERROR(nested.Check());
    const int column = Take().column;
    ASSIGN_OR_RETURN(const NodeIndex exponent, ParseBinary(Level::kSign));
    return Add(NodeKind::kChain, column, {{base}, {exponent, Operator::kPower, column}});
  }

  absl::StatusOr<NodeIndex> ParsePrefix(Level loosest) {
    const TokenKind kind = Current().kind;
    if (kind != TokenKind::kNot && kind != TokenKind::kMinus && kind != TokenKind::kPlus) {
      return ParseOperand();
    }
    if (kind == TokenKind::kNot && loosest > Level::kNot) {
      return Error(absl::StrCat(Found(), " needs parentheses here"),
                   absl::StrCat("write (", std::string(Current().text), " ...)"));
    }
    const Nested nested(*this);
    RETURN_IF_ERROR(nested.Check());
    const int column = Take().column;
    if (kind == TokenKind::kMinus && Current().kind == TokenKind::kInteger &&
        Current().integer == kSmallestMagnitude && Following().kind != TokenKind::kDoubleStar) {
      Take();
      return result_.program.AddConstant(std::numeric_limits<int64_t>::min(), column);
    }
    ASSIGN_OR_RETURN(const NodeIndex operand,
                     ParseBinary(kind == TokenKind::kNot ? Level::kNot : Level::kSign));
    const Operator op = kind == TokenKind::kNot     ? Operator::kNot
                        : kind == TokenKind::kMinus ? Operator::kNegate
                                                    : Operator::kPlus;
    return Add(NodeKind::kUnary, column, {{operand, op, column}});
  }

  absl::StatusOr<NodeIndex> ParseOperand() {
    Program& program = result_.program;
    const Token& token = Current();
    switch (token.kind) {
      case TokenKind::kInteger:
        if (token.integer == kSmallestMagnitude) {
          return Error(absl::StrCat("the integer ", std::string(token.text),
                                    " is above 9223372036854775807"));
        }
        Take();
        return program.AddConstant(static_cast<int64_t>(token.integer), token.column);
      case TokenKind::kReal:
        return program.AddConstant(Take().real, token.column);
      case TokenKind::kString:
        return program.AddConstant(Take().string, token.column);
      case TokenKind::kTrue:
      case TokenKind::kFalse:
        return program.AddConstant(Take().kind == TokenKind::kTrue, token.column);
      case TokenKind::kName:
        return Following().kind == TokenKind::kLeftParenthesis ? ParseCall() : ParseName();
      case TokenKind::kLeftParenthesis: {
        Take();
        ASSIGN_OR_RETURN(const NodeIndex inner, ParseExpression());
        RETURN_IF_ERROR(ExpectClosing(TokenKind::kRightParenthesis, token));
        return inner;
      }
      case TokenKind::kLeftBracket:
        return Error("a list may only stand on the right of 'in'");
      case TokenKind::kRightParenthesis:
      case TokenKind::kRightBracket:
        return Error(absl::StrCat("unexpected ", Found()));
      default:
        return Error(absl::StrCat("expected a value, found ", Found()));
    }
  }

  absl::StatusOr<NodeIndex> ParseName() {
    const Token& token = Current();
    const std::string name(token.text);
    if (FindFunction(name) != nullptr) {
      return Error(absl::StrCat("'", name, "' is a function"),
                   absl::StrCat("write ", name, "(...)"));
    }
    Take();
    std::vector<std::string>& names = result_.names;
    const auto known = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<uint32_t>(known - names.begin());
    if (known == names.end()) {
      names.push_back(name);
      result_.program.name_columns.push_back(token.column);
    }
    return result_.program.AddName(index, token.column);
  }

  absl::StatusOr<NodeIndex> ParseCall() {
    const std::string name(Current().text);
    const Function* const function = FindFunction(name);
    if (function == nullptr) {
      return Error(absl::StrCat("unknown function '", name, "'"), NameHint(name, FunctionNames()));
    }
    const int column = Take().column;
    ASSIGN_OR_RETURN(std::vector<Link> arguments, ParseElements(TokenKind::kRightParenthesis));
    const auto count = static_cast<int>(arguments.size());
    if (count < function->min_arguments || count > function->max_arguments) {
      const bool is_open = function->min_arguments != function->max_arguments;
      return ErrorAt(
          text_, column,
          absl::StrCat("'", name, "' takes ", function->min_arguments,
                       is_open ? " or more arguments" : " argument",
                       !is_open && function->min_arguments > 1 ? "s" : "", ", not ", count));
    }
    for (Link& argument : arguments) {
      argument.op = function->op;
      argument.column = column;
    }
    return Add(count == 1 ? NodeKind::kUnary : NodeKind::kChain, column, arguments);
  }

  absl::StatusOr<NodeIndex> ParseList() {
    const int column = Current().column;
    ASSIGN_OR_RETURN(const std::vector<Link> elements, ParseElements(TokenKind::kRightBracket));
    return Add(NodeKind::kList, column, elements);
  }

  // From the opening bracket to the closing one; a comma before the closing one is allowed.
  absl::StatusOr<std::vector<Link>> ParseElements(TokenKind closing) {
    const Token& opening = Take();
    std::vector<Link> elements;
    while (Current().kind != closing) {
      ASSIGN_OR_RETURN(const NodeIndex element, ParseExpression());
      elements.push_back({element});
      if (!Accept(TokenKind::kComma)) break;
    }
    RETURN_IF_ERROR(ExpectClosing(closing, opening));
    return elements;
  }

  NodeIndex Add(NodeKind kind, int column, const std::vector<Link>& links) {
    return result_.program.Add(kind, column, links);
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  int depth_ = 0;
  ParsedExpression result_;
};

}  // namespace

absl::StatusOr<ParsedExpression> ParseProgram(std::string_view text) {
  if (text.size() > limits::kExpressionBytes) {
    return ErrorAt(
        "", 0, absl::StrCat("the expression is longer than ", limits::kExpressionBytes, " bytes"));
  }
  ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  return Parser(text, std::move(tokens)).Run();
}

}  // namespace burnish::expr
