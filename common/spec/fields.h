// Typed reading of document nodes. Every error is a Diagnostic at the node: file, line, column,
// path, what is wrong and what would be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/spec/document.h"

namespace burnish::spec {

// An error about a node's value; about its key, if it has no value.
absl::Status ErrorAt(const Node& node, std::string_view message, std::string_view hint = "");
// An error about the key that a node stands under (the node itself in a list).
absl::Status ErrorAtKey(const Node& node, std::string_view message, std::string_view hint = "");

// `text` in quotes, shortened, without control characters: for messages.
std::string Quoted(std::string_view text);
// "must be a list, not the string 'x'".
absl::Status WrongType(const Node& node, std::string_view expected, std::string_view hint = "");

// Names that mean something in one place.
struct Vocabulary {
  std::vector<std::string> known;
  std::vector<std::string> later = {};  // of Burnish, but not of this version
};
// "`limits` is not supported by this version", or an error that names the nearest known key.
absl::Status CheckKeys(const Node& node, const Vocabulary& keys);
// The same for the text of a node; `what` is "strategy".
absl::StatusOr<std::string> ReadName(const Node& node, std::string_view what,
                                     const Vocabulary& names);

absl::StatusOr<const Node*> Require(const Node& mapping, std::string_view key);

absl::Status CheckMapping(const Node& node, std::string_view hint = "");
absl::Status CheckList(const Node& node, std::string_view hint = "");
// A string that is not empty and fits a line.
absl::StatusOr<std::string> ReadText(const Node& node, std::string_view hint = "");
absl::StatusOr<std::vector<std::string>> ReadTexts(const Node& node, size_t max_count);
absl::StatusOr<bool> ReadBoolean(const Node& node);
absl::StatusOr<int64_t> ReadInteger(const Node& node, int64_t minimum, int64_t maximum);
// Above 0 and at most `maximum`.
absl::StatusOr<double> ReadPositive(const Node& node, double maximum, std::string_view hint = "");

}  // namespace burnish::spec
