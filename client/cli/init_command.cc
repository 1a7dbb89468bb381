// burnish init: a first job file for a kernel.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/job_template.h"
#include "client/cli/kernel_scan.h"
#include "client/cli/output.h"
#include "client/cli/replay_job.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/measured/reader.h"
#include "common/spec/job_reader.h"
#include "common/spec/vocabulary.h"

namespace burnish::cli {
namespace {

namespace fs = std::filesystem;

// For who has no kernel at hand.
constexpr char kExampleFile[] = "kernel.cc";
constexpr char kExampleKernel[] = R"(// y = a * x: a first kernel to tune.
#ifndef UNROLL
#define UNROLL 1
#endif

extern "C" void scale(const float* x, float* y, float a, int n) {
  int i = 0;
  for (; i + UNROLL <= n; i += UNROLL) {
    for (int u = 0; u < UNROLL; ++u) y[i + u] = a * x[i + u];
  }
  for (; i < n; ++i) y[i] = a * x[i];
}
)";

struct InitArguments {
  std::string kernel;
  std::string language;
  std::string entry;
  std::string workload;
  std::string records;
  std::string output = "job.yaml";
  bool force = false;
};

absl::StatusOr<std::string> LanguageOf(const InitArguments& arguments) {
  std::string language = arguments.language;
  const std::string extension = fs::path(arguments.kernel).extension().string();
  if (language.empty()) {
    language = extension == ".cl"                             ? "opencl"
               : extension == ".cu"                           ? "cuda"
               : extension == ".comp" || extension == ".glsl" ? "glsl"
                                                              : "cpp";
  }
  const spec::Vocabulary& languages = spec::Languages();
  const auto contains = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), language) != names.end();
  };
  if (contains(languages.known)) return language;
  if (contains(languages.later)) {
    return InvalidInput(absl::StrCat("language `", language, "` is not supported by this version"),
                        NameHint(language, languages.known));
  }
  return InvalidInput(absl::StrCat("unknown language '", language, "'"),
                      NameHint(language, languages.known));
}

// As the job file has to name it.
absl::StatusOr<std::string> NameFromJob(const std::string& kernel, const std::string& job) {
  std::error_code code;
  const fs::path parent = fs::path(job).parent_path();
  const fs::path folder = fs::canonical(parent.empty() ? "." : parent, code);
  if (code) return InvalidInput(absl::StrCat(parent.string(), ": ", code.message()));
  const fs::path file = fs::canonical(kernel, code);
  if (code) return InvalidInput(absl::StrCat(kernel, ": ", code.message()));
  const fs::path name = file.lexically_relative(folder);
  if (!name.empty() && *name.begin() != "..") return name.string();
  return InvalidInput(absl::StrCat(kernel, " lies outside the job file's folder"),
                      absl::StrCat("-o ", (file.parent_path() / "job.yaml").string()));
}

// That the text is a job which can be tuned.
absl::Status CheckJob(const spec::JobText& job) {
  ASSIGN_OR_RETURN(const spec::JobSpec read, spec::ReadJob(job, spec::SourceCheck::kRequired));
  return spec::BuildSpace(job, read).status();
}

absl::StatusOr<int> InitFromRecords(const InitArguments& arguments, const GlobalOptions& options) {
  if (!arguments.kernel.empty() || !arguments.entry.empty() || !arguments.language.empty()) {
    return InvalidInput("--from-records makes a job without code",
                        "leave out --kernel, --entry and --language");
  }
  RETURN_IF_ERROR(CheckMayWrite(arguments.output, arguments.force));
  const auto measured = measured::ReadFile(arguments.records);
  if (!measured.ok()) {
    return InvalidInput(std::string(measured.status().message()),
                        "wanted is a file as `burnish replay --records` takes it");
  }
  const std::string job = ReplayJob(*measured, arguments.records);
  RETURN_IF_ERROR(CheckJob({.file_name = arguments.output, .text = job}));
  RETURN_IF_ERROR(WriteFileAtomically(arguments.output, job, /*durable=*/false));
  if (options.json) {
    PrintDocument({{"file", arguments.output}, {"records", arguments.records}});
  } else {
    std::printf("wrote %s for %s\nnext  burnish-agent --backend replay --replay-records %s\n",
                arguments.output.c_str(), measured->name.c_str(), arguments.records.c_str());
  }
  return kExitDone;
}

absl::StatusOr<int> Init(InitArguments arguments, const GlobalOptions& options) {
  if (!arguments.workload.empty()) {
    return InvalidInput("`--workload` is not supported by this version",
                        "start from a kernel of yours: --kernel FILE");
  }
  if (!arguments.records.empty()) return InitFromRecords(arguments, options);
  RETURN_IF_ERROR(CheckMayWrite(arguments.output, arguments.force));
  ASSIGN_OR_RETURN(const std::string language, LanguageOf(arguments));
  std::string source = kExampleKernel;
  std::string name = kExampleFile;
  const std::string example = (fs::path(arguments.output).parent_path() / kExampleFile).string();
  if (arguments.kernel.empty()) {
    RETURN_IF_ERROR(CheckMayWrite(example, /*force=*/false));
  } else {
    const auto text = ReadFile(arguments.kernel, limits::kSourceFileBytes);
    if (!text.ok()) return InvalidInput(std::string(text.status().message()));
    source = *text;
    ASSIGN_OR_RETURN(name, NameFromJob(arguments.kernel, arguments.output));
  }
  ASSIGN_OR_RETURN(const ScannedKernel kernel, ScanKernel(source, arguments.entry));
  ASSIGN_OR_RETURN(const std::string job, JobTemplate(kernel, language, name));
  RETURN_IF_ERROR(
      CheckJob({.file_name = arguments.output, .text = job, .files = {{name, source}}}));
  if (arguments.kernel.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(example, source, /*durable=*/false));
  }
  RETURN_IF_ERROR(WriteFileAtomically(arguments.output, job, /*durable=*/false));
  if (options.json) {
    PrintDocument({{"file", arguments.output}, {"kernel", name}, {"entry", kernel.entry}});
  } else {
    std::printf("wrote %s for %s in %s\nnext      %s tune %s\n", arguments.output.c_str(),
                kernel.entry.c_str(), name.c_str(), options.program.c_str(),
                arguments.output.c_str());
  }
  return kExitDone;
}

}  // namespace

void AddInit(CLI::App& app, CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("init", "write a first job file, with comments, for a kernel");
  const auto arguments = std::make_shared<InitArguments>();
  command->add_option("--kernel", arguments->kernel,
                      "source file to read (none: writes an example kernel too)");
  command->add_option("--entry", arguments->entry, "the function to tune, if it is not found");
  command->add_option("--language", arguments->language, "else told from the file's name");
  command->add_option("--from-records", arguments->records,
                      "file of measurements: writes a job for an agent that replays it");
  command->add_option("--workload", arguments->workload, "not supported by this version");
  command->add_option("-o,--output", arguments->output, "job file to write")->capture_default_str();
  command->add_flag("--force", arguments->force, "overwrite the job file");
  command->footer("Example: burnish init --kernel vadd.cc -o vadd.yaml");
  SetAction(command, context, Acts::kNowhere,
            [arguments, &context] { return Init(*arguments, context.options); });
}

}  // namespace burnish::cli
