// burnish context: the servers that a person works with, by name.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/context.h"
#include "client/cli/context_file.h"
#include "client/cli/output.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/net/address.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

absl::StatusOr<int> List(const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const ContextFile file, LoadContexts());
  const std::string current = file.current.empty() ? kLocalContext : file.current;
  Json contexts = Json::array();
  std::vector<std::vector<std::string>> rows = {{"", "context", "server", "namespace"}};
  const auto add = [&](const NamedContext& context) {
    const bool chosen = context.name == current;
    rows.push_back({chosen ? "*" : "", context.name, context.server, context.owner});
    contexts.push_back({{"name", context.name},
                        {"current", chosen},
                        {"server", TextOrNull(context.server)},
                        {"namespace", TextOrNull(context.owner)},
                        {"ca", TextOrNull(context.ca)},
                        {"insecure", context.insecure}});
  };
  add({.name = kLocalContext});
  for (const NamedContext& context : file.contexts) add(context);
  if (options.json) {
    PrintDocument({{"contexts", contexts}});
  } else {
    std::printf("%s", FormatTable(rows).c_str());
  }
  return kExitDone;
}

absl::StatusOr<int> Show(const GlobalOptions& options) {
  const Place& place = options.place;
  const std::string server = place.server.empty() ? "this machine's private server" : place.server;
  if (options.json) {
    PrintDocument({{"server", TextOrNull(place.server)},
                   {"server_from", place.server_from},
                   {"context", TextOrNull(place.context)},
                   {"namespace", place.owner},
                   {"namespace_from", place.owner_from},
                   {"ca", TextOrNull(place.dial.tls.ca)},
                   {"token_from", TextOrNull(place.token_from)},
                   {"insecure", place.dial.insecure}});
    return kExitDone;
  }
  std::vector<std::vector<std::string>> rows = {
      {"server", server, absl::StrCat("(", place.server_from, ")")},
      {"namespace", place.owner, absl::StrCat("(", place.owner_from, ")")}};
  if (!place.context.empty()) rows.push_back({"context", place.context});
  if (!place.dial.tls.ca.empty()) rows.push_back({"ca", place.dial.tls.ca});
  rows.push_back({"token", place.token_from.empty() ? "none" : "set",
                  place.token_from.empty() ? "" : absl::StrCat("(", place.token_from, ")")});
  std::printf("%s", FormatTable(rows).c_str());
  return kExitDone;
}

absl::Status NoSuchContext(const ContextFile& file, const std::string& name) {
  return InvalidInput(absl::StrCat("there is no context '", name, "'"),
                      NameHint(name, file.Names()));
}

int Changed(const std::string& text, const std::string& name, const GlobalOptions& options) {
  if (options.json) {
    PrintDocument({{"context", name}});
  } else if (!options.quiet) {
    std::printf("%s\n", text.c_str());
  }
  return kExitDone;
}

absl::StatusOr<int> Use(const std::string& name, const GlobalOptions& options) {
  RETURN_IF_ERROR(ContextFilePath().status());
  ASSIGN_OR_RETURN(ContextFile file, LoadContexts());
  if (name != kLocalContext && file.Find(name) == nullptr) return NoSuchContext(file, name);
  file.current = name == kLocalContext ? "" : name;
  RETURN_IF_ERROR(SaveContexts(file));
  return Changed(absl::StrCat(name, " is the current context"), name, options);
}

