// burnish drain, undrain, quarantine: what those who run the fleet decide about devices.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "burnish/v1/fleet_service.grpc.pb.h"
#include "client/cli/commands.h"
#include "client/cli/connection.h"
#include "client/cli/listing.h"
#include "client/cli/output.h"
#include "common/base/clock.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/net/retry.h"
#include "common/net/status.h"

namespace burnish::cli {
namespace {

struct FleetArguments {
  std::vector<std::string> targets;
  std::string reason;
};

absl::StatusOr<pb::DevicesReply> SetStanding(Connection& connection, const GlobalOptions& options,
                                             const pb::SetStandingRequest& request) {
  pb::DevicesReply reply;
  net::Backoff backoff(net::BackoffOptions(), RandomSeed());
  RETURN_IF_ERROR(net::RetryIdempotent(
      [&] {
        grpc::ClientContext context;
        connection.Authorise(context);
        reply.Clear();
        return net::ToAbslStatus(connection.fleet_stub().SetStanding(&context, request, &reply));
      },
      options.connect_timeout(), backoff, SystemClock(), SleepThread));
  return reply;
}

absl::StatusOr<int> Decide(const FleetArguments& arguments, pb::Standing standing,
                           const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  pb::DevicesReply devices;
  for (const std::string& target : arguments.targets) {
    pb::SetStandingRequest request;
    request.set_target(target);
    request.set_standing(standing);
    request.set_reason(arguments.reason);
    ASSIGN_OR_RETURN(const pb::DevicesReply reply, SetStanding(*connection, options, request));
    devices.MergeFrom(reply);
  }
  if (options.json) {
    nlohmann::ordered_json documents = nlohmann::ordered_json::array();
    for (const pb::Device& device : devices.devices()) documents.push_back(DeviceDocument(device));
    PrintDocument({{"devices", documents}});
    return kExitDone;
  }
  ASSIGN_OR_RETURN(const std::string text, FormatAll(DeviceTable(devices)));
  std::printf("%s", text.c_str());
  return kExitDone;
}

}  // namespace

void AddFleet(CLI::App& app, CommandContext& context) {
  struct Verb {
    const char* name;
    const char* description;
    const char* example;
    pb::Standing standing;
  };
  const Verb verbs[] = {
      {"drain", "devices get nothing new; what they hold goes on",
       "Example: burnish drain lab1 --reason 'new memory'", pb::STANDING_DRAINING},
      {"undrain", "take drained or quarantined devices back", "Example: burnish undrain lab1",
       pb::STANDING_ACTIVE},
      {"quarantine", "take devices out of the pool until `undrain`",
       "Example: burnish quarantine lab1/cuda:0 --reason 'fan is loud'", pb::STANDING_QUARANTINED},
  };
  for (const Verb& verb : verbs) {
    const auto arguments = std::make_shared<FleetArguments>();
    CLI::App* command = app.add_subcommand(verb.name, verb.description);
    command
        ->add_option("device", arguments->targets,
                     "device (AGENT/BACKEND:INDEX), or agent: all its devices")
        ->required();
    if (verb.standing != pb::STANDING_ACTIVE) {
      command->add_option("--reason", arguments->reason, "for those who wonder");
    }
    command->footer(verb.example);
    SetAction(command, context, Acts::kChanging, [arguments, standing = verb.standing, &context] {
      return Decide(*arguments, standing, context.options);
    });
  }
}

}  // namespace burnish::cli
