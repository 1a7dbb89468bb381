#include "agent/backends/cpu/diagnostics.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/base/limits.h"

namespace burnish::backends::cpu {
namespace {

bool IsError(const std::string& line) { return absl::StrContains(line, "error:"); }

// What the first error means if it lies in the generated call of the entry; else empty.
std::string MeaningOfWrapperError(const CompileJob& job, const std::string& error) {
  if (!absl::StartsWith(error, std::string(kWrapperName))) return "";
  const std::string& entry = job.kernel.entry;
  if (absl::StrContains(error, "was not declared") ||
      absl::StrContains(error, "undeclared identifier")) {
    return absl::StrCat(job.role, ".entry: '", entry, "' is not declared in ",
                        job.kernel.source.file);
  }
  return absl::StrCat("kernel.arguments: they do not fit the parameters of '", entry, "' in ",
                      job.kernel.source.file);
}

}  // namespace

std::string CompileMessage(const CompileJob& job, std::string_view output,
                           const std::string& build_folder) {
  const std::string text =
      absl::StrReplaceAll(std::string(output), {{build_folder + "/", ""}, {build_folder, ""}});
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());

  std::vector<std::string> kept;
  std::string meaning;
  bool seen_error = false;
  for (const std::string& line : lines) {
    if (IsError(line) && !seen_error) {
      meaning = MeaningOfWrapperError(job, line);
      seen_error = true;
    }
    // With an error of the user's own before them, errors in our call only follow from it.
    if (absl::StartsWith(line, std::string(kWrapperName)) && meaning.empty()) continue;
    // Context such as "In function ..." before the first error pushes the error itself away.
    if (seen_error || absl::StrContains(line, "undefined reference")) kept.push_back(line);
  }
  if (kept.empty()) kept = lines;
  if (!meaning.empty()) kept.insert(kept.begin(), meaning);

  std::string message = absl::StrJoin(kept, "\n");
  if (message.empty()) message = "the compiler failed without a message";
  if (message.size() > limits::kOutcomeMessageBytes) message.resize(limits::kOutcomeMessageBytes);
  return message;
}

}  // namespace burnish::backends::cpu
