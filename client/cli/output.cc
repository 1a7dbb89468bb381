#include "client/cli/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"

namespace burnish::cli {
namespace {

std::string CodeName(absl::StatusCode code) {
  return absl::AsciiStrToLower(absl::StatusCodeToString(code));
}

void PrintCaret(const Diagnostic& diagnostic) {
  if (diagnostic.excerpt.empty() || diagnostic.line == 0) return;
  std::fprintf(stderr, "%5d | %s\n", diagnostic.line, diagnostic.excerpt.c_str());
  if (diagnostic.column > 0) {
    std::fprintf(stderr, "      | %s^\n", std::string(diagnostic.column - 1, ' ').c_str());
  }
}

// On standard error. Colour never says what the text does not.
bool UsesColor(const GlobalOptions& options) {
  if (options.color != "auto") return options.color == "always";
  const bool refused = !EnvironmentVariable("NO_COLOR").value_or("").empty();
  return !refused && ::isatty(STDERR_FILENO) != 0;
}

// Columns a terminal needs: UTF-8 continuation bytes take none.
size_t Width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kExitDone;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kUnimplemented:
      return kExitUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kExitUnreachable;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return kExitNotAllowed;
    case absl::StatusCode::kCancelled:
      return kExitInterrupted;
    default:
      return kExitJobFailed;
  }
}

int PrintError(const absl::Status& status, const GlobalOptions& options) {
  const Diagnostic diagnostic =
      DiagnosticOf(status).value_or(Diagnostic{.message = std::string(status.message())});
  if (options.json) {
    const nlohmann::ordered_json document = {
        {"code", CodeName(status.code())}, {"message", std::string(status.message())},
        {"hint", diagnostic.hint},         {"path", diagnostic.path},
        {"file", diagnostic.file},         {"line", diagnostic.line},
        {"column", diagnostic.column}};
    std::fprintf(stderr, "%s\n",
                 document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return ExitCodeOf(status);
  }
  std::fprintf(stderr, UsesColor(options) ? "\033[1;31merror:\033[0m %s\n" : "error: %s\n",
               FormatDiagnostic(diagnostic).c_str());
  PrintCaret(diagnostic);
  if (!diagnostic.hint.empty()) std::fprintf(stderr, "hint:  %s\n", diagnostic.hint.c_str());
  return ExitCodeOf(status);
}

void PrintWarning(const std::string& text, const GlobalOptions& options) {
  if (options.quiet || options.json) return;
  std::fprintf(stderr, "warning: %s\n", text.c_str());
}

std::string DocumentText(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

void PrintDocument(const nlohmann::ordered_json& document) {
  std::printf("%s\n", DocumentText(document).c_str());
}

void PrintLine(const nlohmann::ordered_json& document) {
  std::printf("%s\n",
              document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

absl::Status CheckMayWrite(const std::string& path, bool force) {
  struct stat found;
  if (path.empty() || ::stat(path.c_str(), &found) != 0) return absl::OkStatus();
  // Writing renames a new file into the place of whatever is there.
  if (!S_ISREG(found.st_mode)) return InvalidInput(absl::StrCat(path, " is no regular file"));
  if (force) return absl::OkStatus();
  return InvalidInput(absl::StrCat(path, " exists already"),
                      "say --force to overwrite it, or name another file: -o FILE");
}

std::string FormatTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&line, row[i]);
      if (i + 1 < row.size()) line.append(widths[i] - Width(row[i]) + 2, ' ');
    }
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return text;
}

}  // namespace burnish::cli
