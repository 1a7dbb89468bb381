#include "common/spec/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <sstream>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/spec/scalar.h"
#include "common/spec/utf8.h"

namespace burnish::spec {
namespace {

constexpr std::string_view kNoAliases = "aliases (*name) are not accepted";
constexpr std::string_view kAliasHint =
    "repeat the value; put an expression that starts with * in quotes";
constexpr size_t kExcerptBytes = 240;  // longer lines are not shown

Place PlaceOf(const YAML::Mark& mark) {
  return mark.is_null() ? Place{} : Place{mark.line + 1, mark.column + 1};
}

std::string JoinPath(const std::string& above, const std::string& key) {
  return above.empty() ? key : above + "." + key;
}

// Ends yaml-cpp's parse from within an event; never leaves this file.
struct Refused {
  absl::Status status;
};

}  // namespace

// Receives yaml-cpp's events and grows the tree of a document.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Document& document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!document_.nodes_.empty()) {
      Refuse(PlaceOf(mark), "", "a second document starts here", "one job per file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (ExpectsKey()) Refuse(PlaceOf(mark), Path(), "a key is missing before ':'");
    Add(Node::Kind::kNull, mark, "?", anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Refuse(PlaceOf(mark), Path(), kNoAliases, kAliasHint);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (ExpectsKey()) {
      CheckDecoration(mark, tag, anchor);
      TakeKey(PlaceOf(mark), value);
      return;
    }
    Node& node = Add(Node::Kind::kScalar, mark, tag, anchor);
    node.text = value;
    if (tag != "?") {  // in quotes
      node.value = value;
      return;
    }
    absl::StatusOr<expr::Value> typed = ReadPlainScalar(value);
    if (!typed.ok()) {
      const Diagnostic diagnostic = DiagnosticOf(typed.status()).value_or(Diagnostic{});
      Refuse(node.place, node.Path(), diagnostic.message, diagnostic.hint);
    }
    node.value = *std::move(typed);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(Node::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(Node::Kind::kMapping, mark, tag, anchor);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  // A mapping or list whose end has not come yet.
  struct Container {
    Node* node;
    bool has_key = false;  // a key waits for its value
    std::string key;
    Place key_place;
    absl::flat_hash_map<std::string, int> key_lines;
  };

  [[noreturn]] void Refuse(Place place, const std::string& path, std::string_view message,
                           std::string_view hint = "") {
    throw Refused{document_.Error(place, path, message, hint)};
  }

  // Of the value that comes next; of the mapping, where a key comes next.
  std::string Path() const {
    if (open_.empty()) return "";
    const Container& container = open_.back();
    const std::string above = container.node->Path();
    if (container.node->kind == Node::Kind::kList) {
      return above + "[" + std::to_string(container.node->children.size()) + "]";
    }
    return container.has_key ? JoinPath(above, container.key) : above;
  }

  bool ExpectsKey() const {
    return !open_.empty() && open_.back().node->kind == Node::Kind::kMapping &&
           !open_.back().has_key;
  }

  void CheckDecoration(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      Refuse(PlaceOf(mark), Path(), "anchors (&name) are not accepted",
             "write the value without its anchor; put an expression that starts with & in quotes");
    }
    if (!tag.empty() && tag != "?" && tag != "!") {
      Refuse(PlaceOf(mark), Path(), "tags (!name) are not accepted",
             "write the value without its tag; put an expression that starts with ! in quotes");
    }
  }

  void TakeKey(Place place, const std::string& key) {
    Container& mapping = open_.back();
    if (key.size() > limits::kNameBytes) {
      Refuse(place, Path(),
             "a key is longer than " + std::to_string(limits::kNameBytes) + " bytes");
    }
    if (TextPrefix(key) != key.size() || key.find_first_of("\t\r\n") != std::string::npos) {
      Refuse(place, Path(), "a key must be a single line without control characters");
    }
    const auto [first, inserted] = mapping.key_lines.emplace(key, place.line);
    if (!inserted) {
      Refuse(place, JoinPath(Path(), key), "duplicate key '" + key + "'",
             "it stands already at line " + std::to_string(first->second));
    }
    mapping.has_key = true;
    mapping.key = key;
    mapping.key_place = place;
  }

  Node& Add(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    CheckDecoration(mark, tag, anchor);
    if (ExpectsKey()) Refuse(PlaceOf(mark), Path(), "a key must be a name");
    Node& node = document_.nodes_.emplace_back();
    node.document = &document_;
    node.kind = kind;
    node.place = PlaceOf(mark);
    if (open_.empty()) return node;
    Container& container = open_.back();
    node.parent = container.node;
    node.index = container.node->children.size();
    container.node->children.push_back(&node);
    if (container.has_key) {
      node.key = container.key;
      node.key_place = container.key_place;
      container.has_key = false;
    }
    // yaml-cpp places a missing value at whatever token comes next.
    if (kind == Node::Kind::kNull && node.key_place.line > 0) node.place = node.key_place;
    return node;
  }

  void Open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    Node& node = Add(kind, mark, tag, anchor);
    if (open_.size() == limits::kDocumentDepth) {
      Refuse(node.place, node.Path(),
             "nested more than " + std::to_string(limits::kDocumentDepth) + " levels deep");
    }
    open_.push_back(Container{&node, false, "", {}, {}});
  }

  Document& document_;
  std::vector<Container> open_;
};

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Line and column of a byte.
Place PlaceOfByte(std::string_view text, size_t position) {
  Place place{1, 1};
  for (const char c : text.substr(0, position)) {
    ++place.column;
    if (c == '\n') place = Place{place.line + 1, 1};
  }
  return place;
}

absl::Status CheckText(const Document& document, std::string_view text) {
  if (text.size() > limits::kJobFileBytes) {
    return document.Error({}, "",
                          "a job file may have " + std::to_string(limits::kJobFileBytes) +
                              " bytes, this one has " + std::to_string(text.size()));
  }
  const size_t good = TextPrefix(text);
  if (good == text.size()) return absl::OkStatus();
  const bool control = static_cast<unsigned char>(text[good]) < 0x80;
  return document.Error(PlaceOfByte(text, good), "",
                        control ? "the file holds a control character" : "the file is not UTF-8",
                        "a job file is YAML or JSON text in UTF-8");
}

}  // namespace

