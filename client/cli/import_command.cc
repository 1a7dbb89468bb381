// burnish import: records of other tuners as history for the searches of a job's kernel.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/job_client.h"
#include "client/cli/job_file.h"
#include "client/cli/output.h"
#include "client/cli/record_table.h"
#include "client/cli/table.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/measured/reader.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFilesHint[] =
    "wanted are records of the job's kernel: T4, Kernel Tuner cache, KTT, CLBlast's tuner output; "
    "also .gz";

struct ImportArguments {
  std::vector<std::string> files;
  std::string job;
  std::string device_class;
  bool list = false;
  std::string remove;
};

// A file, read.
struct Records {
  std::string path;
  std::string file_name;
  std::string device_class;
  std::string content;
  std::vector<std::string> warnings;
};

absl::Status InFile(const std::string& path, std::string message, std::string hint) {
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument,
                          {.file = path, .message = std::move(message), .hint = std::move(hint)});
}

absl::StatusOr<Records> ReadRecords(const std::string& path, const std::string& device_class) {
  absl::StatusOr<measured::MeasuredSpace> measured = measured::ReadFile(path);
  if (!measured.ok()) {
    Diagnostic fault =
        DiagnosticOf(measured.status())
            .value_or(Diagnostic{.message = std::string(measured.status().message())});
    if (fault.hint.empty()) fault.hint = kFilesHint;
    if (!fault.message.starts_with(path)) fault.file = path;
    return DiagnosticStatus(measured.status().code(), fault);
  }
  Records records{.path = path,
                  .file_name = std::filesystem::path(path).filename(),
                  .device_class = device_class.empty() ? measured->device : device_class,
                  .warnings = measured->warnings};
  if (records.device_class.empty()) {
    return InFile(path, "the file does not say on which device it was measured",
                  "name it with --device-class");
  }
  const pb::RecordTable table = RecordTableOf(*measured);
  if (table.latency_seconds_size() > limits::kImportedRecords) {
    return InFile(path,
                  absl::StrCat("it has ", table.latency_seconds_size(), " records; ",
                               limits::kImportedRecords, " are taken of a file"),
                  "leave out slow ones");
  }
  records.content = table.SerializeAsString();
  if (records.content.size() > limits::kBlobBytes) {
    return InFile(path, "its records are too large to be sent", "leave out slow ones");
  }
  return records;
}

Json SetDocument(const pb::ImportedSet& set) {
  return {{"import_id", set.import_id()},
          {"problem", set.problem()},
          {"device_class", set.device_class()},
          {"file", set.file_name()},
          {"records", set.records()},
          {"failed", set.failed()},
          {"imported_unix_ms", set.imported_unix_ms()}};
}

Json ReplyDocument(const pb::ImportReply& reply) {
  Json document = SetDocument(reply.set());
  document["replaced"] = reply.replaced();
  document["outside"] = reply.outside();
  document["outside_example"] = reply.outside() > 0 ? Json(reply.outside_example()) : Json(nullptr);
  return document;
}

std::string ReplyText(const pb::ImportReply& reply) {
  const pb::ImportedSet& set = reply.set();
  std::string text = absl::StrCat(set.import_id(), "  ", set.file_name(), " on ",
                                  set.device_class(), ": ", set.records(), " records of ",
                                  set.problem(), ", ", set.failed(), " of them failed");
  if (reply.replaced() > 0) absl::StrAppend(&text, ", ", reply.replaced(), " replaced");
  if (reply.outside() > 0) {
    absl::StrAppend(&text, "\n    ", reply.outside(), " are outside the job's space, such as ",
                    reply.outside_example());
  }
  return text;
}

