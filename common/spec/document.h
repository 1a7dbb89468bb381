// The text of a job file as a tree of mappings, lists and scalars that remember where they stand.
//
// Wraps yaml-cpp and accepts the part of YAML in which a text means what it looks like (JSON is in
// it): one document, no aliases, anchors or tags, no duplicate keys, scalars by the grammar of
// scalar.h, size and nesting bounded. Immutable once parsed, so thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/expr/value.h"

namespace burnish::spec {

// Line and column count from 1, columns in bytes; 0 is unknown.
struct Place {
  int line = 0;
  int column = 0;
};

class Document;

struct Node {
  enum class Kind { kNull, kScalar, kList, kMapping };

  const Document* document = nullptr;
  const Node* parent = nullptr;  // null for the root
  std::string key;               // if the parent is a mapping
  size_t index = 0;              // position in the parent
  Place key_place;
  Kind kind = Kind::kNull;
  Place place;
  std::string text;   // scalars: as written, without quotes
  expr::Value value;  // scalars: typed; quoted ones are strings
  std::vector<const Node*> children;

  // The child under `key`; null if there is none.
  const Node* Find(std::string_view key) const;
  // `kernel.constraints[0]`; empty for the root.
  std::string Path() const;
};

class Document {
 public:
  static absl::StatusOr<std::unique_ptr<const Document>> Parse(std::string_view file_name,
                                                               std::string_view text);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const Node& root() const { return nodes_.front(); }
  // Without its line end; empty beyond the last line.
  std::string_view Line(int line) const;
  // `place` with its column counted in characters, as people count.
  Place InCharacters(Place place) const;
  // A Diagnostic about `place` in this file.
  absl::Status Error(Place place, const std::string& path, std::string_view message,
                     std::string_view hint = "",
                     absl::StatusCode code = absl::StatusCode::kInvalidArgument) const;

 private:
  friend class TreeBuilder;
  Document(std::string_view file_name, std::string_view text);

  std::string file_name_;
  std::string text_;
  std::vector<std::string_view> lines_;
  std::deque<Node> nodes_;  // stable addresses; the first is the root
};

}  // namespace burnish::spec
