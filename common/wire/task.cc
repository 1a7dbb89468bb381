#include "common/wire/task.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/hash.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/wire/configuration.h"
#include "common/wire/dtype.h"
#include "common/wire/enum_table.h"
#include "common/wire/operator.h"

namespace burnish::wire {
namespace {

constexpr EnumTable<spec::Role, pb::Role, 4> kRoles = {{
    {spec::Role::kInput, pb::ROLE_INPUT},
    {spec::Role::kOutput, pb::ROLE_OUTPUT},
    {spec::Role::kInout, pb::ROLE_INOUT},
    {spec::Role::kWorkspace, pb::ROLE_WORKSPACE},
}};

constexpr EnumTable<spec::FillKind, pb::FillKind, 4> kFillKinds = {{
    {spec::FillKind::kUniform, pb::FILL_KIND_UNIFORM},
    {spec::FillKind::kNormal, pb::FILL_KIND_NORMAL},
    {spec::FillKind::kConstant, pb::FILL_KIND_CONSTANT},
    {spec::FillKind::kRamp, pb::FILL_KIND_RAMP},
}};

constexpr EnumTable<spec::CacheState, pb::CacheState, 2> kCacheStates = {{
    {spec::CacheState::kHot, pb::CACHE_STATE_HOT},
    {spec::CacheState::kCold, pb::CACHE_STATE_COLD},
}};

absl::Status Prefixed(std::string_view place, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(std::string(place), ": ", status.message()));
}

// After the dtype.
absl::Status ReadBuffer(const pb::Buffer& buffer, spec::Argument& argument) {
  argument.is_buffer = true;
  auto bytes = static_cast<int64_t>(DtypeBytes(argument.dtype));
  for (const int64_t extent : buffer.shape()) {
    if (extent < 1) return absl::InvalidArgumentError("shape: every extent must be positive");
    if (extent > limits::kBufferBytes / bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape: larger than ", limits::kBufferBytes, " bytes"));
    }
    bytes *= extent;
    argument.shape.push_back(extent);
  }
  ASSIGN_OR_RETURN(argument.role, FromProto(buffer.role()));
  ASSIGN_OR_RETURN(argument.fill.kind, FromProto(buffer.fill()));
  if (!std::isfinite(buffer.fill_value())) {
    return absl::InvalidArgumentError("fill_value: must be finite");
  }
  argument.fill.value = buffer.fill_value();
  argument.constant = buffer.constant();
  return absl::OkStatus();
}

absl::Status ReadKind(const pb::Argument& proto, spec::Argument& argument) {
  switch (proto.kind_case()) {
    case pb::Argument::kBuffer:
      return ReadBuffer(proto.buffer(), argument);
    case pb::Argument::kScalar: {
      ASSIGN_OR_RETURN(argument.value, FromProto(proto.scalar()));
      return absl::OkStatus();
    }
    case pb::Argument::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("kind: missing or unknown");
}

}  // namespace

pb::Role ToProto(spec::Role role) { return WireEnum(kRoles, role); }
pb::FillKind ToProto(spec::FillKind kind) { return WireEnum(kFillKinds, kind); }
pb::CacheState ToProto(spec::CacheState state) { return WireEnum(kCacheStates, state); }

absl::StatusOr<spec::Role> FromProto(pb::Role role) { return DomainEnum(kRoles, role, "role"); }
absl::StatusOr<spec::FillKind> FromProto(pb::FillKind kind) {
  return DomainEnum(kFillKinds, kind, "fill");
}
absl::StatusOr<spec::CacheState> FromProto(pb::CacheState state) {
  return DomainEnum(kCacheStates, state, "cache");
}

pb::Argument ToProto(const spec::Argument& argument) {
  pb::Argument proto;
  proto.set_name(argument.name);
  proto.set_dtype(ToProto(argument.dtype));
  if (!argument.is_buffer) {
    *proto.mutable_scalar() = ToProto(argument.value);
    return proto;
  }
  pb::Buffer& buffer = *proto.mutable_buffer();
  for (const int64_t extent : argument.shape) buffer.add_shape(extent);
  buffer.set_role(ToProto(argument.role));
  buffer.set_fill(ToProto(argument.fill.kind));
  buffer.set_fill_value(argument.fill.value);
  buffer.set_constant(argument.constant);
  return proto;
}

absl::StatusOr<spec::Argument> FromProto(const pb::Argument& proto) {
  spec::Argument argument;
  argument.name = proto.name();
  const std::string place = absl::StrCat("argument '", proto.name(), "'");
  auto dtype = FromProto(proto.dtype());
  if (!dtype.ok()) return Prefixed(place, dtype.status());
  argument.dtype = *dtype;
  const absl::Status kind = ReadKind(proto, argument);
  if (!kind.ok()) return Prefixed(place, kind);
  return argument;
}

pb::Source ToProto(const spec::Source& source) {
  pb::Source proto;
  proto.set_file(source.file);
  if (source.blob.empty()) {
    proto.mutable_text()->set_inline_(source.text);
  } else {
    proto.mutable_text()->set_sha256(source.blob.value());
  }
  return proto;
}

absl::StatusOr<spec::Source> FromProto(const pb::Source& proto) {
  spec::Source source;
  source.file = proto.file();
  switch (proto.text().content_case()) {
    case pb::Blob::kInline:
      source.text = proto.text().inline_();
      return source;
    case pb::Blob::kSha256:
      if (!IsSha256Hex(proto.text().sha256())) {
        return absl::InvalidArgumentError("stage.source.text.sha256: not 64 hexadecimal digits");
      }
      source.blob = BlobHash(proto.text().sha256());
      return source;
    case pb::Blob::CONTENT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("stage.source.text: missing");
}

pb::Stage ToProto(const spec::Kernel& kernel) {
  pb::Stage proto;
  proto.set_language(kernel.language);
  if (kernel.by.empty()) {
    *proto.mutable_source() = ToProto(kernel.source);
  } else {
    proto.set_by(kernel.by);
    for (const auto& [value, source] : kernel.variants) {
      pb::Variant& variant = *proto.add_variants();
      variant.set_value(value);
      *variant.mutable_source() = ToProto(source);
    }
  }
  proto.set_prepare(kernel.prepare);
  proto.set_entry(kernel.entry);
  for (const std::string& flag : kernel.flags) proto.add_flags(flag);
  for (const std::string& name : kernel.define) proto.add_define(name);
  return proto;
}

absl::StatusOr<spec::Kernel> FromProto(const pb::Stage& stage) {
  spec::Kernel kernel;
  kernel.language = stage.language();
  kernel.by = stage.by();
  if (kernel.by.empty()) {
    ASSIGN_OR_RETURN(kernel.source, FromProto(stage.source()));
  }
  for (const pb::Variant& variant : stage.variants()) {
    ASSIGN_OR_RETURN(kernel.variants[variant.value()], FromProto(variant.source()));
  }
  kernel.prepare = stage.prepare();
  kernel.entry = stage.entry();
  kernel.flags.assign(stage.flags().begin(), stage.flags().end());
  kernel.define.assign(stage.define().begin(), stage.define().end());
  return kernel;
}

pb::Reference ToProto(const spec::Reference& reference) {
  CHECK(reference.kind != spec::Reference::Kind::kAbsent) << "an absent reference has no wire form";
  pb::Reference proto;
  if (reference.kind == spec::Reference::Kind::kNone) {
    proto.mutable_none();
    return proto;
  }
  if (reference.kind == spec::Reference::Kind::kOperator) {
    *proto.mutable_op() = ToProto(reference.op.value());
    return proto;
  }
  spec::Kernel function;
  function.language = reference.language;
  function.source = reference.source;
  function.entry = reference.entry;
  function.flags = reference.flags;
  *proto.mutable_function() = ToProto(function);
  return proto;
}

absl::StatusOr<spec::Reference> FromProto(const pb::Reference& proto) {
  spec::Reference reference;
  switch (proto.kind_case()) {
    case pb::Reference::kNone:
      reference.kind = spec::Reference::Kind::kNone;
      return reference;
    case pb::Reference::kFunction: {
      ASSIGN_OR_RETURN(spec::Kernel function, FromProto(proto.function()));
      reference.kind = spec::Reference::Kind::kFunction;
      reference.language = std::move(function.language);
      reference.source = std::move(function.source);
      reference.entry = std::move(function.entry);
      reference.flags = std::move(function.flags);
      return reference;
    }
    case pb::Reference::kOp: {
      reference.kind = spec::Reference::Kind::kOperator;
      ASSIGN_OR_RETURN(reference.op, FromProto(proto.op()));
      return reference;
    }
    case pb::Reference::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("reference.kind: missing or unknown");
}

pb::MeasureOptions ToProto(const spec::MeasureOptions& options) {
  pb::MeasureOptions proto;
  proto.set_cache(ToProto(options.cache));
  proto.set_number(options.number);
  proto.set_repeat(options.repeat);
  proto.set_min_repeat_ms(options.min_repeat_ms);
  proto.set_warmup(options.warmup);
  proto.set_run_timeout_seconds(options.run_timeout_seconds);
  proto.set_compile_timeout_seconds(options.compile_timeout_seconds);
  proto.set_as_filled_only(!options.varies_inputs);
  return proto;
}

absl::StatusOr<spec::MeasureOptions> FromProto(const pb::MeasureOptions& proto) {
  spec::MeasureOptions options;
  ASSIGN_OR_RETURN(options.cache, FromProto(proto.cache()));
  for (const double duration :
       {proto.min_repeat_ms(), proto.run_timeout_seconds(), proto.compile_timeout_seconds()}) {
    if (!std::isfinite(duration) || duration < 0) {
      return absl::InvalidArgumentError("measure: times must be numbers from 0");
    }
  }
  options.number = proto.number();
  options.repeat = proto.repeat();
  options.min_repeat_ms = proto.min_repeat_ms();
  options.warmup = proto.warmup();
  options.run_timeout_seconds = proto.run_timeout_seconds();
  options.varies_inputs = !proto.as_filled_only();
  options.compile_timeout_seconds = proto.compile_timeout_seconds();
  return options;
}

pb::TaskDefinition ToProto(const work::TaskDefinition& definition) {
  pb::TaskDefinition proto;
  proto.set_problem(definition.problem);
  for (const spec::Kernel& stage : definition.stages) *proto.add_stages() = ToProto(stage);
  for (const spec::Argument& argument : definition.arguments) {
    *proto.add_arguments() = ToProto(argument);
  }
  for (const auto& [name, value] : definition.constants) {
    *proto.add_constants() = ToProto(name, value);
  }
  for (const std::string& name : definition.parameter_names) proto.add_parameter_names(name);
  *proto.mutable_reference() = ToProto(definition.reference);
  *proto.mutable_measure() = ToProto(definition.measure);
  proto.set_input_seed(definition.input_seed);
  proto.set_costly_goals(definition.costly_goals);
  return proto;
}

absl::StatusOr<work::TaskDefinition> FromProto(const pb::TaskDefinition& proto) {
  work::TaskDefinition definition;
  definition.problem = proto.problem();
  if (proto.stages().empty()) return absl::InvalidArgumentError("task.stages: missing");
  for (const pb::Stage& stage : proto.stages()) {
    ASSIGN_OR_RETURN(spec::Kernel converted, FromProto(stage));
    definition.stages.push_back(std::move(converted));
  }
  for (const pb::Argument& argument : proto.arguments()) {
    ASSIGN_OR_RETURN(spec::Argument converted, FromProto(argument));
    definition.arguments.push_back(std::move(converted));
  }
  for (const pb::Setting& constant : proto.constants()) {
    ASSIGN_OR_RETURN(auto converted, FromProto(constant));
    definition.constants.push_back(std::move(converted));
  }
  definition.parameter_names.assign(proto.parameter_names().begin(), proto.parameter_names().end());
  ASSIGN_OR_RETURN(definition.reference, FromProto(proto.reference()));
  ASSIGN_OR_RETURN(definition.measure, FromProto(proto.measure()));
  definition.input_seed = proto.input_seed();
  definition.costly_goals = proto.costly_goals();
  return definition;
}

}  // namespace burnish::wire
