// `kernel:` and its reference.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/domain_reader.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/naming.h"
#include "common/spec/section_readers.h"
#include "common/spec/vocabulary.h"

namespace burnish::spec {
namespace {

bool IsParameter(const JobSpec& spec, std::string_view name) {
  return std::any_of(spec.parameters.begin(), spec.parameters.end(),
                     [name](const space::Parameter& parameter) { return parameter.name == name; });
}

// Names in braces within a flag: "-O{OPT}" has OPT.
std::vector<std::string> NamesInBraces(const std::string& flag) {
  std::vector<std::string> names;
  size_t open = flag.find('{');
  while (open != std::string::npos) {
    size_t end = open + 1;
    while (end < flag.size() && (absl::ascii_isalnum(flag[end]) || flag[end] == '_')) ++end;
    if (end < flag.size() && flag[end] == '}' && end > open + 1) {
      names.push_back(flag.substr(open + 1, end - open - 1));
    }
    open = flag.find('{', open + 1);
  }
  return names;
}

absl::StatusOr<std::vector<std::string>> ReadFlags(const Node& node, const JobSpec& spec,
                                                   bool takes_parameters) {
  ASSIGN_OR_RETURN(std::vector<std::string> flags, ReadTexts(node, limits::kFlags));
  for (size_t i = 0; i < flags.size(); ++i) {
    for (const std::string& name : NamesInBraces(flags[i])) {
      if (!takes_parameters) {
        return ErrorAt(*node.children[i],
                       "'{" + name + "}': a reference is compiled without the parameters",
                       "write the flag as the compiler takes it");
      }
      if (IsParameter(spec, name)) continue;
      std::vector<std::string> known;
      for (const space::Parameter& parameter : spec.parameters) known.push_back(parameter.name);
      return ErrorAt(*node.children[i], "'{" + name + "}' names no parameter",
                     NameHint(name, known));
    }
  }
  return flags;
}

absl::StatusOr<std::vector<std::string>> ReadDefine(const Node& node, const JobSpec& spec) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, ReadTexts(node, limits::kConstants));
  std::vector<std::string> constants;
  for (const auto& [name, value] : spec.constants) constants.push_back(name);
  for (size_t i = 0; i < names.size(); ++i) {
    const Node& item = *node.children[i];
    if (!FindConstant(spec, names[i]).has_value()) {
      return ErrorAt(item, Quoted(names[i]) + " is not a constant", NameHint(names[i], constants));
    }
    if (std::find(names.begin(), names.begin() + i, names[i]) != names.begin() + i) {
      return ErrorAt(item, "'" + names[i] + "' stands twice");
    }
    RETURN_IF_ERROR(CheckMacroName(item, names[i], "a macro"));
  }
  return names;
}

// A macro must not rewrite the kernel's own signature.
absl::Status CheckNoClash(const Node& node, const std::string& name, const JobSpec& spec) {
  for (const Argument& argument : spec.arguments) {
    if (argument.name != name) continue;
    return ErrorAtKey(node, "'" + name + "' is an argument and cannot be a macro too",
                      "choose another name for one of them");
  }
  if (spec.kernels.front().entry != name) return absl::OkStatus();
  return ErrorAtKey(node, "'" + name + "' is the kernel's entry and cannot be a macro too",
                    "choose another name for one of them");
}