absl::StatusOr<int> Add(NamedContext context, bool force, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(ContextFile file, LoadContexts());
  if (context.name == kLocalContext || context.name.empty()) {
    return InvalidInput(absl::StrCat("'", context.name, "' cannot name a context"),
                        "local is this machine's private server");
  }
  // These flags mean the new context here, not the place to act at.
  context.server = options.flags.server;
  context.owner = options.flags.owner;
  context.ca = options.flags.dial.tls.ca;
  context.tls_certificate = options.flags.dial.tls.certificate;
  context.tls_key = options.flags.dial.tls.key;
  context.insecure = options.flags.dial.insecure;
  if (context.server.empty()) {
    return InvalidInput("a context needs a server",
                        absl::StrCat("burnish context add ", context.name, " --server HOST:PORT"));
  }
  RETURN_IF_ERROR(net::ParseServerAddress(context.server).status());
  if (!context.token_file.empty() && !context.token_command.empty()) {
    return InvalidInput("both --token-file and --token-command are given", "keep one of them");
  }
  const bool known = file.Find(context.name) != nullptr;
  if (known && !force) {
    return InvalidInput(absl::StrCat("there is a context '", context.name, "' already"),
                        "say --force to replace it");
  }
  std::erase_if(file.contexts, [&](const NamedContext& one) { return one.name == context.name; });
  file.contexts.push_back(context);
  RETURN_IF_ERROR(SaveContexts(file));
  return Changed(absl::StrCat("added ", context.name, "; make it the current one with: ",
                              options.program, " context use ", context.name),
                 context.name, options);
}

absl::StatusOr<int> Remove(const std::string& name, const GlobalOptions& options) {
  RETURN_IF_ERROR(ContextFilePath().status());
  ASSIGN_OR_RETURN(ContextFile file, LoadContexts());
  if (file.Find(name) == nullptr) return NoSuchContext(file, name);
  std::erase_if(file.contexts, [&](const NamedContext& one) { return one.name == name; });
  if (file.current == name) file.current.clear();
  RETURN_IF_ERROR(SaveContexts(file));
  return Changed(absl::StrCat("removed ", name), name, options);
}

void AddNameVerb(CLI::App& parent, CommandContext& context, const std::string& name,
                 const std::string& description,
                 absl::StatusOr<int> (*run)(const std::string&, const GlobalOptions&)) {
  CLI::App* command = parent.add_subcommand(name, description);
  const auto chosen = std::make_shared<std::string>();
  command->add_option("context", *chosen, "name of a context, or local")->required();
  command->footer(absl::StrCat("Example: burnish context ", name, " lab-eu"));
  SetAction(command, context, Acts::kNowhere,
            [chosen, run, &context] { return run(*chosen, context.options); });
}

void AddAdd(CLI::App& parent, CommandContext& context) {
  CLI::App* command =
      parent.add_subcommand("add", "name a server, with the namespace and the token to use there");
  const auto added = std::make_shared<NamedContext>();
  const auto force = std::make_shared<bool>(false);
  command->add_option("name", added->name, "name of the new context")->required();
  command->add_option("--token-file", added->token_file, "file that holds the token");
  command->add_option("--token-command", added->token_command, "command that prints the token");
  command->add_flag("--force", *force, "replace a context of this name");
  command->footer(
      "Example: burnish context add lab-eu --server lab.example:7400 --namespace vision "
      "--token-file ~/.burnish-token");
  SetAction(command, context, Acts::kNowhere,
            [added, force, &context] { return Add(*added, *force, context.options); });
}

}  // namespace

void AddContext(CLI::App& app, CommandContext& context) {
  CLI::App* parent = app.add_subcommand(
      "context", "servers by name: which one commands act on, and as which team");
  parent->require_subcommand(1);
  parent->fallthrough();
  parent->footer("Example: burnish context use lab-eu");
  CLI::App* list = parent->add_subcommand("list", "all contexts; * marks the current one");
  list->footer("Example: burnish context list");
  SetAction(list, context, Acts::kNowhere, [&context] { return List(context.options); });
  CLI::App* show =
      parent->add_subcommand("show", "the place that commands act on here, and where it was said");
  show->footer("Example: burnish context show --json");
  SetAction(show, context, Acts::kReading, [&context] { return Show(context.options); });
  AddNameVerb(*parent, context, "use", "make a context the current one", Use);
  AddAdd(*parent, context);
  AddNameVerb(*parent, context, "remove", "forget a context", Remove);
}

}  // namespace burnish::cli
