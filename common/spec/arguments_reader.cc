// The arguments of a kernel: buffers with their shape and first content, and scalars.
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/numbers.h"
#include "common/base/status_macros.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/naming.h"
#include "common/spec/section_readers.h"

namespace burnish::spec {
namespace {

struct IntegerRange {
  int64_t lowest;
  int64_t highest;
};

template <typename Integer>
constexpr IntegerRange RangeOf() {
  return {std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()};
}

IntegerRange RangeOfIntegers(Dtype dtype) {
  switch (dtype) {
    case Dtype::kI8:
      return RangeOf<int8_t>();
    case Dtype::kI16:
      return RangeOf<int16_t>();
    case Dtype::kI32:
      return RangeOf<int32_t>();
    case Dtype::kU8:
      return RangeOf<uint8_t>();
    case Dtype::kU16:
      return RangeOf<uint16_t>();
    case Dtype::kU32:
      return RangeOf<uint32_t>();
    case Dtype::kU64:  // values of job files have 63 bits and a sign
      return {0, std::numeric_limits<int64_t>::max()};
    default:
      return RangeOf<int64_t>();
  }
}

double HighestReal(Dtype dtype) {
  constexpr double kHighestHalf = 65504;
  constexpr double kHighestBFloat16 = 0x1.FEp127;
  switch (dtype) {
    case Dtype::kBf16:
      return kHighestBFloat16;
    case Dtype::kF16:
      return kHighestHalf;
    case Dtype::kF32:
      return FLT_MAX;
    default:
      return DBL_MAX;
  }
}

// `value` as an element of type `dtype`: an integer within range, or a real.
absl::StatusOr<expr::Value> Convert(const Node& node, const expr::Value& value, Dtype dtype) {
  const auto* integer = std::get_if<int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const std::string type = DtypeName(dtype);
  if (IsFloating(dtype) && (integer != nullptr || real != nullptr)) {
    const double number = integer != nullptr ? static_cast<double>(*integer) : *real;
    if (std::fabs(number) <= HighestReal(dtype)) return expr::Value(number);
    return ErrorAt(node, FormatReal(number) + " is not a finite " + type);
  }
  if (IsFloating(dtype)) {
    return ErrorAt(node, "must be a number for " + type + ", not " + expr::FormatValue(value));
  }
  if (integer == nullptr) {
    return ErrorAt(node, "must be an integer for " + type + ", not " + expr::FormatValue(value));
  }
  const IntegerRange range = RangeOfIntegers(dtype);
  if (*integer >= range.lowest && *integer <= range.highest) return value;
  return ErrorAt(
      node, std::to_string(*integer) + " does not fit " + type,
      type + " has " + std::to_string(range.lowest) + " to " + std::to_string(range.highest));
}

absl::StatusOr<Role> ReadRole(const Node& node) {
  const Vocabulary roles{{"input", "output", "inout", "workspace"}};
  ASSIGN_OR_RETURN(const std::string name, ReadName(node, "role", roles));
  if (name == "output") return Role::kOutput;
  if (name == "inout") return Role::kInout;
  return name == "workspace" ? Role::kWorkspace : Role::kInput;
}

absl::StatusOr<Fill> ReadFill(const Node& node, const Argument& argument) {
  if (argument.role != Role::kInput && argument.role != Role::kInout) {
    return ErrorAtKey(node, "only buffers of role input or inout are filled", "remove `fill`");
  }
  if (node.kind == Node::Kind::kScalar && !std::holds_alternative<std::string>(node.value)) {
    ASSIGN_OR_RETURN(const expr::Value value, Convert(node, node.value, argument.dtype));
    const auto* integer = std::get_if<int64_t>(&value);
    return Fill{FillKind::kConstant,
                integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value)};
  }
  const Vocabulary fills{{"uniform", "normal", "ramp"}};
  if (node.kind == Node::Kind::kScalar && node.text == "constant") {
    return ErrorAt(node, "unknown fill 'constant'", "write the number itself: `fill: 0`");
  }
  ASSIGN_OR_RETURN(const std::string name, ReadName(node, "fill", fills));
  if (name == "normal") return Fill{FillKind::kNormal, 0};
  return Fill{name == "ramp" ? FillKind::kRamp : FillKind::kUniform, 0};
}

absl::Status ReadShape(const Node& node, const JobSpec& spec, Argument& argument) {
  RETURN_IF_ERROR(CheckList(node, "write [extent, …]"));
  if (node.children.empty()) {
    return ErrorAt(node, "has no extent", "a scalar has `value` instead of `shape`");
  }
  if (node.children.size() > limits::kBufferRank) {
    return ErrorAt(node, std::to_string(node.children.size()) + " extents; at most " +
                             std::to_string(limits::kBufferRank) + " are accepted");
  }
  int64_t bytes = static_cast<int64_t>(DtypeBytes(argument.dtype));
  for (const Node* item : node.children) {
    ASSIGN_OR_RETURN(const int64_t extent, EvaluateConstantInteger(*item, spec));
    if (extent <= 0) {
      return ErrorAt(*item, "must be positive, not " + std::to_string(extent));
    }
    if (extent > limits::kBufferBytes / bytes) {
      return ErrorAt(
          node, "the buffer is larger than " + std::to_string(limits::kBufferBytes) + " bytes");
    }
    bytes *= extent;
    argument.shape.push_back(extent);
  }
  return absl::OkStatus();
}

absl::Status ReadBuffer(const Node& node, const Node& shape, const JobSpec& spec,
                        Argument& argument) {
  argument.is_buffer = true;
  if (const Node* value = node.Find("value")) {
    return ErrorAtKey(*value, "a buffer has no `value`", "use `fill`, or remove `shape`");
  }
  RETURN_IF_ERROR(ReadShape(shape, spec, argument));
  if (const Node* role = node.Find("role")) {
    ASSIGN_OR_RETURN(argument.role, ReadRole(*role));
  }
  if (const Node* fill = node.Find("fill")) {
    ASSIGN_OR_RETURN(argument.fill, ReadFill(*fill, argument));
  }
  return absl::OkStatus();
}

absl::Status ReadScalar(const Node& node, const JobSpec& spec, Argument& argument) {
  for (const char* key : {"role", "fill"}) {
    const Node* misplaced = node.Find(key);
    if (misplaced == nullptr) continue;
    return ErrorAtKey(*misplaced, std::string("a scalar has no `") + key + "`",
                      "give it a `shape` if it is a buffer");
  }
  const Node* value_node = node.Find("value");
  if (value_node == nullptr) {
    return ErrorAt(node, "neither `shape` nor `value` is given",
                   "a buffer has a `shape`, a scalar a `value`");
  }
  ASSIGN_OR_RETURN(const expr::Value value, EvaluateConstant(*value_node, spec));
  ASSIGN_OR_RETURN(argument.value, Convert(*value_node, value, argument.dtype));
  return absl::OkStatus();
}

absl::Status CheckArgumentName(const Node& node, const std::string& name, const JobSpec& spec) {
  RETURN_IF_ERROR(CheckCppName(node, name, "an argument"));
  for (const Argument& other : spec.arguments) {
    if (other.name == name) {
      return ErrorAt(node, "duplicate argument '" + name + "'", "choose another name");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Argument> ReadArgument(const Node& node, const JobSpec& spec) {
  RETURN_IF_ERROR(CheckKeys(node, {{"name", "dtype", "shape", "role", "fill", "value"}}));
  Argument argument;
  ASSIGN_OR_RETURN(const Node* name, Require(node, "name"));
  ASSIGN_OR_RETURN(argument.name, ReadText(*name));
  RETURN_IF_ERROR(CheckArgumentName(*name, argument.name, spec));
  ASSIGN_OR_RETURN(const Node* dtype, Require(node, "dtype"));
  ASSIGN_OR_RETURN(const std::string dtype_name, ReadName(*dtype, "dtype", {DtypeNames()}));
  argument.dtype = *ParseDtype(dtype_name);
  const Node* shape = node.Find("shape");
  RETURN_IF_ERROR(shape != nullptr ? ReadBuffer(node, *shape, spec, argument)
                                   : ReadScalar(node, spec, argument));
  return argument;
}

}  // namespace

absl::Status ReadArguments(const Node& arguments, JobSpec& spec) {
  RETURN_IF_ERROR(CheckList(arguments, "write [{name: …, dtype: …, shape: […]}, …]"));
  if (arguments.children.size() > limits::kArguments) {
    return ErrorAt(arguments, std::to_string(arguments.children.size()) + " arguments; at most " +
                                  std::to_string(limits::kArguments) + " are accepted");
  }
  int64_t total_bytes = 0;
  bool writes = false;
  for (const Node* node : arguments.children) {
    ASSIGN_OR_RETURN(Argument argument, ReadArgument(*node, spec));
    if (argument.is_buffer) {
      total_bytes += argument.ElementCount() * static_cast<int64_t>(DtypeBytes(argument.dtype));
      writes = writes || argument.role == Role::kOutput || argument.role == Role::kInout;
    }
    if (total_bytes > limits::kTotalBufferBytes) {
      return ErrorAt(*node, "the buffers up to here are larger than " +
                                std::to_string(limits::kTotalBufferBytes) + " bytes together");
    }
    spec.arguments.push_back(std::move(argument));
  }
  if (writes) return absl::OkStatus();
  return ErrorAtKey(arguments, "no argument is an output",
                    "give the buffers that the kernel writes `role: output` or `role: inout`");
}

}  // namespace burnish::spec
