// burnish list, records, devices: tables of what a server knows.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/commands.h"
#include "client/cli/job_client.h"
#include "client/cli/job_names.h"
#include "client/cli/listing.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "common/base/clock.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

absl::Status PrintRows(const Table& table, const std::vector<size_t>& rows,
                       const TableOptions& options) {
  ASSIGN_OR_RETURN(const std::string text, FormatRows(table, rows, options));
  std::printf("%s", text.c_str());
  return absl::OkStatus();
}

absl::StatusOr<int> List(const TableOptions& table_options, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  // The server knows no filter: what is left out here must not count against the limit.
  const bool all =
      table_options.limit == 0 || !table_options.filter.empty() || !table_options.sort.empty();
  ASSIGN_OR_RETURN(const pb::ListReply reply,
                   client.List(all ? limits::kListedJobs : table_options.limit));
  std::vector<int> job_of_row;
  const Table table = JobTable(reply, SystemClock().Now(), job_of_row);
  ASSIGN_OR_RETURN(const std::vector<size_t> rows, ChooseRows(table, table_options));
  if (options.json) {
    nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
    std::vector<int> printed;
    for (const size_t row : rows) {
      const int job = job_of_row[row];
      if (std::ranges::find(printed, job) != printed.end()) continue;
      printed.push_back(job);
      jobs.push_back(JobDocument(reply.jobs(job)));
    }
    PrintDocument({{"jobs", jobs}});
    return kExitDone;
  }
  if (reply.jobs_size() == 0 && table_options.output == "table") {
    std::printf("no jobs yet: burnish tune examples/convolution/convolution.yaml\n");
    return kExitDone;
  }
  RETURN_IF_ERROR(PrintRows(table, rows, table_options));
  return kExitDone;
}

absl::StatusOr<int> Devices(const TableOptions& table_options, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kYes));
  JobClient client(*connection, options);
  if (connection->is_private()) RETURN_IF_ERROR(client.WaitForDevices());
  ASSIGN_OR_RETURN(const pb::DevicesReply reply, client.Devices());
  const Table table = DeviceTable(reply);
  ASSIGN_OR_RETURN(const std::vector<size_t> rows, ChooseRows(table, table_options));
  if (options.json) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    for (const size_t row : rows) {
      devices.push_back(DeviceDocument(reply.devices(static_cast<int>(row))));
    }
    PrintDocument({{"devices", devices}});
    return kExitDone;
  }
  if (reply.devices_size() == 0 && table_options.output == "table") {
    std::printf("no devices: burnish-agent --server %s\n", connection->address().c_str());
    return kExitDone;
  }
  RETURN_IF_ERROR(PrintRows(table, rows, table_options));
  return kExitDone;
}

struct RecordsArguments {
  std::string job;
  std::string kind = "measure";
  TableOptions table;
};

absl::StatusOr<int> Records(const RecordsArguments& arguments, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const std::string job_id, ResolveJob(client, arguments.job));
  // Lines for scripts go out as they come; all else needs every record first.
  const bool streams = options.json && arguments.table.limit == 0 &&
                       arguments.table.filter.empty() && arguments.table.sort.empty();
  std::vector<pb::Record> records;
  RETURN_IF_ERROR(client.Records(job_id, arguments.kind, [&](const pb::Record& record) {
    if (streams) {
      PrintLine(RecordDocument(record));
    } else {
      records.push_back(record);
    }
  }));
  if (streams) return kExitDone;
  const Table table = RecordTable(records);
  ASSIGN_OR_RETURN(const std::vector<size_t> rows, ChooseRows(table, arguments.table));
  if (options.json) {
    for (const size_t row : rows) PrintLine(RecordDocument(records[row]));
    return kExitDone;
  }
  RETURN_IF_ERROR(PrintRows(table, rows, arguments.table));
  return kExitDone;
}

}  // namespace

void AddList(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("list", "jobs, newest first");
  const auto table = std::make_shared<TableOptions>();
  table->limit = 20;
  AddTableOptions(command, *table);
  command->footer("Example: burnish list --filter 'state == \"running\"' --sort -speedup");
  SetAction(command, context, Acts::kReading,
            [table, &context] { return List(*table, context.options); });
}

void AddDevices(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("devices", "devices of the fleet and their state");
  const auto table = std::make_shared<TableOptions>();
  AddTableOptions(command, *table);
  command->footer("Example: burnish devices --filter 'state == \"ready\"' -o wide");
  SetAction(command, context, Acts::kReading,
            [table, &context] { return Devices(*table, context.options); });
}

void AddRecords(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand("records", "every finished measurement of a job");
  const auto arguments = std::make_shared<RecordsArguments>();
  command->add_option("job", arguments->job, kJobArgument)->required();
  command
      ->add_option("--kind", arguments->kind, "measure, or compare for the finalists' comparison")
      ->check(CLI::IsMember({"measure", "compare"}));
  AddTableOptions(command, arguments->table);
  command->footer(
      "Example: burnish records j42 --filter 'outcome == \"ok\" and latency < 1e-3' --sort "
      "latency");
  SetAction(command, context, Acts::kReading,
            [arguments, &context] { return Records(*arguments, context.options); });
}

}  // namespace burnish::cli
