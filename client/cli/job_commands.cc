// burnish watch, show, best, list, records: what a server knows of jobs.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/cli/commands.h"
#include "client/cli/follow.h"
#include "client/cli/job_client.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "client/cli/watcher.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

int Exit(const absl::StatusOr<int>& code, const GlobalOptions& options) {
  return code.ok() ? *code : PrintError(code.status(), options.json);
}

void PrintDocument(const nlohmann::ordered_json& document) {
  std::printf("%s\n",
              document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

absl::StatusOr<int> Watch(const std::string& job_id, double timeout_seconds,
                          CommandContext& context) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(context.options, NeedsDevices::kNo));
  JobClient client(*connection, context.options);
  FollowOptions follow;
  follow.job_id = job_id;
  if (timeout_seconds > 0) follow.timeout = absl::Seconds(timeout_seconds);
  ASSIGN_OR_RETURN(const Followed followed,
                   FollowJob(*connection, client, *context.signals, context.options, follow));
  PrintJob(followed.snapshot, context.options);
  return followed.exit_code;
}

absl::StatusOr<int> Show(const std::string& job_id, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const pb::JobSnapshot snapshot, client.Get(job_id));
  PrintJob(snapshot, options);
  if (options.json) return kExitDone;
  if (!snapshot.reason().empty()) std::printf("job       %s\n", snapshot.reason().c_str());
  if (!snapshot.waiting().empty()) std::printf("waiting   %s\n", snapshot.waiting().c_str());
  std::printf("\n%s", snapshot.job_text().c_str());
  return kExitDone;
}

absl::StatusOr<int> Best(const std::string& job_id, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
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
                  FormatSeconds(task.best().latency_seconds()).c_str(),
                  ConfigurationText(task.best().configuration()).c_str());
    }
    if (!all_known) {
      std::fprintf(stderr, "%s has no verified result yet\n", snapshot.job_id().c_str());
    }
  }
  return all_verified ? kExitDone : kExitJobFailed;
}

std::string AgeText(int64_t created_unix_ms) {
  const absl::Duration age = SystemClock().Now() - absl::FromUnixMillis(created_unix_ms);
  if (age < absl::Minutes(2)) return absl::StrFormat("%.0f s", absl::ToDoubleSeconds(age));
  if (age < absl::Hours(2)) return absl::StrFormat("%.0f min", absl::ToDoubleMinutes(age));
  if (age < absl::Hours(48)) return absl::StrFormat("%.0f h", absl::ToDoubleHours(age));
  return absl::StrFormat("%.0f d", absl::ToDoubleHours(age) / 24);
}

absl::StatusOr<int> List(int limit, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const pb::ListReply reply, client.List(limit));
  if (options.json) {
    nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
    for (const pb::JobSnapshot& job : reply.jobs()) jobs.push_back(JobDocument(job));
    PrintDocument({{"jobs", jobs}});
    return kExitDone;
  }
  if (reply.jobs_size() == 0) {
    std::printf("no jobs yet: burnish tune examples/convolution/convolution.yaml\n");
    return kExitDone;
  }
  std::vector<std::vector<std::string>> rows = {
      {"job", "name", "state", "trials", "best", "vs default", "age"}};
  for (const pb::JobSnapshot& job : reply.jobs()) {
    for (const pb::TaskSnapshot& task : job.tasks()) {
      rows.push_back({job.tasks_size() == 1 ? job.job_id() : task.task_id(), job.name(),
                      StateText(task.state() == pb::STATE_UNSPECIFIED ? job.state() : task.state()),
                      absl::StrCat(task.trials(), "/", task.budget_trials()),
                      task.has_best() ? FormatSeconds(task.best().latency_seconds()) : "",
                      task.speedup() > 0 ? absl::StrFormat("%.2fx", task.speedup()) : "",
                      AgeText(job.created_unix_ms())});
    }
  }
  std::printf("%s", FormatTable(rows).c_str());
  return kExitDone;
}

