#include "agent/backends/cpu/compiler.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/backends/cpu/device.h"
#include "agent/backends/cpu/diagnostics.h"
#include "agent/backends/cpu/flags.h"
#include "agent/backends/cpu/footprint.h"
#include "agent/backends/cpu/toolchain.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/status_macros.h"

namespace burnish::backends::cpu {
namespace {

constexpr char kSourceName[] = "kernel.cc";
constexpr char kObjectName[] = "kernel.o";
constexpr char kLibraryName[] = "kernel.so";

// By the compiler's own macros: the wrapper must not need a header.
const char* TypeName(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return "double";
    case Dtype::kF32:
      return "float";
    case Dtype::kF16:
      return "_Float16";
    case Dtype::kI64:
      return "__INT64_TYPE__";
    case Dtype::kI32:
      return "__INT32_TYPE__";
    case Dtype::kI16:
      return "__INT16_TYPE__";
    case Dtype::kI8:
      return "__INT8_TYPE__";
    case Dtype::kU64:
      return "__UINT64_TYPE__";
    case Dtype::kU32:
      return "__UINT32_TYPE__";
    case Dtype::kU16:
      return "__UINT16_TYPE__";
    case Dtype::kU8:
      return "__UINT8_TYPE__";
    case Dtype::kBf16:  // storage only: g++ 12 has no type for it, kernels convert themselves
      return "__UINT16_TYPE__";
  }
  return "void";
}

// A file name as it may stand in a #line directive.
std::string Quoted(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return quoted + "\"";
}

// The user's text under the user's file name and lines, then the calls of its functions.
std::string FullSource(const CompileJob& job) {
  std::vector<std::string> values;
  for (size_t i = 0; i < job.arguments.size(); ++i) {
    const spec::Argument& argument = job.arguments[i];
    const std::string pointer =
        absl::StrCat("static_cast<", TypeName(argument.dtype), "*>(burnish_arguments[", i, "])");
    values.push_back(argument.is_buffer ? pointer : absl::StrCat("*", pointer));
  }
  const auto call = [&](const char* symbol, const std::string& function) {
    return absl::StrCat("extern \"C\" __attribute__((visibility(\"default\")))\n", "void ", symbol,
                        "(void** burnish_arguments) {\n  ", function, "(",
                        absl::StrJoin(values, ", "), ");\n}\n");
  };
  return absl::StrCat("#line 1 \"burnish macros\"\n", job.macros, "\n#line 1 ",
                      Quoted(job.kernel.source.file), "\n", job.kernel.source.text, "\n#line 1 \"",
                      std::string(kWrapperName), "\"\n", call(kLaunchSymbol, job.kernel.entry),
                      job.kernel.prepare.empty() ? "" : call(kPrepareSymbol, job.kernel.prepare));
}

// A private folder for one compilation, gone with it.
class BuildFolder {
 public:
  static absl::StatusOr<BuildFolder> Make(const std::string& parent) {
    RETURN_IF_ERROR(MakeFolders(parent));
    // Inside the artefact folder, so that the result can be renamed into its place.
    std::string path = parent + "/build-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return absl::ErrnoToStatus(errno, path);
    return BuildFolder(path);
  }
  BuildFolder(BuildFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ~BuildFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit BuildFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

std::vector<std::string> CompileCommand(const Toolchain& toolchain, const CompileJob& job) {
  std::vector<std::string> command;
  if (!toolchain.launcher.empty()) command.push_back(toolchain.launcher);
  command.push_back(toolchain.program);
  for (const std::string& flag : DefaultFlags()) command.push_back(flag);
  // Warnings would push errors out of the message; a caret line would show a file of the same name.
  command.insert(command.end(), {"-fPIC", "-w", "-fmax-errors=20", "-fno-diagnostics-color"});
  command.push_back(toolchain.is_clang ? "-fno-caret-diagnostics" : "-fno-diagnostics-show-caret");
  command.insert(command.end(), job.kernel.flags.begin(), job.kernel.flags.end());
  command.insert(command.end(), {"-c", kSourceName, "-o", kObjectName});
  return command;
}

std::vector<std::string> LinkCommand(const Toolchain& toolchain, const CompileJob& job) {
  std::vector<std::string> command = {toolchain.program};
  for (const std::string& flag : DefaultFlags()) command.push_back(flag);
  command.insert(command.end(), {"-shared", "-Wl,--no-undefined", kObjectName});
  command.insert(command.end(), job.kernel.flags.begin(), job.kernel.flags.end());
  command.insert(command.end(), {"-o", kLibraryName});
  return command;
}

CompileResult Failed(work::Outcome outcome, std::string message) {
  return {.outcome = outcome, .message = std::move(message)};
}

CompileResult Infrastructure(const absl::Status& status) {
  return Failed(work::Outcome::kInfrastructure, std::string(status.message()));
}

CompileResult Build(const Toolchain& toolchain, const CompileJob& job, const std::string& source,
                    const Artefact& artefact) {
  const absl::Duration deadline = SystemClock().Monotonic() + job.timeout;
  const absl::StatusOr<BuildFolder> folder = BuildFolder::Make(job.artefact_folder);
  if (!folder.ok()) return Infrastructure(folder.status());
  const absl::Status written =
      WriteFileAtomically(absl::StrCat(folder->path(), "/", kSourceName), source, false);
  if (!written.ok()) return Infrastructure(written);

  for (const auto& command : {CompileCommand(toolchain, job), LinkCommand(toolchain, job)}) {
    const absl::StatusOr<ToolRun> run = RunTool(command, folder->path(), deadline, job.cancel_fd);
    if (absl::IsDeadlineExceeded(run.status())) {
      return Failed(
          work::Outcome::kCompileTimeout,
          absl::StrCat("the compiler took longer than ", absl::FormatDuration(job.timeout)));
    }
    if (!run.ok()) return Infrastructure(run.status());
    if (!run->status.ok()) {
      return Failed(work::Outcome::kCompileError, CompileMessage(job, run->output, folder->path()));
    }
  }
  const std::string library = absl::StrCat(folder->path(), "/", kLibraryName);
  if (::rename(library.c_str(), artefact.path.c_str()) != 0) {
    return Infrastructure(absl::ErrnoToStatus(errno, artefact.path));
  }
  return {.outcome = work::Outcome::kOk, .artefact = artefact};
}

}  // namespace

std::vector<std::string> DefaultFlags() { return {"-std=c++20", "-O3", "-march=native"}; }

std::optional<Footprint> CpuCompiler::FootprintOf(const std::string& artefact_path) const {
  return ReadFootprint(artefact_path);
}

CompileResult CpuCompiler::Compile(const CompileJob& job) const {
  const absl::StatusOr<Toolchain>& toolchain = HostToolchain();
  if (!toolchain.ok()) return Infrastructure(toolchain.status());
  if (const auto flag = RefusedFlag(job.kernel.flags)) {
    return Failed(work::Outcome::kCompileError,
                  absl::StrCat(job.role, ".flags: '", *flag,
                               "' is not allowed; flags may choose language, optimisation, target "
                               "and macros"));
  }
  const std::string source = FullSource(job);
  Artefact artefact;
  artefact.key =
      Sha256Hex(absl::StrJoin({toolchain->program, toolchain->version, HostCpu().DeviceClass(),
                               absl::StrJoin(HostCpu().isa, " "),
                               absl::StrJoin(CompileCommand(*toolchain, job), "\n"), source},
                              "\n\n"));
  artefact.path = absl::StrCat(job.artefact_folder, "/", artefact.key, ".so");
  if (::access(artefact.path.c_str(), R_OK) == 0) {
    return {.outcome = work::Outcome::kOk, .artefact = artefact, .cached = true};
  }
  return Build(*toolchain, job, source, artefact);
}

}  // namespace burnish::backends::cpu