Document::Document(std::string_view file_name, std::string_view text)
    : file_name_(file_name), text_(text) {
  std::string_view rest = text_;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines_.push_back(line);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
}

absl::StatusOr<std::unique_ptr<const Document>> Document::Parse(std::string_view file_name,
                                                                std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::unique_ptr<Document> document(new Document(file_name, text));
  if (absl::Status status = CheckText(*document, text); !status.ok()) return status;
  try {
    std::istringstream stream(document->text_);
    YAML::Parser parser(stream);
    TreeBuilder builder(*document);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return refused.status;
  } catch (const YAML::Exception& error) {
    if (error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR) {
      return document->Error(PlaceOf(error.mark), "", kNoAliases, kAliasHint);
    }
    return document->Error(PlaceOf(error.mark), "", "not YAML or JSON: " + error.msg);
  } catch (const std::exception& error) {
    return document->Error({}, "", std::string("not YAML or JSON: ") + error.what());
  }
  if (document->nodes_.empty()) return document->Error({}, "", "the file is empty");
  return std::unique_ptr<const Document>(std::move(document));
}

std::string_view Document::Line(int line) const {
  if (line < 1 || static_cast<size_t>(line) > lines_.size()) return {};
  return lines_[line - 1];
}

Place Document::InCharacters(Place place) const {
  if (place.column < 1) return place;
  const std::string_view before = Line(place.line).substr(0, place.column - 1);
  // A place past the end of its line keeps its distance.
  const int beyond = place.column - 1 - static_cast<int>(before.size());
  return {place.line, static_cast<int>(CountCharacters(before)) + beyond + 1};
}

absl::Status Document::Error(Place place, const std::string& path, std::string_view message,
                             std::string_view hint, absl::StatusCode code) const {
  Diagnostic diagnostic;
  diagnostic.file = file_name_;
  diagnostic.line = place.line;
  diagnostic.path = path;
  diagnostic.message = std::string(message);
  diagnostic.hint = std::string(hint);
  diagnostic.column = InCharacters(place).column;
  const std::string_view line = Line(place.line);
  const bool shown = line.size() <= kExcerptBytes && TextPrefix(line) == line.size();
  if (shown) diagnostic.excerpt = std::string(line);
  return DiagnosticStatus(code, diagnostic);
}

const Node* Node::Find(std::string_view wanted) const {
  if (kind != Kind::kMapping) return nullptr;
  for (const Node* child : children) {
    if (child->key == wanted) return child;
  }
  return nullptr;
}

std::string Node::Path() const {
  if (parent == nullptr) return "";
  const std::string above = parent->Path();
  if (parent->kind == Kind::kList) return above + "[" + std::to_string(index) + "]";
  return JoinPath(above, key);
}

}  // namespace burnish::spec
