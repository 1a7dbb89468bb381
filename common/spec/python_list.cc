#include "common/spec/python_list.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::spec {
namespace {

using Values = std::vector<expr::Value>;

constexpr int kDepth = 16;            // of lists in lists
constexpr size_t kSteps = 100'000;    // of all loops together
constexpr size_t kBytesPerStep = 32;  // of the text that a step reads
constexpr std::string_view kListHint =
    "write a list, list(range(start, stop, step)) or [… for name in …]";

std::string_view Trim(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(text.front())) text.remove_prefix(1);
  while (!text.empty() && absl::ascii_isspace(text.back())) text.remove_suffix(1);
  return text;
}

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// Goes through a text and knows what lies outside brackets and quotes.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Past the bracket or the quoted text that starts at `position`; past one character else.
  size_t Skip(size_t position) const {
    const char c = text_[position];
    if (c == '\'' || c == '"') {
      size_t end = position + 1;
      while (end < text_.size() && text_[end] != c) end += text_[end] == '\\' ? 2 : 1;
      return std::min(end + 1, text_.size());
    }
    if (c != '(' && c != '[' && c != '{') return position + 1;
    int depth = 0;
    for (size_t i = position; i < text_.size();) {
      const char at = text_[i];
      if (at == '(' || at == '[' || at == '{') ++depth;
      if (at == ')' || at == ']' || at == '}') --depth;
      if (depth == 0) return i + 1;
      i = at == '\'' || at == '"' ? Skip(i) : i + 1;
    }
    return text_.size();
  }
  // A word outside brackets, from `start` on; npos if there is none.
  size_t FindWord(std::string_view word, size_t start = 0) const {
    for (size_t i = start; i < text_.size(); i = Skip(i)) {
      const bool begins = i == 0 || !IsWordCharacter(text_[i - 1]);
      const size_t end = i + word.size();
      if (begins && text_.substr(i, word.size()) == word &&
          (end >= text_.size() || !IsWordCharacter(text_[end]))) {
        return i;
      }
    }
    return text_.npos;
  }
  std::vector<std::string_view> Split(char separator) const {
    std::vector<std::string_view> parts;
    size_t start = 0;
    for (size_t i = 0; i < text_.size(); i = Skip(i)) {
      if (text_[i] != separator) continue;
      parts.push_back(text_.substr(start, i - start));
      start = i + 1;
    }
    parts.push_back(text_.substr(start));
    return parts;
  }

 private:
  std::string_view text_;
};

// What stands between `opening` and its bracket, if the text is nothing else: "list(" or "[".
std::optional<std::string_view> Inside(std::string_view text, std::string_view opening) {
  if (!text.starts_with(opening)) return std::nullopt;
  const size_t bracket = opening.size() - 1;
  const char closing = opening.back() == '[' ? ']' : ')';
  if (Scanner(text).Skip(bracket) != text.size() || text.back() != closing) return std::nullopt;
  return text.substr(opening.size(), text.size() - opening.size() - 1);
}

std::string ListText(const Values& values) {
  std::string text = "[";
  for (const expr::Value& value : values) {
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", expr::FormatValue(value));
  }
  return text + "]";
}

class ListEvaluator {
 public:
  explicit ListEvaluator(const NamedLists& lists) : lists_(lists) {}

  absl::StatusOr<Values> List(std::string_view text, int depth = 0);
  // The text in the expression language.
  absl::StatusOr<std::string> Translate(std::string_view text, int depth);

 private:
  struct Clause {
    std::string name;  // of a `for`; empty: an `if`
    std::string_view text;
  };

  absl::StatusOr<Values> Term(std::string_view text, int depth);
  absl::StatusOr<Values> Items(std::string_view text, int depth);
  absl::StatusOr<Values> Range(std::string_view arguments, int depth);
  absl::StatusOr<Values> Comprehension(std::string_view text, size_t first_for, int depth);
  absl::Status Run(std::string_view body, const std::vector<Clause>& clauses, size_t next,
                   int depth, Values& results);
  absl::StatusOr<expr::Value> Scalar(std::string_view text, int depth);
  absl::Status Append(expr::Value value, Values& values);
  // A list by its name, at `position` of a text: NAME[0] or max(NAME). Moves past it.
  absl::StatusOr<std::optional<std::string>> UseOfList(std::string_view text, std::string_view word,
                                                       size_t& position);

  const NamedLists& lists_;
  std::vector<std::pair<std::string, expr::Value>> loop_variables_;
  size_t steps_ = 0;
};

