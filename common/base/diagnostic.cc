#include "common/base/diagnostic.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace burnish {
namespace {

constexpr char kPayloadUrl[] = "burnish/diagnostic";

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Edits (insertions, deletions, substitutions, swaps of neighbours) from `a` to `b`, case ignored:
// Damerau and Levenshtein, restricted to at most one edit of each substring.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
                           Lower(a[i - 2]) == Lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string FormatDiagnostic(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.file.empty()) {
    absl::StrAppend(&text, diagnostic.file, ":");
    if (diagnostic.line > 0) absl::StrAppend(&text, diagnostic.line, ":");
    if (diagnostic.line > 0 && diagnostic.column > 0) {
      absl::StrAppend(&text, diagnostic.column, ":");
    }
    absl::StrAppend(&text, " ");
  }
  if (!diagnostic.path.empty()) absl::StrAppend(&text, diagnostic.path, ": ");
  return absl::StrCat(text, diagnostic.message);
}

absl::Status DiagnosticStatus(absl::StatusCode code, const Diagnostic& diagnostic) {
  absl::Status status(code, FormatDiagnostic(diagnostic));
  status.SetPayload(kPayloadUrl, absl::Cord(EncodeDiagnostic(diagnostic)));
  return status;
}

absl::Status InvalidInput(std::string_view message, std::string_view hint) {
  Diagnostic diagnostic;
  diagnostic.message = message;
  diagnostic.hint = hint;
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

std::optional<Diagnostic> DiagnosticOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return std::nullopt;
  return DecodeDiagnostic(std::string(*payload));
}

std::string EncodeDiagnostic(const Diagnostic& diagnostic) {
  const nlohmann::json json = {{"file", diagnostic.file},       {"line", diagnostic.line},
                               {"column", diagnostic.column},   {"path", diagnostic.path},
                               {"message", diagnostic.message}, {"hint", diagnostic.hint},
                               {"excerpt", diagnostic.excerpt}};
  // A quoted piece of a broken file need not be UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Diagnostic> DecodeDiagnostic(std::string_view text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    return Diagnostic{.file = json.at("file").get<std::string>(),
                      .line = json.at("line").get<int>(),
                      .column = json.at("column").get<int>(),
                      .path = json.at("path").get<std::string>(),
                      .message = json.at("message").get<std::string>(),
                      .hint = json.at("hint").get<std::string>(),
                      .excerpt = json.at("excerpt").get<std::string>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates) {
  const std::string* nearest = nullptr;
  size_t nearest_distance = 0;
  for (const std::string& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    // The distance is at least the difference in length: no need to compute it for the hopeless.
    if (3 * (longer - shorter) > longer) continue;
    const size_t distance = EditDistance(name, candidate);
    if (3 * distance > longer) continue;
    if (nearest == nullptr || distance < nearest_distance) {
      nearest = &candidate;
      nearest_distance = distance;
    }
  }
  if (nearest == nullptr) return std::nullopt;
  return *nearest;
}

std::string NameHint(std::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  if (const auto nearest = NearestName(name, candidates); nearest.has_value()) {
    return absl::StrCat("did you mean '", *nearest, "'?");
  }
  return absl::StrCat("known: ", absl::StrJoin(candidates, ", "));
}

}  // namespace burnish
