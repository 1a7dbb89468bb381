#include "common/op/validity.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::op {
namespace {

// Strides, which are coefficients times elements, stay far from the ends of 64 bits.
constexpr int64_t kHighestCoefficient = int64_t{1} << 24;

absl::Status Wrong(const std::string& place, const std::string& message) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", message));
}

bool NameFits(const std::string& name) {
  return !name.empty() && name.size() <= limits::kNameBytes;
}

absl::Status CheckCount(const std::string& place, size_t count, size_t lowest, size_t highest) {
  if (count >= lowest && count <= highest) return absl::OkStatus();
  return Wrong(place, absl::StrCat(count, " of them; ", lowest, " to ", highest, " are accepted"));
}

absl::Status CheckAxes(const Operator& op) {
  RETURN_IF_ERROR(CheckCount("axes", op.axes.size(), 1, limits::kOperatorAxes));
  double reduction = 1;
  for (const Axis& axis : op.axes) {
    if (!NameFits(axis.name)) return Wrong("axes.name", "missing or too long");
    if (axis.extent < 1 || axis.extent > limits::kBufferBytes) {
      return Wrong("axes.extent", absl::StrCat("must be from 1 to ", limits::kBufferBytes));
    }
    if (axis.reduction) reduction *= static_cast<double>(axis.extent);
  }
  if (reduction <= static_cast<double>(limits::kBufferBytes)) return absl::OkStatus();
  return Wrong("axes", absl::StrCat("sums of more than ", limits::kBufferBytes, " products"));
}

absl::Status CheckTensors(const Operator& op) {
  RETURN_IF_ERROR(CheckCount("tensors", op.tensors.size(), 2, limits::kOperatorTensors));
  std::set<std::string> names;
  for (const Tensor& tensor : op.tensors) {
    if (!NameFits(tensor.name)) return Wrong("tensors.name", "missing or too long");
    if (!names.insert(tensor.name).second) {
      return Wrong("tensors.name", absl::StrCat("'", tensor.name, "' stands twice"));
    }
    RETURN_IF_ERROR(CheckCount("tensors.shape", tensor.shape.size(), 1, limits::kBufferRank));
    auto bytes = static_cast<int64_t>(DtypeBytes(tensor.dtype));
    for (const int64_t extent : tensor.shape) {
      if (extent < 1) return Wrong("tensors.shape", "every extent must be positive");
      if (extent > limits::kBufferBytes / bytes) {
        return Wrong("tensors.shape", absl::StrCat("larger than ", limits::kBufferBytes, " bytes"));
      }
      bytes *= extent;
    }
  }
  if (Bytes(op) <= static_cast<double>(limits::kTotalBufferBytes)) return absl::OkStatus();
  return Wrong("tensors",
               absl::StrCat("larger than ", limits::kTotalBufferBytes, " bytes together"));
}

absl::Status CheckIndex(const Operator& op, const AffineIndex& index, int64_t extent,
                        bool guarded) {
  RETURN_IF_ERROR(CheckCount("indices.terms", index.terms.size(), 0, limits::kOperatorAxes));
  __int128 lowest = index.offset;
  __int128 highest = index.offset;
  for (const AffineIndex::Term& term : index.terms) {
    if (term.axis >= op.axes.size()) return Wrong("indices.terms.axis", "there is no such axis");
    if (term.coefficient < -kHighestCoefficient || term.coefficient > kHighestCoefficient) {
      return Wrong("indices.terms.coefficient",
                   absl::StrCat("must be within ", kHighestCoefficient, " of 0"));
    }
    const __int128 reach = __int128{term.coefficient} * (op.axes[term.axis].extent - 1);
    (reach < 0 ? lowest : highest) += reach;
  }
  // Sums of any of the terms lie between these as well.
  const int64_t margin = guarded ? limits::kBufferBytes : 0;
  if (lowest >= -margin && highest < extent + margin) return absl::OkStatus();
  return Wrong("indices", guarded ? "too far outside the tensor" : "outside the tensor");
}

absl::Status CheckAccess(const Operator& op, const Access& access) {
  if (access.tensor >= op.tensors.size()) return Wrong("tensor", "there is no such tensor");
  const std::vector<int64_t>& shape = op.tensors[access.tensor].shape;
  if (access.indices.size() != shape.size()) {
    return Wrong("indices", absl::StrCat(access.indices.size(), " of them for a tensor of rank ",
                                         shape.size()));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    RETURN_IF_ERROR(CheckIndex(op, access.indices[i], shape[i], access.guarded));
  }
  return absl::OkStatus();
}

absl::Status CheckRead(const std::string& place, const Operator& op, const Access& access) {
  const absl::Status status = CheckAccess(op, access);
  if (!status.ok()) return Wrong(place, std::string(status.message()));
  if (access.tensor != op.output.tensor) return absl::OkStatus();
  return Wrong(place, "reads the output");
}

// Every axis but those of the reduction is one index of the output.
absl::Status CheckOutput(const Operator& op) {
  const absl::Status status = CheckAccess(op, op.output);
  if (!status.ok()) return Wrong("output", std::string(status.message()));
  std::set<size_t> axes;
  for (size_t i = 0; i < op.output.indices.size(); ++i) {
    const AffineIndex& index = op.output.indices[i];
    const bool is_axis =
        index.terms.size() == 1 && index.terms[0].coefficient == 1 && index.offset == 0;
    const bool whole = is_axis && !op.axes[index.terms[0].axis].reduction &&
                       op.axes[index.terms[0].axis].extent == op.tensors[op.output.tensor].shape[i];
    if (!whole || op.output.guarded || !axes.insert(index.terms[0].axis).second) {
      return Wrong("output", "an index must be an axis of the dimension's extent");
    }
  }
  const auto outer = std::ranges::count(op.axes, false, &Axis::reduction);
  if (axes.size() == static_cast<size_t>(outer)) return absl::OkStatus();
  return Wrong("output", "does not have every axis but those of the reduction");
}

}  // namespace

absl::Status CheckOperator(const Operator& op) {
  if (!NameFits(op.name)) return Wrong("name", "missing or too long");
  RETURN_IF_ERROR(CheckAxes(op));
  RETURN_IF_ERROR(CheckTensors(op));
  RETURN_IF_ERROR(CheckOutput(op));
  RETURN_IF_ERROR(CheckCount("factors", op.factors.size(), 1, limits::kOperatorTensors));
  for (const Access& factor : op.factors) RETURN_IF_ERROR(CheckRead("factors", op, factor));
  RETURN_IF_ERROR(CheckCount("epilogue", op.epilogue.size(), 0, limits::kEpilogueSteps));
  for (const EpilogueStep& step : op.epilogue) {
    if (!NameFits(step.name)) return Wrong("epilogue.name", "missing or too long");
    if (step.kind != EpilogueKind::kAdd) continue;
    RETURN_IF_ERROR(CheckRead("epilogue.operand", op, step.operand));
    for (const AffineIndex& index : step.operand.indices) {
      for (const AffineIndex::Term& term : index.terms) {
        if (op.axes[term.axis].reduction) {
          return Wrong("epilogue.operand", "has an axis of the reduction, which is over by then");
        }
      }
    }
  }
  const Dtype sums = op.accumulator;
  if (sums == Dtype::kF64 || sums == Dtype::kF32 || sums == Dtype::kI32) return absl::OkStatus();
  return Wrong("accumulator", "must be f64, f32 or i32");
}

}  // namespace burnish::op