std::string RecordLine(const pb::Record& record) {
  const nlohmann::ordered_json document = RecordDocument(record);
  const std::string message =
      document["message"].is_string() ? document["message"].get<std::string>() : std::string();
  std::string line =
      absl::StrFormat("%-10s %-14s ", absl::StrCat(record.task_id(), "#", record.trial()),
                      document["outcome"].get<std::string>());
  if (record.has_measurement()) {
    const double seconds = record.measurement().latency().seconds();
    absl::StrAppendFormat(&line, "%-10s ", seconds > 0 ? FormatSeconds(seconds) : "-");
    absl::StrAppend(&line, ConfigurationText(record.configuration()));
  }
  if (!message.empty()) absl::StrAppend(&line, "  ", message.substr(0, message.find('\n')));
  return line;
}

absl::StatusOr<int> Records(const std::string& job_id, const std::string& kind,
                            const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  RETURN_IF_ERROR(client.Records(job_id, kind, [&](const pb::Record& record) {
    const std::string line =
        options.json
            ? RecordDocument(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
            : RecordLine(record);
    std::printf("%s\n", line.c_str());
  }));
  return kExitDone;
}

// A verb whose one argument is a job.
CLI::App* AddJobVerb(CLI::App& app, CommandContext& context, const std::string& name,
                     const std::string& description,
                     absl::StatusOr<int> (*run)(const std::string&, const GlobalOptions&)) {
  CLI::App* command = app.add_subcommand(name, description);
  auto job_id = std::make_shared<std::string>();
  command->add_option("job", *job_id, "job id, such as j42")->required();
  command->footer(absl::StrCat("Example: burnish ", name, " j42"));
  command->callback([job_id, run, &context] {
    context.run = [job_id, run, &context] {
      return Exit(run(*job_id, context.options), context.options);
    };
  });
  return command;
}

}  // namespace

void AddShow(CLI::App& app, CommandContext& context) {
  AddJobVerb(app, context, "show", "a job's state, result and text", Show);
}

void AddBest(CLI::App& app, CommandContext& context) {
  AddJobVerb(app, context, "best", "the best configuration so far", Best);
}

void AddWatch(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("watch", "follow a job to its end; Ctrl-C leaves it alone");
  auto job_id = std::make_shared<std::string>();
  auto timeout_seconds = std::make_shared<double>(0);
  command->add_option("job", *job_id, "job id, such as j42")->required();
  command->add_option("--timeout", *timeout_seconds, "leave after this many seconds (exit 6)");
  command->footer("Example: burnish watch j42 --server lab:7400");
  command->callback([job_id, timeout_seconds, &context] {
    context.run = [job_id, timeout_seconds, &context] {
      return Exit(Watch(*job_id, *timeout_seconds, context), context.options);
    };
  });
}

void AddList(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("list", "jobs, newest first");
  auto limit = std::make_shared<int>(20);
  command->add_option("--limit", *limit, "how many")->check(CLI::PositiveNumber);
  command->footer("Example: burnish list --limit 5");
  command->callback([limit, &context] {
    context.run = [limit, &context] {
      return Exit(List(*limit, context.options), context.options);
    };
  });
}

void AddRecords(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("records", "every finished measurement of a job");
  auto job_id = std::make_shared<std::string>();
  auto kind = std::make_shared<std::string>("measure");
  command->add_option("job", *job_id, "job id, such as j42")->required();
  command->add_option("--kind", *kind, "measure, or compare for the finalists' comparison")
      ->check(CLI::IsMember({"measure", "compare"}));
  command->footer("Example: burnish records j42 --json > records.jsonl");
  command->callback([job_id, kind, &context] {
    context.run = [job_id, kind, &context] {
      return Exit(Records(*job_id, *kind, context.options), context.options);
    };
  });
}

}  // namespace burnish::cli
