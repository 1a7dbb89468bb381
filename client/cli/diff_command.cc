// burnish diff: two jobs, or files that `export` wrote.
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/commands.h"
#include "client/cli/diff.h"
#include "client/cli/export_document.h"
#include "client/cli/job_names.h"
#include "client/cli/output.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kExportBytes = size_t{1} << 30;

struct DiffArguments {
  std::string a;
  std::string b;
  std::string fail_above;
};

struct Exported {
  std::string name;
  Json document;
};

bool IsFile(const std::string& text) {
  return text.ends_with(".json") || text.find('/') != std::string::npos;
}

absl::StatusOr<Exported> ReadExport(const std::string& path) {
  const auto text = ReadFile(path, kExportBytes);
  if (!text.ok()) return InvalidInput(std::string(text.status().message()));
  return Exported{path, Json::parse(*text, nullptr, /*allow_exceptions=*/false)};
}

absl::StatusOr<Exported> Load(const std::string& text, std::unique_ptr<Connection>& connection,
                              const GlobalOptions& options) {
  if (IsFile(text)) return ReadExport(text);
  if (connection == nullptr) {
    ASSIGN_OR_RETURN(connection, Connection::Open(options, NeedsDevices::kNo));
  }
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(const JobRecords records, FetchRecords(client, text));
  return Exported{records.job.job_id(), ExportDocument(records, Samples::kLeftOut)};
}

// `3%` or `3`.
absl::StatusOr<double> ShareOf(const std::string& text) {
  const auto percent = ParseReal(text.ends_with('%') ? text.substr(0, text.size() - 1) : text);
  if (percent.has_value() && *percent >= 0) return *percent / 100;
  return InvalidInput(absl::StrCat("--fail-above: '", text, "' is no percentage"), "write 3%");
}

absl::StatusOr<int> Diff(const DiffArguments& arguments, const GlobalOptions& options) {
  double share = 0;
  if (!arguments.fail_above.empty()) {
    ASSIGN_OR_RETURN(share, ShareOf(arguments.fail_above));
  }
  std::unique_ptr<Connection> connection;
  ASSIGN_OR_RETURN(const Exported a, Load(arguments.a, connection, options));
  ASSIGN_OR_RETURN(const Exported b, Load(arguments.b, connection, options));
  ASSIGN_OR_RETURN(const Json diff, DiffDocuments(a.document, a.name, b.document, b.name));
  if (options.json) {
    PrintDocument(diff);
  } else {
    std::printf("%s", DiffText(diff).c_str());
  }
  const bool failed = !arguments.fail_above.empty() && IsSlowerBeyond(diff, share);
  return failed ? kExitJobFailed : kExitDone;
}

}  // namespace

void AddDiff(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "diff", "what became faster or slower from one job to another, and what else changed");
  const auto arguments = std::make_shared<DiffArguments>();
  const std::string what = absl::StrCat(kJobArgument, ", or a file.json of `burnish export`");
  command->add_option("job_a", arguments->a, what)->required();
  command->add_option("job_b", arguments->b, what)->required();
  command->add_option("--fail-above", arguments->fail_above,
                      "exit 1 if the second is slower by more than this, as 3%");
  command->footer("Example: burnish diff before.json j57 --fail-above 3%");
  SetAction(command, context, Acts::kReading,
            [arguments, &context] { return Diff(*arguments, context.options); });
}

}  // namespace burnish::cli
