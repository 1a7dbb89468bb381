// burnish cancel, pause, resume, finish: what people do to a job that exists; and wait.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/context.h"
#include "client/cli/follow.h"
#include "client/cli/job_client.h"
#include "client/cli/job_names.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "client/cli/watcher.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

using Change = absl::StatusOr<pb::JobSnapshot> (JobClient::*)(const std::string& job_id);

struct ControlArguments {
  std::vector<std::string> jobs;
  bool all = false;
};

absl::StatusOr<std::vector<std::string>> ResolveJobs(JobClient& client,
                                                     const std::vector<std::string>& names) {
  std::vector<std::string> ids;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(ids.emplace_back(), ResolveJob(client, name));
  }
  return ids;
}

absl::StatusOr<std::vector<std::string>> OpenJobs(JobClient& client) {
  ASSIGN_OR_RETURN(const pb::ListReply listed, client.List(limits::kListedJobs));
  std::vector<std::string> ids;
  for (const pb::JobSnapshot& job : listed.jobs()) {
    if (!IsFinalState(job.state())) ids.push_back(job.job_id());
  }
  return ids;
}

// Whether the person at the terminal says yes; Ctrl-C is a no.
absl::StatusOr<bool> Confirm(const std::string& question, const CommandContext& context) {
  if (context.options.yes) return true;
  if (::isatty(STDIN_FILENO) == 0) {
    return InvalidInput("there is no terminal to ask at", "say --yes if you mean it");
  }
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  std::vector<pollfd> waits = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                               {.fd = context.signals->fd(), .events = POLLIN, .revents = 0}};
  PollUntil(waits, absl::InfiniteDuration());
  std::string answer;
  if (waits[0].revents == 0 || !std::getline(std::cin, answer)) return false;
  const std::string word = absl::AsciiStrToLower(absl::StripAsciiWhitespace(answer));
  return word == "y" || word == "yes";
}

// That a job has ended is no fault of the command's.
int CodeOfRefusal(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) ? int{kExitJobFailed} : ExitCodeOf(status);
}

// Each job for itself: one that cannot be changed does not keep the others from it.
int ChangeJobs(JobClient& client, Change change, const std::vector<std::string>& ids,
               const GlobalOptions& options) {
  int code = kExitDone;
  nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
  for (const std::string& id : ids) {
    const absl::StatusOr<pb::JobSnapshot> job = (client.*change)(id);
    if (!job.ok()) {
      PrintError(job.status(), options);
      code = std::max(code, CodeOfRefusal(job.status()));
      continue;
    }
    jobs.push_back(JobDocument(*job));
    if (!options.json) {
      std::printf("%s %s\n", job->job_id().c_str(), StateText(job->state()).c_str());
    }
  }
  if (options.json && (code == kExitDone || !jobs.empty())) PrintDocument({{"jobs", jobs}});
  return code;
}

absl::StatusOr<int> Control(Change change, const ControlArguments& arguments,
                            const CommandContext& context) {
  const GlobalOptions& options = context.options;
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  if (!arguments.all) {
    ASSIGN_OR_RETURN(const auto ids, ResolveJobs(client, arguments.jobs));
    return ChangeJobs(client, change, ids, options);
  }
  ASSIGN_OR_RETURN(const auto ids, OpenJobs(client));
  if (!ids.empty()) {
    const std::string question =
        absl::StrCat("cancel ", ids.size(), " jobs at ", DescribePlace(options.place), "?");
    ASSIGN_OR_RETURN(const bool confirmed, Confirm(question, context));
    if (!confirmed) return kExitInterrupted;
  }
  return ChangeJobs(client, change, ids, options);
}

// A private server ends with its last client: there the job goes on for as long as this one stays.
absl::StatusOr<int> Resume(const ControlArguments& arguments, const CommandContext& context) {
  const GlobalOptions& options = context.options;
  if (!options.place.server.empty()) return Control(&JobClient::Resume, arguments, context);
  if (arguments.jobs.size() != 1) {
    return InvalidInput("the private server goes on with one job at a time", "give one job");
  }
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kYes));
  JobClient client(*connection, options);
  FollowOptions follow;
  follow.owns_job = true;
  ASSIGN_OR_RETURN(follow.job_id, ResolveJob(client, arguments.jobs.front()));
  RETURN_IF_ERROR(client.WaitForDevices());
  if (const auto resumed = client.Resume(follow.job_id); !resumed.ok()) {
    PrintError(resumed.status(), options);
    return CodeOfRefusal(resumed.status());
  }
  ASSIGN_OR_RETURN(const Followed followed,
                   FollowJob(*connection, client, *context.signals, options, follow));
  PrintJob(followed.snapshot, options);
  return followed.exit_code;
}

