#include "common/measured/json_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/base/utf8_text.h"
#include "nlohmann/json.hpp"

namespace burnish::measured {
namespace {

constexpr size_t kMessageBytes = 160;
// Begins the strings that stand for NaN and infinities while nlohmann's parser reads the text; as
// long as the words, so that places stay.
constexpr char kNotFinite = '\x7f';

// Bare NaN, Infinity and -Infinity as strings.
std::string MaskNotFinite(std::string_view text) {
  std::string masked(text);
  bool quoted = false;
  for (size_t i = 0; i < masked.size(); ++i) {
    if (masked[i] == '"') quoted = !quoted;
    if (quoted && masked[i] == '\\') ++i;
    if (quoted || i >= masked.size()) continue;
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (!std::string_view(masked).substr(i).starts_with(word)) continue;
      masked[i] = masked[i + word.size() - 1] = '"';
      masked[i + 1] = kNotFinite;
      i += word.size() - 1;
      break;
    }
  }
  return masked;
}

// The words of nlohmann's parser without its prefix and place.
std::string ParserMessage(const std::string& what) {
  size_t start = what.find("] ");
  start = start == std::string::npos ? 0 : start + 2;
  if (what.compare(start, 11, "parse error") == 0) {
    const size_t colon = what.find(": ", start);
    if (colon != std::string::npos) start = colon + 2;
  }
  std::string message = what.substr(start);
  if (message.size() > kMessageBytes) message = message.substr(0, kMessageBytes) + "…";
  return Utf8Text(message);
}

// Receives nlohmann's events and grows the tree.
class TreeBuilder {
 public:
  using Parser = nlohmann::json;

  explicit TreeBuilder(std::string_view text) : text_(text) {}

  bool null() { return Add({}); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(int64_t value) { return Add(value); }
  bool number_unsigned(uint64_t value) {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Add(static_cast<double>(value));
    }
    return Add(static_cast<int64_t>(value));
  }
  bool number_float(double value, const std::string&) { return Add(value); }
  bool string(std::string& value) {
    if (!value.empty() && value.front() == kNotFinite) {
      return Add(std::numeric_limits<double>::quiet_NaN());
    }
    return Add(std::move(value));
  }
  bool binary(Parser::binary_t&) { return false; }
  bool start_object(size_t) { return Open(JsonObject()); }
  bool key(std::string& name) {
    std::get<JsonObject>(*open_.back()).push_back({std::move(name), {}});
    return true;
  }
  bool end_object() { return Close(); }
  bool start_array(size_t) { return Open(JsonList()); }
  bool end_array() { return Close(); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) {
    json_.trailing = started_ && open_.empty();
    cut_ = started_ && !json_.trailing && position > text_.size();
    if (!json_.trailing && !cut_) Refuse(position, ParserMessage(error.what()));
    return false;
  }

  absl::StatusOr<JsonText> Finish() && {
    RETURN_IF_ERROR(status_);
    json_.open = static_cast<int>(open_.size());
    json_.line = 1 + std::count(text_.begin(), text_.end(), '\n');
    return std::move(json_);
  }

 private:
  bool Add(JsonValue value) {
    Place(std::move(value));
    return true;
  }
  JsonValue* Place(JsonValue value) {
    started_ = true;
    if (open_.empty()) {
      json_.root = std::move(value);
      return &json_.root;
    }
    if (auto* list = std::get_if<JsonList>(open_.back())) {
      return &list->emplace_back(std::move(value));
    }
    JsonValue& member = std::get<JsonObject>(*open_.back()).back().value;
    member = std::move(value);
    return &member;
  }
  bool Open(JsonValue container) {
    if (open_.size() == limits::kDocumentDepth) {
      status_ =
          InvalidInput(absl::StrCat("nested more than ", limits::kDocumentDepth, " levels deep"),
                       "files of measurements are flat");
      return false;
    }
    // Addresses stay: only the innermost container grows.
    open_.push_back(Place(std::move(container)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }
  void Refuse(size_t position, const std::string& message) {
    const std::string_view before =
        text_.substr(0, std::min(position > 0 ? position - 1 : 0, text_.size()));
    Diagnostic diagnostic;
    diagnostic.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    diagnostic.column = static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1;
    diagnostic.message = "not JSON: " + message;
    status_ = DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
  }

  std::string_view text_;
  JsonText json_;
  std::vector<JsonValue*> open_;
  bool started_ = false;
  bool cut_ = false;
  absl::Status status_;
};

absl::Status Missing(const std::string& path, std::string_view key, std::string_view kind) {
  return ErrorAtPath(path, absl::StrCat("the ", std::string(kind), " '", std::string(key),
                                        "' is missing or something else"));
}

}  // namespace

const JsonValue* JsonValue::Find(std::string_view key) const {
  const JsonObject* object = Object();
  if (object == nullptr) return nullptr;
  const auto member = std::find_if(object->rbegin(), object->rend(),
                                   [key](const JsonMember& each) { return each.key == key; });
  return member == object->rend() ? nullptr : &member->value;
}

std::optional<double> JsonValue::Number() const {
  if (const auto* integer = std::get_if<int64_t>(this)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(this)) return *real;
  return std::nullopt;
}

absl::StatusOr<JsonText> ParseJson(std::string_view text) {
  // A power loss leaves zeros at the end.
  text = text.substr(0, text.find_last_not_of(std::string_view(" \t\r\n\0", 5)) + 1);
  if (text.empty()) return InvalidInput("the file is empty");
  const bool not_finite = text.find("NaN") != text.npos || text.find("Infinity") != text.npos;
  const std::string masked = not_finite ? MaskNotFinite(text) : "";
  if (not_finite) text = masked;
  TreeBuilder builder(text);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).Finish();
}

absl::Status ErrorAtPath(const std::string& path, std::string_view message, std::string_view hint) {
  Diagnostic diagnostic;
  diagnostic.path = path;
  diagnostic.message = std::string(message);
  diagnostic.hint = std::string(hint);
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

absl::StatusOr<const JsonList*> RequireList(const JsonValue& object, const std::string& path,
                                            std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr || value->List() == nullptr) return Missing(path, key, "list");
  return value->List();
}

absl::StatusOr<const JsonObject*> RequireObject(const JsonValue& object, const std::string& path,
                                                std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr || value->Object() == nullptr) return Missing(path, key, "object");
  return value->Object();
}

absl::StatusOr<std::string> RequireText(const JsonValue& object, const std::string& path,
                                        std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr || value->Text() == nullptr) return Missing(path, key, "string");
  return *value->Text();
}

absl::StatusOr<expr::Value> ParameterValue(const JsonValue& json, const std::string& path) {
  if (const auto* boolean = std::get_if<bool>(&json)) return expr::Value(*boolean);
  if (const auto* integer = std::get_if<int64_t>(&json)) return expr::Value(*integer);
  if (const auto* text = json.Text()) return expr::Value(*text);
  const auto* real = std::get_if<double>(&json);
  if (real != nullptr && std::isfinite(*real)) return expr::Value(*real);
  return ErrorAtPath(path, "is no value for a parameter",
                     "a finite number, a string, true or false");
}

std::string TextOr(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  return value != nullptr && value->Text() != nullptr ? *value->Text() : "";
}

}  // namespace burnish::measured
