#include "common/wire/operator.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/op/validity.h"
#include "common/wire/dtype.h"
#include "common/wire/enum_table.h"

namespace burnish::wire {
namespace {

constexpr EnumTable<op::EpilogueKind, pb::EpilogueKind, 4> kEpilogueKinds = {{
    {op::EpilogueKind::kAdd, pb::EPILOGUE_KIND_ADD},
    {op::EpilogueKind::kRelu, pb::EPILOGUE_KIND_RELU},
    {op::EpilogueKind::kGelu, pb::EPILOGUE_KIND_GELU},
    {op::EpilogueKind::kGeluTanh, pb::EPILOGUE_KIND_GELU_TANH},
}};

pb::Access AccessToProto(const op::Access& access) {
  pb::Access proto;
  proto.set_tensor(static_cast<uint32_t>(access.tensor));
  for (const op::AffineIndex& index : access.indices) {
    pb::AffineIndex& affine = *proto.add_indices();
    for (const op::AffineIndex::Term& term : index.terms) {
      pb::IndexTerm& index_term = *affine.add_terms();
      index_term.set_axis(static_cast<uint32_t>(term.axis));
      index_term.set_coefficient(term.coefficient);
    }
    affine.set_offset(index.offset);
  }
  proto.set_guarded(access.guarded);
  return proto;
}

op::Access AccessFromProto(const pb::Access& proto) {
  op::Access access{.tensor = proto.tensor(), .guarded = proto.guarded()};
  for (const pb::AffineIndex& affine : proto.indices()) {
    op::AffineIndex& index = access.indices.emplace_back();
    for (const pb::IndexTerm& term : affine.terms()) {
      index.terms.push_back({.axis = term.axis(), .coefficient = term.coefficient()});
    }
    index.offset = affine.offset();
  }
  return access;
}

absl::StatusOr<op::Operator> Converted(const pb::Operator& proto) {
  op::Operator op{.name = proto.name()};
  for (const pb::Axis& axis : proto.axes()) {
    op.axes.push_back({axis.name(), axis.extent(), axis.reduction()});
  }
  for (const pb::Tensor& tensor : proto.tensors()) {
    ASSIGN_OR_RETURN(const Dtype dtype, FromProto(tensor.dtype()));
    op.tensors.push_back(
        {tensor.name(), dtype, {tensor.shape().begin(), tensor.shape().end()}, tensor.constant()});
  }
  for (const pb::Access& factor : proto.factors()) op.factors.push_back(AccessFromProto(factor));
  op.output = AccessFromProto(proto.output());
  ASSIGN_OR_RETURN(op.accumulator, FromProto(proto.accumulator()));
  for (const pb::EpilogueStep& step : proto.epilogue()) {
    ASSIGN_OR_RETURN(const op::EpilogueKind kind, FromProto(step.kind()));
    op.epilogue.push_back({step.name(), kind, {}});
    if (kind == op::EpilogueKind::kAdd)
      op.epilogue.back().operand = AccessFromProto(step.operand());
  }
  RETURN_IF_ERROR(op::CheckOperator(op));
  return op;
}

}  // namespace

pb::EpilogueKind ToProto(op::EpilogueKind kind) { return WireEnum(kEpilogueKinds, kind); }

absl::StatusOr<op::EpilogueKind> FromProto(pb::EpilogueKind kind) {
  return DomainEnum(kEpilogueKinds, kind, "epilogue.kind");
}

pb::Operator ToProto(const op::Operator& op) {
  pb::Operator proto;
  proto.set_name(op.name);
  for (const op::Axis& axis : op.axes) {
    pb::Axis& added = *proto.add_axes();
    added.set_name(axis.name);
    added.set_extent(axis.extent);
    added.set_reduction(axis.reduction);
  }
  for (const op::Tensor& tensor : op.tensors) {
    pb::Tensor& added = *proto.add_tensors();
    added.set_name(tensor.name);
    added.set_dtype(ToProto(tensor.dtype));
    added.mutable_shape()->Assign(tensor.shape.begin(), tensor.shape.end());
    added.set_constant(tensor.constant);
  }
  for (const op::Access& factor : op.factors) *proto.add_factors() = AccessToProto(factor);
  *proto.mutable_output() = AccessToProto(op.output);
  proto.set_accumulator(ToProto(op.accumulator));
  for (const op::EpilogueStep& step : op.epilogue) {
    pb::EpilogueStep& added = *proto.add_epilogue();
    added.set_name(step.name);
    added.set_kind(ToProto(step.kind));
    if (step.kind == op::EpilogueKind::kAdd) *added.mutable_operand() = AccessToProto(step.operand);
  }
  return proto;
}

absl::StatusOr<op::Operator> FromProto(const pb::Operator& proto) {
  absl::StatusOr<op::Operator> op = Converted(proto);
  if (op.ok()) return op;
  return absl::Status(op.status().code(),
                      absl::StrCat("operator: ", std::string(op.status().message())));
}

}  // namespace burnish::wire