absl::StatusOr<int> ImportFiles(const ImportArguments& arguments, const GlobalOptions& options) {
  if (arguments.files.empty() || arguments.job.empty()) {
    return InvalidInput(arguments.files.empty() ? "no file is named"
                                                : "--job is missing: the job file of the kernel",
                        "burnish import FILE... --job JOB.yaml");
  }
  ASSIGN_OR_RETURN(const spec::JobText job, LoadJobFile(arguments.job, LoadSources::kYes));
  // Before anything is sent, so that a fault of the last file is known before the first is stored.
  RETURN_IF_ERROR(spec::ReadJob(job, spec::SourceCheck::kRequired).status());
  std::vector<Records> files;
  for (const std::string& path : arguments.files) {
    ASSIGN_OR_RETURN(files.emplace_back(), ReadRecords(path, arguments.device_class));
    for (const std::string& warning : files.back().warnings) {
      PrintWarning(absl::StrCat(path, ": ", warning), options);
    }
  }
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  std::vector<pb::ImportReply> replies;
  for (const Records& file : files) {
    ASSIGN_OR_RETURN(replies.emplace_back(),
                     client.Import(job, file.file_name, file.device_class, file.content));
  }
  if (options.json) {
    Json documents = Json::array();
    for (const pb::ImportReply& reply : replies) documents.push_back(ReplyDocument(reply));
    PrintDocument({{"imports", documents}});
  } else {
    for (const pb::ImportReply& reply : replies) std::printf("%s\n", ReplyText(reply).c_str());
  }
  return kExitDone;
}

absl::StatusOr<int> List(const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const pb::ListImportsReply reply, client.Imports());
  if (options.json) {
    Json documents = Json::array();
    for (const pb::ImportedSet& set : reply.sets()) documents.push_back(SetDocument(set));
    PrintDocument({{"imports", documents}});
    return kExitDone;
  }
  Table table{.columns = {{"import_id", "import"},
                          {"problem", "problem"},
                          {"device_class", "device class"},
                          {"file", "file"},
                          {"records", "records"},
                          {"failed", "failed"}},
              .rows = {}};
  for (const pb::ImportedSet& set : reply.sets()) {
    table.rows.push_back({set.import_id(), set.problem(), set.device_class(), set.file_name(),
                          set.records(), set.failed()});
  }
  ASSIGN_OR_RETURN(const std::string text, FormatAll(table));
  std::printf("%s", text.c_str());
  return kExitDone;
}

absl::StatusOr<int> Remove(const std::string& id, const GlobalOptions& options) {
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  RETURN_IF_ERROR(JobClient(*connection, options).RemoveImport(id));
  if (options.json) {
    PrintDocument({{"removed", id}});
  } else if (!options.quiet) {
    std::printf("%s removed\n", id.c_str());
  }
  return kExitDone;
}

}  // namespace

void AddImport(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "import", "records of other tuners, as history for the searches of a job's kernel");
  const auto arguments = std::make_shared<ImportArguments>();
  command->add_option("files", arguments->files,
                      "T4, Kernel Tuner cache, KTT or CLBlast tuner files; also .gz");
  command->add_option("--job", arguments->job, "job file of the kernel (or T1): the space");
  command->add_option("--device-class", arguments->device_class,
                      "where the records were measured (else as the file says)");
  CLI::Option* list = command->add_flag("--list", arguments->list, "what is imported");
  command->add_option("--remove", arguments->remove, "remove an import, such as i3")
      ->excludes(list);
  command->footer("Example: burnish import gemm-A100.json.gz --job gemm.yaml");
  SetAction(command, context, Acts::kChanging, [arguments, &context]() -> absl::StatusOr<int> {
    const bool others = !arguments->files.empty() || !arguments->job.empty();
    if ((arguments->list || !arguments->remove.empty()) && others) {
      return InvalidInput("--list and --remove go without files and --job");
    }
    if (arguments->list) return List(context.options);
    if (!arguments->remove.empty()) return Remove(arguments->remove, context.options);
    return ImportFiles(*arguments, context.options);
  });
}

}  // namespace burnish::cli
