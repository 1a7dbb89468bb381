// Job text (YAML or JSON) to a JobSpec. Every error is a Diagnostic with file, line, column, path
// of the key, what is wrong and what would be right. Reads no file by itself: referenced sources
// come from `files`, so that the server never opens a client's path.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/spec/job_spec.h"

namespace burnish::spec {

struct JobText {
  std::string file_name;  // for messages: "job.yaml", or "-" for standard input
  std::string text;
  // Content of every referenced file, by the name the job file uses.
  std::map<std::string, std::string> files;
};

// A `{file: NAME}` in a job file, with its place, for the client that has to load it.
struct FileReference {
  std::string name;
  std::string path;  // path of the key
  int line = 0;
  int column = 0;
};

// The references of a job text that parses as YAML; unknown keys are not checked here.
absl::StatusOr<std::vector<FileReference>> FindFileReferences(std::string_view file_name,
                                                              std::string_view text);

enum class SourceCheck { kRequired, kNotNeeded };  // `space` needs no source file

// Checks everything that needs no device: keys, types, names, expressions, shapes, limits,
// strategies, objectives. The search space is not constructed here.
absl::StatusOr<JobSpec> ReadJob(const JobText& job, SourceCheck source_check);

// The search space of a job, and its default configuration (as written; else each parameter's
// first value or, if that breaks a constraint, the first valid configuration in index order).
// Errors carry the place in the job file, as from ReadJob.
struct JobSpace {
  space::SearchSpace space;
  space::ConfigurationIndex default_index = 0;
  // Of one execution of the default configuration; nothing where the job file does not say.
  std::optional<double> default_flops;
  std::optional<double> default_bytes;
};
absl::StatusOr<JobSpace> BuildSpace(const JobText& job, const JobSpec& spec,
                                    const space::ConstructionOptions& options = {});

}  // namespace burnish::spec
