// burnish share: how teams share the devices.
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "burnish/v1/fleet_service.grpc.pb.h"
#include "client/cli/commands.h"
#include "client/cli/connection.h"
#include "client/cli/output.h"
#include "client/cli/table.h"
#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/net/retry.h"
#include "common/net/status.h"

namespace burnish::cli {
namespace {

struct ShareArguments {
  std::string team;
  double weight = 0;
};

absl::StatusOr<pb::SharesReply> Ask(Connection& connection, const GlobalOptions& options,
                                    const ShareArguments& arguments) {
  pb::SetShareRequest change;
  change.set_team(arguments.team);
  change.set_weight(arguments.weight);
  pb::SharesReply reply;
  net::Backoff backoff(net::BackoffOptions(), RandomSeed());
  RETURN_IF_ERROR(net::RetryIdempotent(
      [&] {
        grpc::ClientContext context;
        connection.Authorise(context);
        reply.Clear();
        auto& stub = connection.fleet_stub();
        return net::ToAbslStatus(arguments.team.empty() ? stub.Shares(&context, {}, &reply)
                                                        : stub.SetShare(&context, change, &reply));
      },
      options.connect_timeout(), backoff, SystemClock(), SleepThread));
  return reply;
}

absl::StatusOr<int> Run(const ShareArguments& arguments, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  ASSIGN_OR_RETURN(const pb::SharesReply reply, Ask(*connection, options, arguments));
  if (options.json) {
    nlohmann::ordered_json documents = nlohmann::ordered_json::array();
    for (const pb::Share& share : reply.shares()) {
      documents.push_back({{"team", share.team()},
                           {"weight", share.weight()},
                           {"recent_device_seconds", share.recent_device_seconds()},
                           {"running", share.running()}});
    }
    PrintDocument({{"shares", documents}});
    return kExitDone;
  }
  Table table{.columns = {{"team", "team"},
                          {"weight", "weight"},
                          {"recent_device_seconds", "recent device s"},
                          {"running", "running"}},
              .rows = {}};
  for (const pb::Share& share : reply.shares()) {
    table.rows.push_back({share.team(), Cell(share.weight(), absl::StrCat(share.weight())),
                          Cell(share.recent_device_seconds(),
                               absl::StrFormat("%.1f", share.recent_device_seconds())),
                          share.running()});
  }
  ASSIGN_OR_RETURN(const std::string text, FormatAll(table));
  std::printf("%s", text.c_str());
  return kExitDone;
}

}  // namespace

void AddShare(CLI::App& app, CommandContext& context) {
  const auto arguments = std::make_shared<ShareArguments>();
  CLI::App* command = app.add_subcommand("share", "how teams share the devices; give one a weight");
  CLI::Option* team =
      command->add_option("team", arguments->team, "a namespace; none: show what there is");
  CLI::Option* weight = command->add_option(
      "weight", arguments->weight, "its part of the devices beside the others', who have 1");
  team->needs(weight);
  command->footer("Example: burnish share vision 2");
  SetAction(command, context, Acts::kChanging,
            [arguments, &context] { return Run(*arguments, context.options); });
}

}  // namespace burnish::cli
