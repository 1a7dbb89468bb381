// burnish token create|list|revoke: who may use a server.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "burnish/v1/token_service.grpc.pb.h"
#include "client/cli/commands.h"
#include "client/cli/connection.h"
#include "client/cli/output.h"
#include "client/cli/table.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/net/status.h"
#include "grpcpp/channel.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<pb::TokenRole, const char*> kRoles[] = {{pb::TOKEN_ROLE_VIEWER, "viewer"},
                                                            {pb::TOKEN_ROLE_SUBMITTER, "submitter"},
                                                            {pb::TOKEN_ROLE_AGENT, "agent"},
                                                            {pb::TOKEN_ROLE_ADMIN, "admin"}};

std::string RoleText(pb::TokenRole role) {
  for (const auto& [value, name] : kRoles) {
    if (value == role) return name;
  }
  return "unknown";
}

std::string StateOf(const pb::Token& token) {
  if (token.revoked_unix_ms() != 0) return "revoked";
  const bool expired = token.expires_unix_ms() <= absl::ToUnixMillis(SystemClock().Now());
  return expired ? "expired" : "in force";
}

std::string Day(int64_t unix_ms) {
  if (unix_ms == 0) return "never";
  return absl::FormatTime("%Y-%m-%d", absl::FromUnixMillis(unix_ms), absl::LocalTimeZone());
}

std::string NamespacesText(const pb::Token& token) {
  return token.all_namespaces() ? "all" : absl::StrJoin(token.namespaces(), ",");
}

Json MillisOrNull(int64_t unix_ms) { return unix_ms == 0 ? Json(nullptr) : Json(unix_ms); }

Json TokenDocument(const pb::Token& token) {
  Json namespaces = nullptr;  // all
  if (!token.all_namespaces()) {
    namespaces = Json::array();
    for (const std::string& name : token.namespaces()) namespaces.push_back(name);
  }
  return {{"token_id", token.token_id()},
          {"name", token.name()},
          {"role", RoleText(token.role())},
          {"namespaces", namespaces},
          {"state", StateOf(token)},
          {"prefix", token.prefix()},
          {"created_unix_ms", token.created_unix_ms()},
          {"expires_unix_ms", token.expires_unix_ms()},
          {"last_used_unix_ms", MillisOrNull(token.last_used_unix_ms())},
          {"revoked_unix_ms", MillisOrNull(token.revoked_unix_ms())}};
}

// A server to which tokens mean something, and calls of its token service.
class TokenClient {
 public:
  static absl::StatusOr<TokenClient> Open(const GlobalOptions& options) {
    if (options.place.server.empty()) {
      return InvalidInput("this machine's private server asks for no token",
                          "name a server with --server or --context");
    }
    ASSIGN_OR_RETURN(auto connection, Connection::Open(options, NeedsDevices::kNo));
    return TokenClient(std::move(connection));
  }

  // Once: a repeated call would make a second token.
  template <typename Request, typename Reply>
  absl::Status Call(grpc::Status (pb::TokenService::Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Reply*),
                    const Request& request, Reply& reply) {
    grpc::ClientContext context;
    connection_->Authorise(context);
    return net::ToAbslStatus((stub_.get()->*method)(&context, request, &reply));
  }

  absl::StatusOr<pb::ListTokensReply> List() {
    pb::ListTokensReply reply;
    RETURN_IF_ERROR(Call(&pb::TokenService::Stub::List, pb::ListTokensRequest(), reply));
    return reply;
  }

 private:
  explicit TokenClient(std::unique_ptr<Connection> connection)
      : connection_(std::move(connection)),
        stub_(pb::TokenService::NewStub(connection_->channel())) {}

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<pb::TokenService::Stub> stub_;
};