absl::Status CheckMacroClashes(const Node& kernel, const JobSpec& spec) {
  for (const Node* parameter : kernel.Find("parameters")->children) {
    RETURN_IF_ERROR(CheckNoClash(*parameter, parameter->key, spec));
  }
  if (const Node* define = kernel.Find("define")) {
    for (const Node* item : define->children) {
      RETURN_IF_ERROR(CheckNoClash(*item, item->text, spec));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadEntry(const Node& node) {
  ASSIGN_OR_RETURN(std::string entry, ReadText(node));
  RETURN_IF_ERROR(CheckCppName(node, entry, "a function"));
  return entry;
}

absl::Status CheckKernelKeys(const Node& kernel) {
  RETURN_IF_ERROR(CheckKeys(kernel, KernelKeys()));
  if (const Node* launch = kernel.Find("launch")) {
    return ErrorAtKey(*launch, "C++ kernels have no `launch`",
                      "remove it: the function itself loops over its data");
  }
  return absl::OkStatus();
}

// Language, source and entry.
absl::Status ReadCode(const Node& node, const JobText& job, SourceCheck check, Kernel& kernel) {
  ASSIGN_OR_RETURN(const Node* language, Require(node, "language"));
  ASSIGN_OR_RETURN(kernel.language, ReadName(*language, "language", Languages()));
  if (kernel.language == kReplayLanguage) {
    return ErrorAt(*language, "a reference is code, which nobody can replay", "write cpp, or none");
  }
  ASSIGN_OR_RETURN(const Node* source, Require(node, "source"));
  ASSIGN_OR_RETURN(kernel.source, ReadSource(*source, job, check));
  ASSIGN_OR_RETURN(const Node* entry, Require(node, "entry"));
  ASSIGN_OR_RETURN(kernel.entry, ReadEntry(*entry));
  return absl::OkStatus();
}

absl::Status ReadVariables(const Node& node, JobSpec& spec) {
  if (const Node* constants = node.Find("constants")) {
    RETURN_IF_ERROR(ReadConstants(*constants, spec));
  }
  ASSIGN_OR_RETURN(const Node* parameters, Require(node, "parameters"));
  return ReadParameters(*parameters, spec);
}

// What has a name: constants, parameters, arguments, macros.
absl::Status ReadNames(const Node& node, JobSpec& spec) {
  RETURN_IF_ERROR(ReadVariables(node, spec));
  ASSIGN_OR_RETURN(const Node* arguments, Require(node, "arguments"));
  RETURN_IF_ERROR(ReadArguments(*arguments, spec));
  if (const Node* define = node.Find("define")) {
    ASSIGN_OR_RETURN(spec.kernels.front().define, ReadDefine(*define, spec));
  }
  return CheckMacroClashes(node, spec);
}

// What uses the names.
absl::Status ReadUses(const Node& node, JobSpec& spec) {
  if (const Node* constraints = node.Find("constraints")) {
    RETURN_IF_ERROR(ReadConstraints(*constraints, spec));
  }
  RETURN_IF_ERROR(ReadActivities(*node.Find("parameters"), spec));
  if (const Node* configuration = node.Find("default")) {
    RETURN_IF_ERROR(ReadDefault(*configuration, spec));
  }
  if (const Node* flags = node.Find("flags")) {
    ASSIGN_OR_RETURN(spec.kernels.front().flags, ReadFlags(*flags, spec, true));
  }
  const Node* work = node.Find("work");
  return work != nullptr ? ReadWork(*work, spec) : absl::OkStatus();
}

bool IsReplayed(const Node& kernel) {
  const Node* language = kernel.Find("language");
  return language != nullptr && language->text == kReplayLanguage;
}

// Whose measurements a device has in a file: there is nothing to compile, to pass or to check.
absl::Status ReadReplayedKernel(const Node& node, JobSpec& spec) {
  for (const char* key : {"source", "entry", "arguments", "define", "flags"}) {
    const Node* code = node.Find(key);
    if (code == nullptr) continue;
    return ErrorAtKey(*code, std::string("a replayed kernel has no `") + key + "`",
                      "remove it: the device answers from a file");
  }
  const Node* reference = node.Find("reference");
  if (reference != nullptr && reference->text != "none") {
    return ErrorAt(*reference, "a replayed kernel has no results to check", "write none");
  }
  spec.reference.kind = Reference::Kind::kNone;
  spec.kernels.emplace_back().language = kReplayLanguage;
  RETURN_IF_ERROR(ReadVariables(node, spec));
  return ReadUses(node, spec);
}

}  // namespace

const Vocabulary& KernelKeys() {
  static const Vocabulary& keys =
      *new Vocabulary{{"language", "source", "entry", "arguments", "constants", "define", "flags",
                       "launch", "reference", "work", "parameters", "default", "constraints"}};
  return keys;
}

absl::StatusOr<Source> ReadSource(const Node& source, const JobText& job, SourceCheck check) {
  RETURN_IF_ERROR(CheckMapping(source, source.kind == Node::Kind::kScalar
                                           ? "write {file: " + Quoted(source.text) + "}"
                                           : ""));
  RETURN_IF_ERROR(CheckKeys(source, {{"file"}, {"by", "files"}}));
  ASSIGN_OR_RETURN(const Node* file, Require(source, "file"));
  Source read;
  ASSIGN_OR_RETURN(read.file, ReadText(*file));
  const auto content = job.files.find(read.file);
  if (content == job.files.end()) {
    if (check == SourceCheck::kNotNeeded) return read;
    return ErrorAt(*file, "the file " + Quoted(read.file) + " was not given with the job");
  }
  if (content->second.size() > limits::kSourceFileBytes) {
    return ErrorAt(*file,
                   "the file " + Quoted(read.file) + " is larger than " +
                       std::to_string(limits::kSourceFileBytes) + " bytes",
                   "make it smaller; big tables can be made by the compiler");
  }
  read.text = content->second;
  return read;
}

absl::Status ReadReference(const Node& node, const JobText& job, SourceCheck check, JobSpec& spec) {
  Reference& reference = spec.reference;
  if (node.kind == Node::Kind::kScalar && node.text == "none") {
    reference.kind = Reference::Kind::kNone;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(
      CheckMapping(node, "write {language: cpp, source: {file: …}, entry: …}, or none"));
  RETURN_IF_ERROR(
      CheckKeys(node, {{"language", "source", "entry", "flags"}, {"file", "configuration"}}));
  Kernel code;
  RETURN_IF_ERROR(ReadCode(node, job, check, code));
  reference.kind = Reference::Kind::kFunction;
  reference.language = code.language;
  reference.source = code.source;
  reference.entry = code.entry;
  if (const Node* flags = node.Find("flags")) {
    ASSIGN_OR_RETURN(reference.flags, ReadFlags(*flags, spec, false));
  }
  return absl::OkStatus();
}

absl::StatusOr<WorkAmount> ReadWorkAmount(const Node& node, const JobSpec& spec) {
  ASSIGN_OR_RETURN(const expr::Expression written, ParseExpression(node));
  RETURN_IF_ERROR(CheckNames(node, written, spec, NameScope::kConstantsAndParameters));
  const auto constant = [&](std::string_view name) { return FindConstant(spec, name); };
  if (!std::ranges::all_of(written.names(),
                           [&](const std::string& name) { return constant(name).has_value(); })) {
    return written.Substitute(constant);
  }
  ASSIGN_OR_RETURN(const double number, EvaluateConstantReal(node, spec));
  if (number <= 0) return ErrorAt(node, "must be positive");
  return number;
}

absl::Status ReadWork(const Node& node, JobSpec& spec) {
  RETURN_IF_ERROR(CheckKeys(node, {{"flops", "bytes"}}));
  for (const Node* item : node.children) {
    ASSIGN_OR_RETURN((item->key == "flops" ? spec.work.flops : spec.work.bytes),
                     ReadWorkAmount(*item, spec));
  }
  return absl::OkStatus();
}

absl::Status ReadKernel(const Node& node, const JobText& job, SourceCheck check, JobSpec& spec) {
  RETURN_IF_ERROR(CheckKernelKeys(node));
  if (IsReplayed(node)) return ReadReplayedKernel(node, spec);
  RETURN_IF_ERROR(ReadCode(node, job, check, spec.kernels.emplace_back()));
  RETURN_IF_ERROR(ReadNames(node, spec));
  RETURN_IF_ERROR(ReadUses(node, spec));
  if (const Node* reference = node.Find("reference")) {
    return ReadReference(*reference, job, check, spec);
  }
  spec.warnings.push_back(
      "kernel.reference is absent: results cannot be checked; say `reference: none` to tune "
      "unverified");
  return absl::OkStatus();
}

}  // namespace burnish::spec
