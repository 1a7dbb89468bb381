// `KernelSpecification` of T1 files: code, arguments, compiler options. The sizes of a launch are
// for languages that have launches, none of which this version serves.
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/naming.h"
#include "common/spec/t1_reader.h"
#include "common/spec/vocabulary.h"

namespace burnish::spec {
namespace {

// T1's name of the language that this version serves; the schema knows GPUs only, Kernel Tuner
// compiles C++ too.
constexpr char kCpp[] = "C++";

// `role` of an argument that T1 calls `type`; a vector of them (float4) is not served.
absl::StatusOr<Dtype> ReadType(const Node& argument) {
  constexpr std::pair<const char*, Dtype> kTypes[] = {
      {"int8", Dtype::kI8},    {"int16", Dtype::kI16},  {"int32", Dtype::kI32},
      {"int64", Dtype::kI64},  {"uint8", Dtype::kU8},   {"uint16", Dtype::kU16},
      {"uint32", Dtype::kU32}, {"uint64", Dtype::kU64}, {"int", Dtype::kI32},
      {"uint", Dtype::kU32},   {"half", Dtype::kF16},   {"float", Dtype::kF32},
      {"double", Dtype::kF64}, {"bool", Dtype::kI8},  // as KTT passes it
  };
  ASSIGN_OR_RETURN(const Node* const type, Require(argument, "Type"));
  ASSIGN_OR_RETURN(const std::string name, ReadText(*type));
  for (const auto& [known, dtype] : kTypes) {
    if (name == known) return dtype;
  }
  return ErrorAt(*type, "arguments of type " + Quoted(name) + " are not supported by this version",
                 "int8 to uint64, half, float, double");
}

// A positive number of elements: a number, or an expression over ProblemSize and parameters' lists.
absl::StatusOr<int64_t> ReadSize(const Node& node, const NamedLists& lists) {
  if (node.kind != Node::Kind::kScalar) return WrongType(node, "a size");
  const absl::StatusOr<expr::Expression> size = ParsePythonExpression(node.text, lists);
  if (!size.ok()) return PlaceError(node, size.status());
  if (!size->names().empty()) {
    return ErrorAt(node, "unknown name '" + size->names().front() + "' in a size",
                   "sizes use ProblemSize[0], max(PARAMETER) and numbers");
  }
  const absl::StatusOr<int64_t> count = size->EvaluateInteger({});
  if (!count.ok()) return PlaceError(node, count.status());
  if (*count > 0) return *count;
  return ErrorAt(node, absl::StrCat("must be positive, not ", *count));
}

absl::StatusOr<expr::Value> ReadScalarValue(const Node& node, Dtype dtype) {
  const auto* integer = std::get_if<int64_t>(&node.value);
  const auto* real = std::get_if<double>(&node.value);
  if (node.kind != Node::Kind::kScalar || (integer == nullptr && real == nullptr)) {
    return WrongType(node, "a number");
  }
  if (IsFloating(dtype)) {
    return expr::Value(real != nullptr ? *real : static_cast<double>(*integer));
  }
  if (integer != nullptr) return expr::Value(*integer);
  return WrongType(node, "an integer");
}

absl::StatusOr<Fill> ReadT1Fill(const Node& argument) {
  const Node* type = argument.Find("FillType");
  if (type == nullptr) return Fill{};
  const Vocabulary fills{{"Constant", "Random"}, {"Generator", "Script", "BinaryRaw", "BinaryHDF"}};
  ASSIGN_OR_RETURN(const std::string name, ReadName(*type, "fill", fills));
  if (name == "Random") return Fill{};
  ASSIGN_OR_RETURN(const Node* const value, Require(argument, "FillValue"));
  ASSIGN_OR_RETURN(const expr::Value number, ReadScalarValue(*value, Dtype::kF64));
  return Fill{FillKind::kConstant, std::get<double>(number)};
}

absl::Status ReadVector(const Node& node, const NamedLists& lists, Argument& argument) {
  argument.is_buffer = true;
  ASSIGN_OR_RETURN(const Node* const size, Require(node, "Size"));
  ASSIGN_OR_RETURN(const int64_t count, ReadSize(*size, lists));
  if (count > limits::kBufferBytes / static_cast<int64_t>(DtypeBytes(argument.dtype))) {
    return ErrorAt(*size,
                   absl::StrCat("the buffer is larger than ", limits::kBufferBytes, " bytes"));
  }
  argument.shape = {count};
  ASSIGN_OR_RETURN(const Node* const access, Require(node, "AccessType"));
  ASSIGN_OR_RETURN(const std::string name,
                   ReadName(*access, "access", {{"ReadOnly", "WriteOnly", "ReadWrite"}}));
  if (name == "WriteOnly") {
    argument.role = Role::kOutput;
    return absl::OkStatus();
  }
  argument.role = name == "ReadOnly" ? Role::kInput : Role::kInout;
  ASSIGN_OR_RETURN(argument.fill, ReadT1Fill(node));
  return absl::OkStatus();
}

absl::StatusOr<Argument> ReadT1Argument(const Node& node, const NamedLists& lists,
                                        const JobSpec& spec) {
  RETURN_IF_ERROR(CheckMapping(node));
  Argument argument;
  argument.name = absl::StrCat("argument", spec.arguments.size());
  if (const Node* name = node.Find("Name")) {
    ASSIGN_OR_RETURN(argument.name, ReadText(*name));
    RETURN_IF_ERROR(CheckCppName(*name, argument.name, "an argument"));
  }
  for (const Argument& other : spec.arguments) {
    if (other.name == argument.name) {
      return ErrorAt(node, "duplicate argument '" + argument.name + "'", "choose another name");
    }
  }
  ASSIGN_OR_RETURN(argument.dtype, ReadType(node));
  ASSIGN_OR_RETURN(const Node* const memory, Require(node, "MemoryType"));
  ASSIGN_OR_RETURN(
      const std::string kind,
      ReadName(*memory, "memory", Vocabulary{{"Scalar", "Vector"}, {"Local", "Symbol"}}));
  if (kind == "Vector") {
    RETURN_IF_ERROR(ReadVector(node, lists, argument));
  } else {
    ASSIGN_OR_RETURN(const Node* const value, Require(node, "FillValue"));
    ASSIGN_OR_RETURN(argument.value, ReadScalarValue(*value, argument.dtype));
  }
  return argument;
}

absl::Status ReadT1Arguments(const Node& arguments, const NamedLists& lists, JobSpec& spec) {
  RETURN_IF_ERROR(CheckList(arguments));
  if (arguments.children.size() > limits::kArguments) {
    return ErrorAt(arguments, absl::StrCat("has more than ", limits::kArguments, " arguments"));
  }
  int64_t total_bytes = 0;
  bool writes = false;
  for (const Node* node : arguments.children) {
    ASSIGN_OR_RETURN(Argument argument, ReadT1Argument(*node, lists, spec));
    if (argument.is_buffer) {
      total_bytes += argument.ElementCount() * static_cast<int64_t>(DtypeBytes(argument.dtype));
      writes = writes || argument.role != Role::kInput;
    }
    if (total_bytes > limits::kTotalBufferBytes) {
      return ErrorAt(*node, absl::StrCat("the buffers up to here are larger than ",
                                         limits::kTotalBufferBytes, " bytes together"));
    }
    spec.arguments.push_back(std::move(argument));
  }
  if (writes) return absl::OkStatus();
  return ErrorAt(arguments, "no argument is an output", "AccessType WriteOnly or ReadWrite");
}

// Parameters become macros before the source.
absl::Status CheckMacros(const Node& kernel, const JobSpec& spec) {
  const Node* parameters = kernel.parent->Find("ConfigurationSpace")->Find("TuningParameters");
  for (const Node* parameter : parameters->children) {
    const Node& name = *parameter->Find("Name");
    RETURN_IF_ERROR(CheckMacroName(name, name.text, "a parameter"));
    bool clash = name.text == spec.kernels.front().entry;
    for (const Argument& argument : spec.arguments) clash = clash || argument.name == name.text;
    if (!clash) continue;
    return ErrorAt(name, "'" + name.text + "' names something in the kernel's signature too",
                   "choose another name for one of them");
  }
  return absl::OkStatus();
}

absl::Status CheckServed(const Node& kernel) {
  ASSIGN_OR_RETURN(const Node* const language, Require(kernel, "Language"));
  RETURN_IF_ERROR(
      ReadName(*language, "language", Vocabulary{{kCpp}, {"OpenCL", "CUDA", "Vulkan"}}).status());
  for (const char* key : {"ReferenceArguments", "KernelTypeNames", "SimulationInput"}) {
    if (const Node* node = kernel.Find(key)) {
      return ErrorAtKey(*node, absl::StrCat("`", key, "` is not supported by this version"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

const Node* FindT1KernelFile(const Node& root) {
  const Node* kernel = root.Find("KernelSpecification");
  if (kernel == nullptr || !CheckServed(*kernel).ok()) return nullptr;
  return kernel->Find("KernelFile");
}

absl::Status ReadT1Kernel(const Node& kernel, const JobText& job, const NamedLists& lists,
                          JobSpec& spec) {
  RETURN_IF_ERROR(CheckServed(kernel));
  Kernel& code = spec.kernels.emplace_back();
  code.language = "cpp";
  ASSIGN_OR_RETURN(const Node* const entry, Require(kernel, "KernelName"));
  ASSIGN_OR_RETURN(code.entry, ReadText(*entry));
  RETURN_IF_ERROR(CheckCppName(*entry, code.entry, "a function"));
  ASSIGN_OR_RETURN(const Node* const file, Require(kernel, "KernelFile"));
  ASSIGN_OR_RETURN(code.source.file, ReadText(*file));
  const auto content = job.files.find(code.source.file);
  if (content == job.files.end()) {
    return ErrorAt(*file, "the file " + Quoted(code.source.file) + " was not given with the job");
  }
  if (content->second.size() > limits::kSourceFileBytes) {
    return ErrorAt(*file,
                   absl::StrCat("the file is larger than ", limits::kSourceFileBytes, " bytes"));
  }
  code.source.text = content->second;
  if (const Node* options = kernel.Find("CompilerOptions")) {
    ASSIGN_OR_RETURN(code.flags, ReadTexts(*options, limits::kFlags));
  }
  ASSIGN_OR_RETURN(const Node* const arguments, Require(kernel, "Arguments"));
  RETURN_IF_ERROR(ReadT1Arguments(*arguments, lists, spec));
  return CheckMacros(kernel, spec);
}

}  // namespace burnish::spec