// `30d`, `12h`, `45m`, in seconds.
absl::StatusOr<int64_t> ParseLifetime(const std::string& text) {
  constexpr std::pair<char, int64_t> kUnits[] = {{'d', 86'400}, {'h', 3'600}, {'m', 60}};
  for (const auto& [unit, seconds] : kUnits) {
    if (text.empty() || text.back() != unit) continue;
    const std::optional<int64_t> count = ParseInteger(text.substr(0, text.size() - 1));
    if (count.has_value() && *count > 0 && *count < 1'000'000) return *count * seconds;
  }
  return InvalidInput(absl::StrCat("--expires ", text, ": not a time"), "write 30d, 12h or 45m");
}

struct CreateArguments {
  std::string name;
  std::string role;
  std::vector<std::string> namespaces;
  bool all_namespaces = false;
  std::string expires = "90d";
};

absl::StatusOr<pb::CreateTokenRequest> RequestOf(const CreateArguments& arguments,
                                                 const GlobalOptions& options) {
  pb::CreateTokenRequest request;
  request.set_name(arguments.name);
  for (const auto& [role, name] : kRoles) {
    if (arguments.role == name) request.set_role(role);
  }
  ASSIGN_OR_RETURN(const int64_t seconds, ParseLifetime(arguments.expires));
  request.set_lifetime_seconds(seconds);
  request.set_all_namespaces(arguments.all_namespaces);
  for (const std::string& list : arguments.namespaces) {
    for (const auto& name : absl::StrSplit(list, ',')) request.add_namespaces(std::string(name));
  }
  const bool of_teams =
      request.role() == pb::TOKEN_ROLE_VIEWER || request.role() == pb::TOKEN_ROLE_SUBMITTER;
  if (of_teams && !arguments.all_namespaces && request.namespaces_size() == 0) {
    request.add_namespaces(options.place.owner);
  }
  return request;
}

absl::StatusOr<int> Create(const CreateArguments& arguments, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const pb::CreateTokenRequest request, RequestOf(arguments, options));
  ASSIGN_OR_RETURN(TokenClient client, TokenClient::Open(options));
  pb::CreateTokenReply reply;
  RETURN_IF_ERROR(client.Call(&pb::TokenService::Stub::Create, request, reply));
  const pb::Token& token = reply.token();
  if (options.json) {
    Json document = TokenDocument(token);
    document["token"] = reply.secret();
    PrintDocument(document);
    return kExitDone;
  }
  if (!options.quiet) {
    std::fprintf(stderr, "%s %s, %s, namespaces %s, until %s; shown this once:\n",
                 token.token_id().c_str(), token.name().c_str(), RoleText(token.role()).c_str(),
                 NamespacesText(token).c_str(), Day(token.expires_unix_ms()).c_str());
  }
  std::printf("%s\n", reply.secret().c_str());
  return kExitDone;
}

Table TokenTable(const pb::ListTokensReply& reply) {
  using Shown = Column::Shown;
  Table table{.columns = {{"token_id", "token"},
                          {"name", "name"},
                          {"role", "role"},
                          {"namespaces", "namespaces"},
                          {"state", "state"},
                          {"expires", "expires"},
                          {"last_used", "last used"},
                          {"created", "created", Shown::kWide},
                          {"prefix", "prefix", Shown::kWide}}};
  for (const pb::Token& token : reply.tokens()) {
    table.rows.push_back({token.token_id(), token.name(), RoleText(token.role()),
                          NamespacesText(token), StateOf(token), Day(token.expires_unix_ms()),
                          Day(token.last_used_unix_ms()), Day(token.created_unix_ms()),
                          token.prefix()});
  }
  return table;
}

absl::StatusOr<int> List(const TableOptions& table_options, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(TokenClient client, TokenClient::Open(options));
  ASSIGN_OR_RETURN(const pb::ListTokensReply reply, client.List());
  const Table table = TokenTable(reply);
  ASSIGN_OR_RETURN(const std::vector<size_t> rows, ChooseRows(table, table_options));
  if (options.json) {
    Json tokens = Json::array();
    for (const size_t row : rows) {
      tokens.push_back(TokenDocument(reply.tokens(static_cast<int>(row))));
    }
    PrintDocument({{"tokens", tokens}});
    return kExitDone;
  }
  if (reply.tokens_size() == 0 && table_options.output == "table") {
    std::printf("no tokens: everybody on the server's machine may use it\n");
    return kExitDone;
  }
  ASSIGN_OR_RETURN(const std::string text, FormatRows(table, rows, table_options));
  std::printf("%s", text.c_str());
  return kExitDone;
}

