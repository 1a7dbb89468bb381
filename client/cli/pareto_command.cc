// burnish pareto: the front of a job with several objectives.
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/job_client.h"
#include "client/cli/job_names.h"
#include "client/cli/output.h"
#include "client/cli/pareto.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

struct ParetoArguments {
  std::string job;
  std::string where;
  std::string by;
  std::string svg;
  bool force = false;
};

absl::Status CheckFronts(const pb::JobSnapshot& job) {
  for (const pb::TaskSnapshot& task : job.tasks()) {
    if (HasFront(task)) continue;
    return InvalidInput(
        absl::StrCat(job.job_id(), " has one objective, ",
                     spec::MetricName(ObjectivesOf(task).front().metric), ": there is no front"),
        absl::StrCat("`burnish best ", job.job_id(), "` shows its answer"));
  }
  return absl::OkStatus();
}

absl::Status WriteSvg(const ParetoArguments& arguments, const pb::JobSnapshot& job,
                      const ParetoQuestion& question) {
  if (job.tasks_size() != 1) {
    return InvalidInput(
        absl::StrCat(job.job_id(), " has ", job.tasks_size(), " tasks; a diagram shows one"),
        "leave --svg out");
  }
  return WriteFileAtomically(arguments.svg, ParetoSvg(job, job.tasks(0), question),
                             /*durable=*/false);
}

absl::StatusOr<int> ShowPareto(const ParetoArguments& arguments, const GlobalOptions& options) {
  RETURN_IF_ERROR(CheckMayWrite(arguments.svg, arguments.force));
  RETURN_IF_ERROR(CheckWhere(arguments.where));
  const ParetoQuestion question{.where = arguments.where, .by = spec::ParseMetric(arguments.by)};
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const std::string job_id, ResolveJob(client, arguments.job));
  ASSIGN_OR_RETURN(const pb::JobSnapshot job, client.Get(job_id, arguments.where));
  RETURN_IF_ERROR(CheckFronts(job));
  if (!arguments.svg.empty()) RETURN_IF_ERROR(WriteSvg(arguments, job, question));
  bool all_have_one = job.tasks_size() > 0;
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const pb::TaskSnapshot& task : job.tasks()) {
    all_have_one = all_have_one && task.front_size() > 0;
    if (options.json) {
      tasks.push_back(ParetoDocument(task, question));
    } else {
      std::printf("%s", ParetoText(job, task, question).c_str());
    }
  }
  if (options.json) {
    nlohmann::ordered_json document = {
        {"job_id", job.job_id()}, {"name", job.name()}, {"tasks", tasks}};
    if (!arguments.svg.empty()) document["svg"] = arguments.svg;
    PrintDocument(document);
  } else if (!arguments.svg.empty()) {
    std::printf("%s: the front of %s\n", arguments.svg.c_str(), job.job_id().c_str());
  }
  return all_have_one ? kExitDone : kExitJobFailed;
}

}  // namespace

void AddPareto(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "pareto", "the front of a job with several objectives, and its compromise");
  const auto arguments = std::make_shared<ParetoArguments>();
  command->add_option("job", arguments->job, kJobArgument)->required();
  command->add_option("--where", arguments->where,
                      "a limit asked afterwards: the front of what is within it (exit 1: nothing)");
  std::vector<std::string> metrics;
  for (const spec::Metric metric : spec::AllMetrics())
    metrics.emplace_back(spec::MetricName(metric));
  command
      ->add_option("--by", arguments->by,
                   "choose the point that is best in this metric (else the fastest one)")
      ->check(CLI::IsMember(metrics));
  command->add_option("--svg", arguments->svg, "draw the front into this file");
  command->add_flag("--force", arguments->force, "overwrite the file");
  command->footer("Example: burnish pareto j42 --where 'power <= 15'");
  SetAction(command, context, Acts::kReading,
            [arguments, &context] { return ShowPareto(*arguments, context.options); });
}

}  // namespace burnish::cli