std::string UnmetText(const pb::JobSnapshot& job) {
  int64_t trials = 0;
  int64_t budget = 0;
  for (const pb::TaskSnapshot& task : job.tasks()) {
    trials += task.trials();
    budget += task.budget_trials();
  }
  return absl::StrCat(job.job_id(), " has not ended: ", StateText(job.state()), ", ", trials,
                      " of ", budget, " trials");
}

// One after the other: all have to end anyway.
absl::StatusOr<int> Wait(const std::vector<std::string>& names, double timeout_seconds,
                         const CommandContext& context) {
  const GlobalOptions& options = context.options;
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const auto ids, ResolveJobs(client, names));
  const absl::Duration deadline = DeadlineAfter(timeout_seconds > 0 ? absl::Seconds(timeout_seconds)
                                                                    : absl::InfiniteDuration());
  int code = kExitDone;
  nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
  for (const std::string& id : ids) {
    FollowOptions follow{.job_id = id};
    if (timeout_seconds > 0) follow.timeout = deadline - SystemClock().Monotonic();
    ASSIGN_OR_RETURN(const Followed followed,
                     FollowJob(*connection, client, *context.signals, options, follow));
    if (followed.exit_code == kExitTimeout) {
      ASSIGN_OR_RETURN(const pb::JobSnapshot unmet, client.Get(id));
      std::fprintf(stderr, "%s\n", UnmetText(unmet).c_str());
    } else if (!options.json) {
      std::printf("%s %s\n", id.c_str(), StateText(followed.snapshot.state()).c_str());
    }
    jobs.push_back(JobDocument(followed.snapshot));
    code = std::max(code, followed.exit_code);
    if (code == kExitInterrupted) break;
  }
  if (options.json) {
    PrintDocument(jobs.size() == 1 ? jobs[0] : nlohmann::ordered_json({{"jobs", jobs}}));
  }
  return code;
}

CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& description,
                  const std::shared_ptr<ControlArguments>& arguments) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_option("job", arguments->jobs, kJobArgument);
  command->footer(absl::StrCat("Example: burnish ", name, " j42"));
  return command;
}

}  // namespace

void AddControl(CLI::App& app, CommandContext& context) {
  const auto cancelled = std::make_shared<ControlArguments>();
  CLI::App* cancel =
      AddVerb(app, "cancel", "end jobs at once; what they measured stays", cancelled);
  cancel->add_flag("--all", cancelled->all, "every job of the namespace that has not ended; asks");
  SetAction(cancel, context, Acts::kChanging, [cancelled, &context]() -> absl::StatusOr<int> {
    if (cancelled->all == !cancelled->jobs.empty()) {
      return InvalidInput("name the jobs, or say --all", "burnish cancel j42");
    }
    return Control(&JobClient::Cancel, *cancelled, context);
  });

  struct Verb {
    const char* name;
    const char* description;
    absl::StatusOr<int> (*run)(const ControlArguments&, const CommandContext&);
  };
  const Verb verbs[] = {
      {"pause", "running trials end, nothing new starts until the job is resumed",
       [](const auto& arguments, const auto& context) {
         return Control(&JobClient::Pause, arguments, context);
       }},
      {"resume", "go on with paused jobs; on the private server, one, which is then followed",
       Resume},
      {"finish", "no new trials: the finalists of what was measured are compared",
       [](const auto& arguments, const auto& context) {
         return Control(&JobClient::Finish, arguments, context);
       }},
  };
  for (const Verb& verb : verbs) {
    const auto arguments = std::make_shared<ControlArguments>();
    CLI::App* command = AddVerb(app, verb.name, verb.description, arguments);
    command->get_option("job")->required();
    SetAction(command, context, Acts::kChanging,
              [arguments, run = verb.run, &context] { return run(*arguments, context); });
  }
}

void AddWait(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("wait", "until jobs have ended, in whatever state; 0 if all are done");
  const auto jobs = std::make_shared<std::vector<std::string>>();
  const auto timeout_seconds = std::make_shared<double>(0);
  command->add_option("job", *jobs, kJobArgument)->required();
  command->add_option("--timeout", *timeout_seconds,
                      "leave after this many seconds, saying what has not ended (exit 6)");
  command->footer("Example: burnish wait j42 j43 --timeout 600 --quiet");
  SetAction(command, context, Acts::kReading,
            [jobs, timeout_seconds, &context] { return Wait(*jobs, *timeout_seconds, context); });
}

}  // namespace burnish::cli
