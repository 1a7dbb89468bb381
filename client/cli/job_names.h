// The names by which people call a job: `j42` or `42`, `@` for the newest one of the namespace, a
// job's name or the beginning of it if only one job has it.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/job_client.h"

namespace burnish::cli {

// What --help says of an argument that names a job.
inline constexpr char kJobArgument[] = "job id such as j42, its name if it is the only one, or @";

// The id. InvalidArgument for an ambiguous name, NotFound with the nearest three for an unknown
// one.
absl::StatusOr<std::string> ResolveJob(JobClient& client, const std::string& text);

// Pure. `jobs` are the namespace's, newest first.
absl::StatusOr<std::string> PickJob(const std::string& text,
                                    const std::vector<pb::JobSnapshot>& jobs);

}  // namespace burnish::cli
