#include "common/op/operator.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace burnish::op {
namespace {

using Json = nlohmann::json;  // keeps keys sorted

const char* KindName(EpilogueKind kind) {
  switch (kind) {
    case EpilogueKind::kAdd:
      return "add";
    case EpilogueKind::kRelu:
      return "relu";
    case EpilogueKind::kGelu:
      return "gelu";
    case EpilogueKind::kGeluTanh:
      return "gelu_tanh";
  }
  return "";
}

// Writes accesses with axes and tensors numbered in order of appearance.
class CanonicalNumbers {
 public:
  explicit CanonicalNumbers(const Operator& op) : op_(op) {}

  Json AccessJson(const Access& access) {
    const auto [number, is_new] = tensors_.try_emplace(access.tensor, tensors_.size());
    if (is_new) {
      const Tensor& tensor = op_.tensors[access.tensor];
      tensors_json_.push_back({{"dtype", DtypeName(tensor.dtype)},
                               {"shape", tensor.shape},
                               {"constant", tensor.constant}});
    }
    Json indices = Json::array();
    for (const AffineIndex& index : access.indices) indices.push_back(IndexJson(index));
    return {{"tensor", number->second}, {"indices", indices}, {"guarded", access.guarded}};
  }

  const Json& axes() const { return axes_json_; }
  const Json& tensors() const { return tensors_json_; }

 private:
  Json IndexJson(const AffineIndex& index) {
    std::map<size_t, int64_t> coefficients;
    for (const AffineIndex::Term& term : index.terms) {
      const auto [number, is_new] = axes_.try_emplace(term.axis, axes_.size());
      if (is_new) {
        const Axis& axis = op_.axes[term.axis];
        axes_json_.push_back({{"extent", axis.extent}, {"reduction", axis.reduction}});
      }
      coefficients[number->second] += term.coefficient;
    }
    return {{"offset", index.offset}, {"terms", coefficients}};
  }

  const Operator& op_;
  std::map<size_t, size_t> axes_;
  std::map<size_t, size_t> tensors_;
  Json axes_json_ = Json::array();
  Json tensors_json_ = Json::array();
};

// "f32", or "u8*i8->i32" where they differ.
std::string DescribeDtypes(const Operator& op) {
  std::vector<std::string> factors;
  for (const Access& factor : op.factors) {
    factors.emplace_back(DtypeName(op.tensors[factor.tensor].dtype));
  }
  if (std::ranges::adjacent_find(factors, std::ranges::not_equal_to()) == factors.end()) {
    factors.resize(1);
  }
  const std::string product = absl::StrJoin(factors, "*");
  const std::string output = DtypeName(op.tensors[op.output.tensor].dtype);
  return product == output ? output : absl::StrCat(product, "->", output);
}

}  // namespace

int64_t StrideOf(const Operator& op, const Access& access, size_t axis) {
  const std::vector<int64_t>& shape = op.tensors[access.tensor].shape;
  int64_t stride = 0;
  int64_t dimension_stride = 1;
  for (size_t dimension = shape.size(); dimension-- > 0;) {
    for (const AffineIndex::Term& term : access.indices[dimension].terms) {
      if (term.axis == axis) stride += term.coefficient * dimension_stride;
    }
    dimension_stride *= shape[dimension];
  }
  return stride;
}

double Flops(const Operator& op) {
  double points = 1;
  for (const Axis& axis : op.axes) points *= static_cast<double>(axis.extent);
  return 2 * points;
}

double Bytes(const Operator& op) {
  double bytes = 0;
  for (const Tensor& tensor : op.tensors) {
    auto of_tensor = static_cast<double>(DtypeBytes(tensor.dtype));
    for (const int64_t extent : tensor.shape) of_tensor *= static_cast<double>(extent);
    bytes += of_tensor;
  }
  return bytes;
}

int64_t ReductionLength(const Operator& op) {
  int64_t length = 1;
  for (const Axis& axis : op.axes) length *= axis.reduction ? axis.extent : 1;
  return length;
}

std::string CanonicalKey(const Operator& op) {
  CanonicalNumbers numbers(op);
  const Json output = numbers.AccessJson(op.output);
  Json factors = Json::array();
  for (const Access& factor : op.factors) factors.push_back(numbers.AccessJson(factor));
  Json epilogue = Json::array();
  for (const EpilogueStep& step : op.epilogue) {
    Json json = {{"kind", KindName(step.kind)}};
    if (step.kind == EpilogueKind::kAdd) json["operand"] = numbers.AccessJson(step.operand);
    epilogue.push_back(json);
  }
  return Json({{"axes", numbers.axes()},
               {"tensors", numbers.tensors()},
               {"factors", factors},
               {"output", output},
               {"accumulator", DtypeName(op.accumulator)},
               {"epilogue", epilogue}})
      .dump();
}

std::string Family(const Operator& op) { return absl::StrCat(op.name, " ", DescribeDtypes(op)); }

std::string Describe(const Operator& op) {
  const std::string extents = absl::StrJoin(op.axes, "x", [](std::string* text, const Axis& axis) {
    absl::StrAppend(text, axis.extent);
  });
  std::string text = absl::StrCat(op.name, " ", extents, " ", DescribeDtypes(op));
  for (const EpilogueStep& step : op.epilogue) absl::StrAppend(&text, " ", step.name);
  return text;
}

}  // namespace burnish::op
