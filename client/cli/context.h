// Which server a command acts on, as which team, with which token, and where that was said.
//
// For the server, the first of these that names one: flag, environment, the nearest .burnish.yaml
// upward, the current context; else this machine's private server. Each but the last may name a
// server or a context. The namespace follows the same order and defaults to the context's. A token
// goes only to a server that its owner named: BURNISH_TOKEN not to one that a project file names,
// a context's token to no server but the context's.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "client/cli/context_file.h"
#include "client/cli/options.h"

namespace burnish::cli {

// All that the choice depends on; empty where nothing is said.
struct PlaceSources {
  PlaceFlags flags;
  std::string environment_server;
  std::string environment_context;
  std::string environment_owner;
  std::string environment_token;
  std::optional<ProjectFile> project;
  ContextFile contexts;
};

// Pure. A token of the context's is left to the caller.
absl::StatusOr<Place> ChoosePlace(const PlaceSources& sources);

// From this process's surroundings, with the context's token.
absl::StatusOr<Place> ResolvePlace(const PlaceFlags& flags);

// `lab-eu (lab.example:7400) · namespace vision`
std::string DescribePlace(const Place& place);

}  // namespace burnish::cli
