// Errors about something a person wrote: where it stands, what is wrong, what would be right.
// A Diagnostic travels inside an absl::Status as a payload; the status's message is its one-line
// text form (`job.yaml:14:29: kernel.constraints[0]: unknown name 'BLCK'`).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace burnish {

struct Diagnostic {
  std::string file;     // as the user named it; empty if there is none
  int line = 0;         // from 1; 0 is unknown
  int column = 0;       // from 1; 0 is unknown
  std::string path;     // path of the key: `kernel.constraints[0]`
  std::string message;  // what is wrong, one sentence without a full stop
  std::string hint;     // what would be right; may be empty
  std::string excerpt;  // the source line at `line`, for the caret display; may be empty

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// `file:line:column: path: message`, leaving out what is unknown.
std::string FormatDiagnostic(const Diagnostic& diagnostic);
absl::Status DiagnosticStatus(absl::StatusCode code, const Diagnostic& diagnostic);
// InvalidArgument without a place: for command lines and values.
absl::Status InvalidInput(std::string_view message, std::string_view hint = "");
std::optional<Diagnostic> DiagnosticOf(const absl::Status& status);

// Serialised form for crossing a process border (JSON); Decode gives nothing for a foreign text.
std::string EncodeDiagnostic(const Diagnostic& diagnostic);
std::optional<Diagnostic> DecodeDiagnostic(std::string_view text);

// The candidate nearest to `name` if it is near enough to be what was meant (edit distance of at
// most a third of the longer name, case ignored).
std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates);
// "did you mean 'BLOCK'?", or "known: A, B, C", or empty without candidates.
std::string NameHint(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace burnish
