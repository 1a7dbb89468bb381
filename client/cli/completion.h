// Completion for shells: a small fixed script per shell asks `burnish __complete WORDS…`, which
// walks the tree of commands and, for jobs, devices and contexts, what is known of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace burnish::cli {

enum class Wanted { kJob, kDevice, kContext, kTopic };

// What may stand in the place of the last of `words`, which is begun and may be empty. `names`
// gives the names of a kind. Nothing where a file is wanted: shells complete those.
std::vector<std::string> Complete(const CLI::App& app, const std::vector<std::string>& words,
                                  const std::function<std::vector<std::string>(Wanted)>& names);

}  // namespace burnish::cli
