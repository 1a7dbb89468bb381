// burnish export: the measurements of a job as one file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/export_document.h"
#include "client/cli/job_names.h"
#include "client/cli/listing.h"
#include "client/cli/measured_records.h"
#include "client/cli/output.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/measured/writer.h"

namespace burnish::cli {
namespace {

struct ExportArguments {
  std::string job;
  std::string format;
  std::string file;
  std::string task;
  bool samples = false;
  bool force = false;
};

absl::StatusOr<std::string> Csv(const JobRecords& records, bool samples) {
  const Table table = RecordTable(records.records);
  TableOptions options{.output = "csv"};
  for (const Column& column : table.columns) {
    if (samples || column.name != "samples") options.columns.push_back(column.name);
  }
  std::vector<size_t> rows(table.rows.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return FormatRows(table, rows, options);
}

absl::StatusOr<std::string> TextIn(const JobRecords& records, const ExportArguments& arguments) {
  if (arguments.format == "t4" || arguments.format == "cache") {
    ASSIGN_OR_RETURN(const measured::MeasuredSpace space, MeasuredSpaceOf(records, arguments.task));
    return arguments.format == "t4" ? measured::WriteT4(space)
                                    : measured::WriteKernelTunerCache(space);
  }
  if (!arguments.task.empty()) {
    return InvalidInput("--task goes with --format t4 and cache", "the others hold every task");
  }
  if (arguments.format == "csv") return Csv(records, arguments.samples);
  const Samples samples = arguments.samples ? Samples::kIncluded : Samples::kLeftOut;
  return DocumentText(ExportDocument(records, samples)) + "\n";
}

absl::StatusOr<int> Export(const ExportArguments& arguments, const GlobalOptions& options) {
  if (options.json && arguments.file.empty() && arguments.format == "csv") {
    return InvalidInput("--json and --format csv both want standard output", "add -o FILE");
  }
  RETURN_IF_ERROR(CheckMayWrite(arguments.file, arguments.force));
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const JobRecords records, FetchRecords(client, arguments.job));
  ASSIGN_OR_RETURN(const std::string text, TextIn(records, arguments));
  if (arguments.file.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kExitDone;
  }
  RETURN_IF_ERROR(WriteFileAtomically(arguments.file, text, /*durable=*/false));
  if (options.json) {
    PrintDocument({{"file", arguments.file}, {"records", records.records.size()}});
  } else {
    std::printf("%s: %zu records of %s\n", arguments.file.c_str(), records.records.size(),
                records.job.job_id().c_str());
  }
  return kExitDone;
}

}  // namespace

void AddExport(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "export", "every measurement of a job as one file: JSON, CSV or for other tuners");
  const auto arguments = std::make_shared<ExportArguments>();
  command->add_option("job", arguments->job, kJobArgument)->required();
  command
      ->add_option("--format", arguments->format,
                   "json, csv, t4 (as auto-tuners exchange results) or cache (Kernel Tuner's)")
      ->required()
      ->check(CLI::IsMember({"json", "csv", "t4", "cache"}));
  command->add_option("--task", arguments->task, "task of a job that has several, such as j42.1");
  command->add_option("-o,--output", arguments->file, "file to write (else standard output)");
  command->add_flag("--samples", arguments->samples,
                    "with the raw samples (T4 and cache always have them)");
  command->add_flag("--force", arguments->force, "overwrite the file");
  command->footer("Example: burnish export j42 --format csv -o j42.csv");
  SetAction(command, context, Acts::kReading,
            [arguments, &context] { return Export(*arguments, context.options); });
}

}  // namespace burnish::cli
