#include "client/cli/job_file.h"

#include <filesystem>
#include <iostream>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> ReadStandardInput() {
  std::string text;
  for (std::istreambuf_iterator<char> it(std::cin), end; it != end; ++it) {
    text.push_back(*it);
    if (text.size() > limits::kJobFileBytes) {
      return InvalidInput(absl::StrCat("standard input is longer than the ", limits::kJobFileBytes,
                                       " bytes allowed for a job file"));
    }
  }
  return text;
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  if (path == "-") return ReadStandardInput();
  auto text = ReadFile(path, limits::kJobFileBytes);
  if (text.ok()) return text;
  // The status's message names the path already.
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument,
                          {.message = std::string(text.status().message()),
                           .hint = "give the path of a job file, or - for standard input"});
}

bool IsBelow(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

absl::StatusOr<std::string> LoadSource(const std::string& job_path, const fs::path& folder,
                                       const spec::FileReference& reference) {
  const auto error = [&](std::string message, std::string hint) {
    return DiagnosticStatus(absl::StatusCode::kInvalidArgument, {.file = job_path,
                                                                 .line = reference.line,
                                                                 .column = reference.column,
                                                                 .path = reference.path,
                                                                 .message = std::move(message),
                                                                 .hint = std::move(hint)});
  };
  std::error_code code;
  const fs::path resolved = fs::canonical(folder / reference.name, code);
  if (code) {
    return error(absl::StrCat("cannot open '", reference.name, "': ", code.message()),
                 absl::StrCat("paths are relative to ", folder.string()));
  }
  if (!IsBelow(resolved, folder)) {
    return error(absl::StrCat("'", reference.name, "' lies outside the job file's folder"),
                 absl::StrCat("put it below ", folder.string()));
  }
  auto content = ReadFile(resolved.string(), limits::kSourceFileBytes);
  if (content.ok()) return content;
  return error(std::string(content.status().message()),
               absl::IsFailedPrecondition(content.status())
                   ? absl::StrCat("name a file of at most ", limits::kSourceFileBytes,
                                  " bytes; big tables can be made by the compiler")
                   : "");
}

}  // namespace

absl::StatusOr<spec::JobText> LoadJobFile(const std::string& path, LoadSources sources) {
  spec::JobText job;
  job.file_name = path;
  ASSIGN_OR_RETURN(job.text, ReadText(path));
  if (sources == LoadSources::kNo) return job;
  ASSIGN_OR_RETURN(const auto references, spec::FindFileReferences(path, job.text));
  std::error_code code;
  const fs::path parent = path == "-" ? fs::path(".") : fs::path(path).parent_path();
  const fs::path folder = fs::canonical(parent.empty() ? fs::path(".") : parent, code);
  if (code) return InvalidInput(absl::StrCat("cannot open the folder of ", path));
  for (const spec::FileReference& reference : references) {
    if (job.files.contains(reference.name)) continue;
    ASSIGN_OR_RETURN(job.files[reference.name], LoadSource(path, folder, reference));
  }
  return job;
}

}  // namespace burnish::cli