// An id, or the name of the one token in force that has it.
absl::StatusOr<std::string> ResolveToken(TokenClient& client, const std::string& word) {
  ASSIGN_OR_RETURN(const pb::ListTokensReply reply, client.List());
  std::vector<std::string> found;
  for (const pb::Token& token : reply.tokens()) {
    if (token.token_id() == word) return word;
    if (token.name() == word && StateOf(token) == "in force") found.push_back(token.token_id());
  }
  if (found.size() == 1) return found.front();
  return InvalidInput(found.empty() ? absl::StrCat("no token in force is called '", word, "'")
                                    : absl::StrCat("several tokens are called '", word,
                                                   "': ", absl::StrJoin(found, ", ")),
                      "`burnish token list` shows ids");
}

absl::StatusOr<int> Revoke(const std::string& word, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(TokenClient client, TokenClient::Open(options));
  pb::RevokeTokenRequest request;
  ASSIGN_OR_RETURN(*request.mutable_token_id(), ResolveToken(client, word));
  pb::Token token;
  RETURN_IF_ERROR(client.Call(&pb::TokenService::Stub::Revoke, request, token));
  if (options.json) {
    PrintDocument(TokenDocument(token));
  } else if (!options.quiet) {
    std::printf("%s %s revoked\n", token.token_id().c_str(), token.name().c_str());
  }
  return kExitDone;
}

void AddCreate(CLI::App& parent, CommandContext& context) {
  CLI::App* command = parent.add_subcommand(
      "create", "make a token and print it, this once; the first one has to be an admin's");
  const auto arguments = std::make_shared<CreateArguments>();
  command->add_option("--name", arguments->name, "who or what will hold it; stands in logs")
      ->required();
  command
      ->add_option("--role", arguments->role,
                   "viewer (reads), submitter (also submits and controls jobs), agent (offers "
                   "devices), admin (everything)")
      ->required()
      ->check(CLI::IsMember({"viewer", "submitter", "agent", "admin"}));
  command
      ->add_option("--namespaces", arguments->namespaces,
                   "teams that a viewer or submitter may act for, A[,B...] [the place's namespace]")
      ->allow_extra_args(false);
  command->add_flag("--all-namespaces", arguments->all_namespaces, "every team, now and later");
  command->add_option("--expires", arguments->expires, "30d, 12h or 45m; at most 365d [90d]");
  command->footer(
      "Example: burnish token create --name ci --role submitter --namespaces vision,audio "
      "--expires 30d");
  SetAction(command, context, Acts::kChanging,
            [arguments, &context] { return Create(*arguments, context.options); });
}

}  // namespace

void AddToken(CLI::App& app, CommandContext& context) {
  CLI::App* parent = app.add_subcommand("token", "who may use a server: its tokens");
  parent->require_subcommand(1);
  parent->fallthrough();
  parent->footer("Example: burnish token create --name ops --role admin > ops.token");
  AddCreate(*parent, context);
  CLI::App* list = parent->add_subcommand("list", "all tokens that ever were, never their text");
  const auto table = std::make_shared<TableOptions>();
  AddTableOptions(list, *table);
  list->footer("Example: burnish token list --filter 'state == \"in force\"'");
  SetAction(list, context, Acts::kReading,
            [table, &context] { return List(*table, context.options); });
  CLI::App* revoke = parent->add_subcommand(
      "revoke", "end a token for good: within 5 s nobody gets in with it, and its streams end");
  const auto word = std::make_shared<std::string>();
  revoke->add_option("token", *word, "id (t3), or name if only one token in force has it")
      ->required();
  revoke->footer("Example: burnish token revoke t3");
  SetAction(revoke, context, Acts::kChanging,
            [word, &context] { return Revoke(*word, context.options); });
}

}  // namespace burnish::cli