absl::Status ListEvaluator::Append(expr::Value value, Values& values) {
  if (values.size() == limits::kParameterValues) {
    return InvalidInput(absl::StrCat("has more than ", limits::kParameterValues, " values"));
  }
  values.push_back(std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<Values> ListEvaluator::List(std::string_view text, int depth) {
  if (depth > kDepth) {
    return InvalidInput(absl::StrCat("lists are nested more than ", kDepth, " deep"));
  }
  Values values;
  for (const std::string_view part : Scanner(text).Split('+')) {
    ASSIGN_OR_RETURN(Values term, Term(Trim(part), depth));
    for (expr::Value& value : term) RETURN_IF_ERROR(Append(std::move(value), values));
  }
  return values;
}

absl::StatusOr<Values> ListEvaluator::Term(std::string_view text, int depth) {
  if (const auto body = Inside(text, "[")) {
    const size_t first_for = Scanner(*body).FindWord("for");
    return first_for == body->npos ? Items(*body, depth) : Comprehension(*body, first_for, depth);
  }
  for (const std::string_view conversion : {"list(", "tuple("}) {
    if (const auto body = Inside(text, conversion)) return List(*body, depth + 1);
  }
  if (const auto arguments = Inside(text, "range(")) return Range(*arguments, depth);
  if (const auto body = Inside(text, "(")) {
    const bool is_tuple = Scanner(*body).Split(',').size() > 1;
    return is_tuple ? Items(*body, depth) : List(*body, depth + 1);
  }
  if (const auto named = lists_.find(text); named != lists_.end()) return named->second;
  return InvalidInput("is no list of values", kListHint);
}

absl::StatusOr<Values> ListEvaluator::Items(std::string_view text, int depth) {
  Values values;
  std::vector<std::string_view> items = Scanner(text).Split(',');
  if (Trim(items.back()).empty()) items.pop_back();  // Python allows a comma at the end
  for (const std::string_view item : items) {
    ASSIGN_OR_RETURN(expr::Value value, Scalar(item, depth));
    RETURN_IF_ERROR(Append(std::move(value), values));
  }
  return values;
}

absl::StatusOr<Values> ListEvaluator::Range(std::string_view arguments, int depth) {
  std::vector<int64_t> numbers;
  for (const std::string_view argument : Scanner(arguments).Split(',')) {
    ASSIGN_OR_RETURN(const expr::Value value, Scalar(argument, depth));
    const auto* integer = std::get_if<int64_t>(&value);
    if (integer == nullptr) return InvalidInput("range() takes integers");
    numbers.push_back(*integer);
  }
  if (numbers.size() > 3) return InvalidInput("range() takes up to three integers");
  if (numbers.size() == 1) numbers.insert(numbers.begin(), 0);
  const int64_t step = numbers.size() == 3 ? numbers[2] : 1;
  if (step == 0) return InvalidInput("the step of range() must not be 0");
  Values values;
  int64_t value = numbers[0];
  while (step > 0 ? value < numbers[1] : value > numbers[1]) {
    RETURN_IF_ERROR(Append(value, values));
    if (__builtin_add_overflow(value, step, &value)) break;
  }
  return values;
}

absl::StatusOr<Values> ListEvaluator::Comprehension(std::string_view text, size_t first_for,
                                                    int depth) {
  const Scanner scanner(text);
  std::vector<Clause> clauses;
  for (size_t start = first_for; start != text.npos;) {
    const bool is_for = text.substr(start, 3) == "for";
    const size_t body = start + (is_for ? 3 : 2);
    const size_t end = std::min(scanner.FindWord("for", body), scanner.FindWord("if", body));
    std::string_view clause = text.substr(body, end == text.npos ? text.npos : end - body);
    std::string name;
    if (is_for) {
      const size_t in = Scanner(clause).FindWord("in");
      if (in == clause.npos) return InvalidInput("`for` lacks its `in`", kListHint);
      name = Trim(clause.substr(0, in));
      if (!expr::IsIdentifier(name)) {
        return InvalidInput("`for` takes one name in a list of T1", kListHint);
      }
      clause.remove_prefix(in + 2);
    }
    clauses.push_back({name, Trim(clause)});
    start = end;
  }
  if (clauses.size() > kDepth) {
    return InvalidInput(absl::StrCat("more than ", kDepth, " `for` and `if`"));
  }
  Values results;
  RETURN_IF_ERROR(Run(text.substr(0, first_for), clauses, 0, depth + 1, results));
  return results;
}

absl::Status ListEvaluator::Run(std::string_view body, const std::vector<Clause>& clauses,
                                size_t next, int depth, Values& results) {
  if (next == clauses.size()) {
    ASSIGN_OR_RETURN(expr::Value value, Scalar(body, depth));
    return Append(std::move(value), results);
  }
  const Clause& clause = clauses[next];
  if (clause.name.empty()) {
    ASSIGN_OR_RETURN(const expr::Value value,
                     Scalar("not (" + std::string(clause.text) + ")", depth));
    const auto* fails = std::get_if<bool>(&value);
    if (fails != nullptr && *fails) return absl::OkStatus();
    return Run(body, clauses, next + 1, depth, results);
  }
  ASSIGN_OR_RETURN(const Values values, List(clause.text, depth));
  for (const expr::Value& value : values) {
    loop_variables_.emplace_back(clause.name, value);
    const absl::Status status = Run(body, clauses, next + 1, depth, results);
    loop_variables_.pop_back();
    RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

absl::StatusOr<expr::Value> ListEvaluator::Scalar(std::string_view text, int depth) {
  steps_ += 1 + text.size() / kBytesPerStep;
  if (steps_ > kSteps) return InvalidInput("takes too many steps", "list fewer values");
  ASSIGN_OR_RETURN(const std::string translated, Translate(Trim(text), depth));
  ASSIGN_OR_RETURN(const expr::Expression expression, expr::Expression::Parse(translated));
  Values values;
  for (const std::string& name : expression.names()) {
    const auto bound = std::find_if(loop_variables_.rbegin(), loop_variables_.rend(),
                                    [&name](const auto& each) { return each.first == name; });
    if (bound == loop_variables_.rend()) {
      return InvalidInput("unknown name '" + name + "'", "only loops have names here");
    }
    values.push_back(bound->second);
  }
  ASSIGN_OR_RETURN(expr::Value value, expression.Evaluate(values));
  if (std::holds_alternative<expr::List>(value)) return InvalidInput("a value is a list itself");
  return value;
}

absl::StatusOr<std::optional<std::string>> ListEvaluator::UseOfList(std::string_view text,
                                                                    std::string_view word,
                                                                    size_t& position) {
  const size_t open = position + word.size();
  if (open >= text.size() || (text[open] != '(' && text[open] != '[')) return std::nullopt;
  const size_t end = Scanner(text).Skip(open);
  if (end < open + 2) return std::nullopt;
  const std::string_view inside = Trim(text.substr(open + 1, end - open - 2));
  const bool indexed = text[open] == '[';
  const auto list = lists_.find(indexed ? word : inside);
  if (list == lists_.end()) return std::nullopt;
  const Values& values = list->second;
  const auto less = [](const expr::Value& a, const expr::Value& b) {
    const auto* left = std::get_if<int64_t>(&a);
    const auto* right = std::get_if<int64_t>(&b);
    return left != nullptr && right != nullptr && *left < *right;
  };
  std::optional<expr::Value> value;
  if (indexed) {
    const std::optional<int64_t> index = ParseInteger(inside);
    if (!index.has_value() || *index < 0 || static_cast<size_t>(*index) >= values.size()) {
      return InvalidInput(absl::StrCat("'", std::string(word), "[", std::string(inside),
                                       "]': there are ", values.size(), " values"));
    }
    value = values[*index];
  } else if (values.empty()) {
    return std::nullopt;
  } else if (word == "max") {
    value = *std::max_element(values.begin(), values.end(), less);
  } else if (word == "min") {
    value = *std::min_element(values.begin(), values.end(), less);
  } else if (word == "len") {
    value = static_cast<int64_t>(values.size());
  } else {
    return std::nullopt;
  }
  position = end;
  return "(" + expr::FormatValue(*value) + ")";
}

absl::StatusOr<std::string> ListEvaluator::Translate(std::string_view text, int depth) {
  if (text.size() > limits::kExpressionBytes) {
    return InvalidInput(
        absl::StrCat("an expression is longer than ", limits::kExpressionBytes, " bytes"));
  }
  const Scanner scanner(text);
  std::string translated;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    size_t end = i + 1;
    if (c == '\'' || c == '"') {
      end = scanner.Skip(i);
    } else if (c == '[') {
      end = scanner.Skip(i);
      const std::string_view list = text.substr(i, end - i);
      if (list.size() > 2 &&
          Scanner(list.substr(1, list.size() - 2)).FindWord("for") != list.npos) {
        ASSIGN_OR_RETURN(const Values values, List(list, depth + 1));
        translated += ListText(values);
        i = end;
        continue;
      }
      end = i + 1;
    } else if (IsWordCharacter(c)) {
      while (end < text.size() && IsWordCharacter(text[end])) ++end;
      const std::string_view word = text.substr(i, end - i);
      if ((word == "math" || word == "np" || word == "numpy") && text.substr(end, 1) == ".") {
        i = end + 1;
        continue;
      }
      if ((word == "range" || word == "list") && text.substr(end, 1) == "(") {
        end = scanner.Skip(end);
        ASSIGN_OR_RETURN(const Values values, List(text.substr(i, end - i), depth + 1));
        translated += ListText(values);
        i = end;
        continue;
      }
      ASSIGN_OR_RETURN(const std::optional<std::string> used, UseOfList(text, word, i));
      if (used.has_value()) {
        translated += *used;
        continue;
      }
    }
    translated += text.substr(i, end - i);
    i = end;
  }
  return translated;
}

}  // namespace

absl::StatusOr<Values> EvaluatePythonList(std::string_view text, const NamedLists& lists) {
  return ListEvaluator(lists).List(Trim(text));
}

absl::StatusOr<expr::Expression> ParsePythonExpression(std::string_view text,
                                                       const NamedLists& lists) {
  ASSIGN_OR_RETURN(const std::string translated, ListEvaluator(lists).Translate(text, 0));
  return expr::Expression::Parse(translated);
}

}  // namespace burnish::spec
