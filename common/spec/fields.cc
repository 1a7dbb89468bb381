#include "common/spec/fields.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/utf8.h"

namespace burnish::spec {
namespace {

constexpr size_t kQuotedBytes = 60;

std::string Describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMapping:
      return "a mapping";
    case Node::Kind::kScalar:
      break;
  }
  const bool is_string = std::holds_alternative<std::string>(node.value);
  return std::string("the ") + expr::TypeName(node.value) + " " +
         (is_string ? Quoted(node.text) : std::string(CutText(node.text, kQuotedBytes)));
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

absl::Status ErrorAt(const Node& node, std::string_view message, std::string_view hint) {
  return node.document->Error(node.place, node.Path(), message, hint);
}

absl::Status ErrorAtKey(const Node& node, std::string_view message, std::string_view hint) {
  const Place place = node.key_place.line > 0 ? node.key_place : node.place;
  return node.document->Error(place, node.Path(), message, hint);
}

std::string Quoted(std::string_view text) {
  const std::string_view cut = CutText(text, kQuotedBytes);
  std::string quoted = "'";
  for (const char c : cut) quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  return quoted + (cut.size() < text.size() ? "…'" : "'");
}

absl::Status WrongType(const Node& node, std::string_view expected, std::string_view hint) {
  return ErrorAt(node, "must be " + std::string(expected) + ", not " + Describe(node), hint);
}

absl::Status CheckKeys(const Node& node, const Vocabulary& keys) {
  RETURN_IF_ERROR(CheckMapping(node));
  for (const Node* child : node.children) {
    if (Contains(keys.known, child->key)) continue;
    if (Contains(keys.later, child->key)) {
      return ErrorAtKey(*child, "`" + child->key + "` is not supported by this version");
    }
    return ErrorAtKey(*child, "unknown key " + Quoted(child->key),
                      NameHint(child->key, keys.known));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadName(const Node& node, std::string_view what,
                                     const Vocabulary& names) {
  ASSIGN_OR_RETURN(const std::string name, ReadText(node));
  if (Contains(names.known, name)) return name;
  if (Contains(names.later, name)) {
    return ErrorAt(node, std::string(what) + " '" + name + "' is not supported by this version",
                   NameHint("", names.known));
  }
  return ErrorAt(node, "unknown " + std::string(what) + " " + Quoted(name),
                 NameHint(name, names.known));
}

absl::StatusOr<const Node*> Require(const Node& mapping, std::string_view key) {
  const Node* node = mapping.Find(key);
  if (node != nullptr) return node;
  return ErrorAtKey(mapping, "the key '" + std::string(key) + "' is missing");
}

absl::Status CheckMapping(const Node& node, std::string_view hint) {
  if (node.kind == Node::Kind::kMapping) return absl::OkStatus();
  return WrongType(node, "a mapping", hint);
}

absl::Status CheckList(const Node& node, std::string_view hint) {
  if (node.kind == Node::Kind::kList) return absl::OkStatus();
  return WrongType(node, "a list", hint);
}

absl::StatusOr<std::string> ReadText(const Node& node, std::string_view hint) {
  const bool is_string =
      node.kind == Node::Kind::kScalar && std::holds_alternative<std::string>(node.value);
  if (!is_string) {
    const bool is_scalar = node.kind == Node::Kind::kScalar;
    return WrongType(node, "a string", hint.empty() && is_scalar ? "put it in quotes" : hint);
  }
  if (node.text.empty()) return ErrorAt(node, "is empty", hint);
  if (TextPrefix(node.text) != node.text.size() ||
      node.text.find_first_of("\t\r\n") != std::string::npos) {
    return ErrorAt(node, "must be a single line without control characters");
  }
  return node.text;
}

absl::StatusOr<std::vector<std::string>> ReadTexts(const Node& node, size_t max_count) {
  RETURN_IF_ERROR(CheckList(node));
  if (node.children.size() > max_count) {
    return ErrorAt(node, "has " + std::to_string(node.children.size()) + " items; at most " +
                             std::to_string(max_count) + " are accepted");
  }
  std::vector<std::string> texts;
  for (const Node* child : node.children) {
    ASSIGN_OR_RETURN(std::string text, ReadText(*child));
    texts.push_back(std::move(text));
  }
  return texts;
}

absl::StatusOr<bool> ReadBoolean(const Node& node) {
  const auto* boolean = node.kind == Node::Kind::kScalar ? std::get_if<bool>(&node.value) : nullptr;
  if (boolean == nullptr) return WrongType(node, "true or false");
  return *boolean;
}

absl::StatusOr<int64_t> ReadInteger(const Node& node, int64_t minimum, int64_t maximum) {
  const auto* integer =
      node.kind == Node::Kind::kScalar ? std::get_if<int64_t>(&node.value) : nullptr;
  if (integer == nullptr) return WrongType(node, "an integer");
  if (*integer >= minimum && *integer <= maximum) return *integer;
  return ErrorAt(node, "must be from " + std::to_string(minimum) + " to " +
                           std::to_string(maximum) + ", not " + std::to_string(*integer));
}

absl::StatusOr<double> ReadPositive(const Node& node, double maximum, std::string_view hint) {
  double number = 0;
  if (node.kind != Node::Kind::kScalar) return WrongType(node, "a number", hint);
  if (const auto* integer = std::get_if<int64_t>(&node.value)) {
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&node.value)) {
    number = *real;
  } else {
    return WrongType(node, "a number", hint);
  }
  if (number > 0 && number <= maximum) return number;
  return ErrorAt(node,
                 "must be above 0 and at most " + std::to_string(static_cast<int64_t>(maximum)) +
                     ", not " + node.text,
                 hint);
}

}  // namespace burnish::spec
