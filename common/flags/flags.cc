#include "common/flags/flags.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"

namespace burnish {
namespace {

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

absl::StatusOr<std::optional<InformationText>> ParseFlags(
    CLI::App& app, const std::vector<std::string>& arguments) {
  const std::string help_hint = absl::StrCat(app.get_name(), " --help tells the flags");
  app.allow_extras();  // so that an unknown flag is ours to answer
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return InformationText{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return InformationText{absl::StrCat(version.what(), "\n")};
  } catch (const CLI::ParseError& error) {
    return InvalidInput(error.what(), help_hint);
  }
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return std::nullopt;
  const std::optional<std::string> nearest = NearestName(extras.front(), FlagNames(app));
  return InvalidInput(
      absl::StrCat("unknown argument '", extras.front(), "'"),
      nearest.has_value() ? absl::StrCat("did you mean ", *nearest, "?") : help_hint);
}

}  // namespace burnish
