// The code of a task's candidates, as the compiler gets it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "common/space/configuration.h"
#include "server/store/store.h"

namespace burnish::jobs {

struct CandidateSource {
  space::Configuration configuration;
  std::string language;
  std::string file;  // the name that messages of the compiler have for it
  std::string text;  // macros, then the source
};

// Of the best configuration, or the default as long as there is none. NotFound for an unknown task.
absl::StatusOr<CandidateSource> SourceOfTask(store::Store& store, const Namespace& owner,
                                             const store::Task& task);

}  // namespace burnish::jobs
