// burnish tune, submit: a job file becomes a stored job; tune then follows it.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/eta.h"
#include "client/cli/follow.h"
#include "client/cli/job_file.h"
#include "client/cli/job_names.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/job_reader.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {
namespace {

struct TuneArguments {
  int priority = 0;
  std::string file;
  std::string resume_job;
  double timeout_seconds = 0;
};

// Everything that can be known before a process is started or a row is written.
absl::StatusOr<spec::JobText> ReadAndCheck(const std::string& file, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(spec::JobText job, LoadJobFile(file, LoadSources::kYes));
  ASSIGN_OR_RETURN(const spec::JobSpec spec, spec::ReadJob(job, spec::SourceCheck::kRequired));
  if (spec.unserved) {
    return DiagnosticStatus(absl::StatusCode::kInvalidArgument, *spec.unserved);
  }
  if (spec.reference.kind == spec::Reference::Kind::kAbsent) {
    return DiagnosticStatus(absl::StatusCode::kInvalidArgument,
                            {.file = job.file_name,
                             .path = "kernel.reference",
                             .message = "there is no reference to check results against",
                             .hint = "name a reference function, or say `reference: none` to tune "
                                     "unverified"});
  }
  // A workload's space depends on the device that will serve it.
  if (!spec.workload) RETURN_IF_ERROR(spec::BuildSpace(job, spec).status());
  for (const std::string& warning : spec.warnings) PrintWarning(warning, options);
  return job;
}

absl::StatusOr<std::string> ResumeJob(JobClient& client, const spec::JobText& job,
                                      const std::string& job_name) {
  ASSIGN_OR_RETURN(const std::string job_id, ResolveJob(client, job_name));
  ASSIGN_OR_RETURN(const pb::JobSnapshot stored, client.Get(job_id));
  if (stored.job_text() != job.text) {
    return InvalidInput(
        absl::StrCat(job.file_name, " differs from what ", stored.job_id(), " was started with"),
        "put the file back as it was, or tune it as a new job without --resume");
  }
  ASSIGN_OR_RETURN(const pb::JobSnapshot resumed, client.Resume(job_id));
  return resumed.job_id();
}

void PrintWarnings(const pb::SubmitReply& submitted, const GlobalOptions& options) {
  for (const std::string& warning : submitted.warnings()) PrintWarning(warning, options);
}

void PrintForecast(const pb::Forecast& forecast, const GlobalOptions& options) {
  if (options.quiet || options.json) return;
  std::fprintf(stderr, "forecast  %s\n", ForecastText(forecast).c_str());
}

absl::StatusOr<int> Tune(const TuneArguments& arguments, CommandContext& context) {
  const GlobalOptions& options = context.options;
  ASSIGN_OR_RETURN(const spec::JobText job, ReadAndCheck(arguments.file, options));
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kYes));
  JobClient client(*connection, options);
  FollowOptions follow;
  follow.owns_job = connection->is_private();
  if (arguments.timeout_seconds > 0) follow.timeout = absl::Seconds(arguments.timeout_seconds);
  if (connection->is_private()) RETURN_IF_ERROR(client.WaitForDevices());
  if (arguments.resume_job.empty()) {
    ASSIGN_OR_RETURN(const pb::SubmitReply submitted, client.Submit(job, arguments.priority));
    follow.job_id = submitted.job_id();
    PrintWarnings(submitted, options);
    PrintForecast(submitted.forecast(), options);
  } else {
    ASSIGN_OR_RETURN(follow.job_id, ResumeJob(client, job, arguments.resume_job));
  }
  ASSIGN_OR_RETURN(const Followed followed,
                   FollowJob(*connection, client, *context.signals, options, follow));
  PrintJob(followed.snapshot, options);
  return followed.exit_code;
}

absl::StatusOr<int> Submit(const TuneArguments& arguments, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const spec::JobText job, ReadAndCheck(arguments.file, options));
  if (options.place.server.empty()) {
    return InvalidInput("submit needs a server: the private server ends with its last client",
                        "use `burnish tune`, or name one: --server HOST:PORT or BURNISH_SERVER");
  }
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const pb::SubmitReply submitted, client.Submit(job, arguments.priority));
  PrintWarnings(submitted, options);
  PrintForecast(submitted.forecast(), options);
  if (options.json) {
    const nlohmann::ordered_json document = {{"job_id", submitted.job_id()},
                                             {"forecast", ForecastJson(submitted.forecast())}};
    std::printf("%s\n", document.dump().c_str());
  } else {
    std::printf("%s\n", submitted.job_id().c_str());
  }
  return kExitDone;
}

void AddJobFile(CLI::App* command, TuneArguments& arguments) {
  command->add_option("file", arguments.file, "job file (YAML or JSON), or - for standard input")
      ->required();
  command
      ->add_option("--priority", arguments.priority,
                   "among the jobs of the namespace: -10 to 10, higher goes first")
      ->check(CLI::Range(-limits::kPriority, limits::kPriority));
}

}  // namespace

void AddTune(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("tune", "tune the kernel of a job file and print the best");
  auto arguments = std::make_shared<TuneArguments>();
  AddJobFile(command, *arguments);
  command->add_option("--resume", arguments->resume_job, "go on with a paused job of this file");
  command->add_option("--timeout", arguments->timeout_seconds,
                      "leave after this many seconds (exit 6); on a server the job goes on");
  command->footer("Example: burnish tune examples/convolution/convolution.yaml");
  SetAction(command, context, Acts::kChanging,
            [arguments, &context] { return Tune(*arguments, context); });
}

void AddSubmit(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("submit", "store a job on a server and print its id without waiting");
  auto arguments = std::make_shared<TuneArguments>();
  AddJobFile(command, *arguments);
  command->footer("Example: burnish submit job.yaml --server lab:7400");
  SetAction(command, context, Acts::kChanging,
            [arguments, &context] { return Submit(*arguments, context.options); });
}

}  // namespace burnish::cli
