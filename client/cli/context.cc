#include "client/cli/context.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"

namespace burnish::cli {
namespace {

constexpr size_t kTokenBytes = 4 << 10;
constexpr absl::Duration kTokenCommandTime = absl::Seconds(30);

// One level of the order above.
struct Level {
  std::string server;
  std::string context;
  std::string server_from;
  std::string context_from;
  bool gives_token = true;
};

absl::Status ApplyContext(const ContextFile& contexts, const Level& level, Place& place) {
  place.context = level.context;
  place.server_from = level.context_from;
  if (level.context == kLocalContext) return absl::OkStatus();
  const NamedContext* context = contexts.Find(level.context);
  if (context == nullptr) {
    return InvalidInput(
        absl::StrCat(level.context_from, ": there is no context '", level.context, "'"),
        NameHint(level.context, contexts.Names()));
  }
  place.server = context->server;
  const net::TlsFiles& flags = place.dial.tls;
  place.dial = {.insecure = place.dial.insecure || context->insecure,
                .tls = {.certificate = flags.certificate.empty() ? context->tls_certificate
                                                                 : flags.certificate,
                        .key = flags.key.empty() ? context->tls_key : flags.key,
                        .ca = flags.ca.empty() ? context->ca : flags.ca}};
  if (!context->owner.empty()) {
    place.owner = context->owner;
    place.owner_from = absl::StrCat("context ", context->name);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> OutputOf(const std::string& command) {
  SpawnOptions options;
  options.arguments = {"/bin/sh", "-c", absl::StrCat("exec 2>/dev/null\n", command)};
  ASSIGN_OR_RETURN(const CapturedRun run, RunCaptured(options, kTokenCommandTime, kTokenBytes));
  if (run.status.ok() && !run.timed_out) return run.output;
  return InvalidInput(
      absl::StrCat("token_command: ", run.timed_out ? "did not end" : ToText(run.status)));
}

absl::StatusOr<std::string> TokenOf(const NamedContext& context) {
  const bool from_file = !context.token_file.empty();
  const auto text =
      from_file ? ReadFile(context.token_file, kTokenBytes) : OutputOf(context.token_command);
  if (text.ok()) return *text;
  return InvalidInput(absl::StrCat(
      "context ", context.name,
      ": no token: ", from_file ? "" : "token_command: ", std::string(text.status().message())));
}

// Calls carry it as a header, where nothing but these may stand.
absl::Status CheckToken(Place& place) {
  place.token = std::string(absl::StripAsciiWhitespace(place.token));
  const bool printable = std::all_of(place.token.begin(), place.token.end(),
                                     [](char c) { return c > ' ' && c <= '~'; });
  if (printable && !place.token.empty()) return absl::OkStatus();
  return InvalidInput(absl::StrCat("the token from ", place.token_from,
                                   place.token.empty() ? " is empty" : " is not one word"));
}

std::string Variable(const char* name) { return EnvironmentVariable(name).value_or(""); }

}  // namespace

absl::StatusOr<Place> ChoosePlace(const PlaceSources& sources) {
  std::vector<Level> levels = {
      {sources.flags.server, sources.flags.context, "--server", "--context"},
      {sources.environment_server, sources.environment_context, "BURNISH_SERVER",
       "BURNISH_CONTEXT"}};
  if (const auto& project = sources.project) {
    levels.push_back({project->server, project->context, project->path, project->path,
                      /*gives_token=*/project->server.empty()});
  }
  levels.push_back({"", sources.contexts.current, "", "current context"});
  const auto said = std::find_if(levels.begin(), levels.end(), [](const Level& level) {
    return !level.server.empty() || !level.context.empty();
  });
  Place place;
  place.dial = sources.flags.dial;
  if (said != levels.end() && !said->server.empty() && !said->context.empty()) {
    return InvalidInput(
        said->server_from == said->context_from
            ? absl::StrCat(said->server_from, " names both a server and a context")
            : absl::StrCat("both ", said->server_from, " and ", said->context_from, " are given"),
        "name a server or a context");
  }
  if (said != levels.end() && !said->context.empty()) {
    RETURN_IF_ERROR(ApplyContext(sources.contexts, *said, place));
  } else if (said != levels.end()) {
    place.server = said->server;
    place.server_from = said->server_from;
  }
  const std::string project_owner = sources.project ? sources.project->owner : "";
  const std::string project_path = sources.project ? sources.project->path : "";
  for (const auto& [owner, from] : {std::pair(sources.flags.owner, std::string("--namespace")),
                                    {sources.environment_owner, "BURNISH_NAMESPACE"},
                                    {project_owner, project_path}}) {
    if (owner.empty()) continue;
    place.owner = owner;
    place.owner_from = from;
    break;
  }
  if (!sources.environment_token.empty() && !place.server.empty() && said->gives_token) {
    place.token = sources.environment_token;
    place.token_from = "BURNISH_TOKEN";
  }
  return place;
}

absl::StatusOr<Place> ResolvePlace(const PlaceFlags& flags) {
  PlaceSources sources{.flags = flags,
                       .environment_server = Variable("BURNISH_SERVER"),
                       .environment_context = Variable("BURNISH_CONTEXT"),
                       .environment_owner = Variable("BURNISH_NAMESPACE"),
                       .environment_token = Variable("BURNISH_TOKEN")};
  ASSIGN_OR_RETURN(sources.contexts, LoadContexts());
  std::error_code code;
  const std::filesystem::path here = std::filesystem::current_path(code);
  if (!code) {
    ASSIGN_OR_RETURN(sources.project, FindProjectFile(here.string()));
  }
  ASSIGN_OR_RETURN(Place place, ChoosePlace(sources));
  const NamedContext* context = sources.contexts.Find(place.context);
  if (place.token.empty() && context != nullptr &&
      !(context->token_file.empty() && context->token_command.empty())) {
    place.token_from = absl::StrCat("context ", context->name);
    ASSIGN_OR_RETURN(place.token, TokenOf(*context));
  }
  if (!place.token_from.empty()) RETURN_IF_ERROR(CheckToken(place));
  return place;
}

std::string DescribePlace(const Place& place) {
  const std::string server = place.server.empty() ? "this machine's private server"
                             : place.context.empty()
                                 ? place.server
                                 : absl::StrCat(place.context, " (", place.server, ")");
  return absl::StrCat(server, " · namespace ", place.owner);
}

}  // namespace burnish::cli
