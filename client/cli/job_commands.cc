// burnish watch, show, best: one job.
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/follow.h"
#include "client/cli/job_client.h"
#include "client/cli/job_names.h"
#include "client/cli/metric_text.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "client/cli/watcher.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

struct WatchArguments {
  std::string job;
  double timeout_seconds = 0;
  bool jsonl = false;
};

// One line per snapshot, on standard output.
void PrintEvent(const pb::JobSnapshot& snapshot, pb::State& last_state) {
  nlohmann::ordered_json event = {{"schema", "burnish.event/1"},
                                  {"event", snapshot.state() == last_state ? "progress" : "state"}};
  event.update(JobDocument(snapshot));
  event["waiting"] = snapshot.waiting();
  last_state = snapshot.state();
  PrintLine(event);
}

absl::StatusOr<int> Watch(const WatchArguments& arguments, CommandContext& context) {
  const GlobalOptions& options = context.options;
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  FollowOptions follow{.ends_when_paused = true};
  ASSIGN_OR_RETURN(follow.job_id, ResolveJob(client, arguments.job));
  if (arguments.timeout_seconds > 0) follow.timeout = absl::Seconds(arguments.timeout_seconds);
  pb::State last_state = pb::STATE_UNSPECIFIED;
  if (arguments.jsonl) {
    follow.on_snapshot = [&](const pb::JobSnapshot& snapshot) { PrintEvent(snapshot, last_state); };
  }
  ASSIGN_OR_RETURN(const Followed followed,
                   FollowJob(*connection, client, *context.signals, options, follow));
  if (!arguments.jsonl) PrintJob(followed.snapshot, options);
  return followed.exit_code;
}

absl::StatusOr<int> Show(const std::string& job, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const std::string job_id, ResolveJob(client, job));
  ASSIGN_OR_RETURN(const pb::JobSnapshot snapshot, client.Get(job_id));
  if (options.json) {
    PrintDocument(JobDocument(snapshot));
    return kExitDone;
  }
  std::printf("%s", ResultTable(snapshot).c_str());
  if (!snapshot.reason().empty()) std::printf("job       %s\n", snapshot.reason().c_str());
  if (!snapshot.waiting().empty()) std::printf("waiting   %s\n", snapshot.waiting().c_str());
  std::printf("\n%s", snapshot.job_text().c_str());
  return kExitDone;
}

// The code alone: it can be piped into a file and compiled.
absl::StatusOr<int> ShowSource(const std::string& job, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const std::string job_id, ResolveJob(client, job));
  ASSIGN_OR_RETURN(const pb::SourceReply reply, client.Source(job_id));
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const pb::TaskSource& task : reply.tasks()) {
    if (options.json) {
      tasks.push_back({{"task_id", task.task_id()},
                       {"configuration", ConfigurationJson(task.configuration())},
                       {"language", task.language()},
                       {"file", task.file()},
                       {"source", task.text()}});
    } else {
      std::printf("// %s: %s\n%s", task.task_id().c_str(),
                  ConfigurationText(task.configuration()).c_str(), task.text().c_str());
    }
  }
  if (options.json) PrintDocument({{"job_id", job_id}, {"tasks", tasks}});
  return kExitDone;
}

absl::StatusOr<int> Best(const std::string& job, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const std::string job_id, ResolveJob(client, job));
  ASSIGN_OR_RETURN(const pb::JobSnapshot snapshot, client.Get(job_id));
  bool all_known = snapshot.tasks_size() > 0;
  bool all_verified = all_known;
  for (const pb::TaskSnapshot& task : snapshot.tasks()) {
    all_known = all_known && task.has_best();
    all_verified = all_verified && task.has_best() && task.best().verified();
  }
  if (options.json) {
    PrintDocument(JobDocument(snapshot));
  } else {
    for (const pb::TaskSnapshot& task : snapshot.tasks()) {
      if (!task.has_best()) continue;
      std::printf("%s  %s  %s\n", task.task_id().c_str(),
                  ObjectiveValuesText(task, task.best()).c_str(),
                  ConfigurationText(task.best().configuration()).c_str());
    }
    if (!all_known) {
      std::fprintf(stderr, "%s has no verified result yet\n", snapshot.job_id().c_str());
    }
  }
  return all_verified ? kExitDone : kExitJobFailed;
}

// A verb whose one argument is a job.
CLI::App* AddJobVerb(CLI::App& app, CommandContext& context, const std::string& name,
                     const std::string& description,
                     absl::StatusOr<int> (*run)(const std::string&, const GlobalOptions&)) {
  CLI::App* command = app.add_subcommand(name, description);
  auto job_id = std::make_shared<std::string>();
  command->add_option("job", *job_id, kJobArgument)->required();
  command->footer(absl::StrCat("Example: burnish ", name, " j42"));
  SetAction(command, context, Acts::kReading,
            [job_id, run, &context] { return run(*job_id, context.options); });
  return command;
}

}  // namespace

void AddShow(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("show", "a job's state, result and text; or its code");
  auto job = std::make_shared<std::string>();
  auto source = std::make_shared<bool>(false);
  command->add_option("job", *job, kJobArgument)->required();
  command->add_flag("--source", *source,
                    "the code of the best candidate, with its macros; of the default before that");
  command->footer("Example: burnish show j42 --source > best.cc");
  SetAction(command, context, Acts::kReading, [job, source, &context] {
    return *source ? ShowSource(*job, context.options) : Show(*job, context.options);
  });
}

void AddBest(CLI::App& app, CommandContext& context) {
  AddJobVerb(app, context, "best", "the best configuration so far", Best);
}

void AddWatch(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("watch", "follow a job to its end; Ctrl-C leaves it alone");
  auto arguments = std::make_shared<WatchArguments>();
  command->add_option("job", arguments->job, kJobArgument)->required();
  command->add_option("--timeout", arguments->timeout_seconds,
                      "leave after this many seconds (exit 6)");
  command->add_flag("--jsonl", arguments->jsonl, "one JSON document per change, one a line");
  command->footer("Example: burnish watch j42 --server lab:7400");
  SetAction(command, context, Acts::kReading,
            [arguments, &context] { return Watch(*arguments, context); });
}

}  // namespace burnish::cli
