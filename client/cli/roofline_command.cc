// burnish roofline: what a device can do at most, and how near to it the best kernels come.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/commands.h"
#include "client/cli/job_client.h"
#include "client/cli/output.h"
#include "client/cli/roofline.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(100);
constexpr absl::Duration kMeasuringTime = absl::Seconds(60);

struct RooflineArguments {
  std::string device;
  std::string svg;
  bool force = false;
};

absl::StatusOr<pb::Device> FindDevice(JobClient& client, const std::string& id) {
  ASSIGN_OR_RETURN(const pb::DevicesReply reply, client.Devices());
  std::vector<std::string> known;
  for (const pb::Device& device : reply.devices()) {
    if (device.device_id() == id) return device;
    known.push_back(device.device_id());
  }
  return DiagnosticStatus(absl::StatusCode::kNotFound,
                          {.message = "there is no device " + id, .hint = NameHint(id, known)});
}

// The agent of a private server may just have started: waits while it measures.
absl::StatusOr<pb::Device> WaitForRoofs(JobClient& client, const std::string& id) {
  const Clock& clock = SystemClock();
  const absl::Duration give_up = clock.Monotonic() + kMeasuringTime;
  RETURN_IF_ERROR(client.WaitForDevices());
  while (true) {
    ASSIGN_OR_RETURN(pb::Device device, FindDevice(client, id));
    const bool pending = device.info().roofs().absence() == work::kRoofsPending;
    if (!pending || device.state() == "lost" || clock.Monotonic() >= give_up) return device;
    SleepThread(kPollInterval);
  }
}

absl::StatusOr<int> ShowRoofline(const RooflineArguments& arguments, const GlobalOptions& options) {
  RETURN_IF_ERROR(CheckMayWrite(arguments.svg, arguments.force));
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kYes));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const pb::Device device, connection->is_private()
                                                ? WaitForRoofs(client, arguments.device)
                                                : FindDevice(client, arguments.device));
  ASSIGN_OR_RETURN(const pb::ListReply jobs, client.List(limits::kListedJobs));
  ASSIGN_OR_RETURN(const Roofline roofline, MakeRoofline(device, jobs));
  if (!arguments.svg.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(arguments.svg, RooflineSvg(roofline), /*durable=*/false));
  }
  if (options.json) {
    nlohmann::ordered_json document = RooflineDocument(roofline);
    if (!arguments.svg.empty()) document["svg"] = arguments.svg;
    PrintDocument(document);
  } else if (!arguments.svg.empty()) {
    std::printf("%s: the roofline of %s\n", arguments.svg.c_str(), roofline.device_id.c_str());
  } else {
    std::printf("%s\n%s", RooflineTables(roofline).c_str(), RooflineChart(roofline).c_str());
  }
  return kExitDone;
}

}  // namespace

void AddRoofline(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "roofline", "what a device can do at most, and how near to it the best kernels come");
  const auto arguments = std::make_shared<RooflineArguments>();
  command->add_option("device", arguments->device, "AGENT/BACKEND:INDEX, as `burnish devices` says")
      ->required();
  command->add_option("--svg", arguments->svg, "write the diagram to this file");
  command->add_flag("--force", arguments->force, "overwrite the file");
  command->footer("Example: burnish roofline lab1/cpu:0 --svg roofline.svg");
  SetAction(command, context, Acts::kReading,
            [arguments, &context] { return ShowRoofline(*arguments, context.options); });
}

}  // namespace burnish::cli
