#include "client/cli/completion.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/search/strategy.h"

namespace burnish::cli {
namespace {

using Names = std::function<std::vector<std::string>(Wanted)>;

const CLI::App* FindVerb(const CLI::App& app, const std::string& word) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == word) return verb;
  }
  return nullptr;
}

// An option of the verb, or of those above it.
const CLI::Option* FindOption(const CLI::App& verb, const std::string& word) {
  for (const CLI::App* app = &verb; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      if (!option->get_positional() && option->check_name(word)) return option;
    }
  }
  return nullptr;
}

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// CLI11 tells a set's members only in the option's type: `TEXT:{measure,compare}`.
std::vector<std::string> MembersOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t open = type.find('{');
  const size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return absl::StrSplit(type.substr(open + 1, close - open - 1), ',');
}

std::vector<std::string> ValuesOf(const CLI::Option& option, const Names& names) {
  const std::string name = option.get_single_name();
  if (name == "job" && !option.get_positional()) return {};  // a job file
  if (name == "job" || name == "job_a" || name == "job_b" || name == "resume") {
    return names(Wanted::kJob);
  }
  if (name == "device") return names(Wanted::kDevice);
  if (name == "topic") return names(Wanted::kTopic);
  if (name == "context") return names(Wanted::kContext);
  if (name == "strategy") return search::StrategyNames();
  return MembersOf(option);
}

std::vector<std::string> OptionNames(const CLI::App& verb) {
  std::vector<std::string> found;
  for (const CLI::App* app = &verb; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        if (!option->get_group().empty()) found.push_back(absl::StrCat("--", name));
      }
    }
  }
  return found;
}

std::vector<std::string> VerbNames(const CLI::App& app) {
  std::vector<std::string> found;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) found.push_back(verb->get_name());
  }
  return found;
}

// The positional argument that comes after `given` others; the last one if it takes several.
const CLI::Option* Positional(const CLI::App& verb, int given) {
  const CLI::Option* last = nullptr;
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional()) continue;
    last = option;
    if (given-- == 0) return option;
  }
  return last != nullptr && last->get_items_expected_max() > 1 ? last : nullptr;
}

}  // namespace

std::vector<std::string> Complete(const CLI::App& app, const std::vector<std::string>& words,
                                  const Names& names) {
  const CLI::App* verb = &app;
  const CLI::Option* awaits_value = nullptr;
  int positionals = 0;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (awaits_value != nullptr) {
      awaits_value = nullptr;
    } else if (word.starts_with('-')) {
      const CLI::Option* option = FindOption(*verb, word);
      if (option != nullptr && TakesValue(*option)) awaits_value = option;
    } else if (const CLI::App* below = FindVerb(*verb, word)) {
      verb = below;
    } else {
      ++positionals;
    }
  }
  const std::string begun = words.empty() ? "" : words.back();
  std::vector<std::string> candidates;
  if (awaits_value != nullptr) {
    candidates = ValuesOf(*awaits_value, names);
  } else if (begun.starts_with('-')) {
    candidates = OptionNames(*verb);
  } else if (const std::vector<std::string> verbs = VerbNames(*verb); !verbs.empty()) {
    candidates = verbs;
  } else if (const CLI::Option* positional = Positional(*verb, positionals)) {
    candidates = ValuesOf(*positional, names);
  }
  std::erase_if(candidates,
                [&](const std::string& candidate) { return !candidate.starts_with(begun); });
  return candidates;
}

}  // namespace burnish::cli
