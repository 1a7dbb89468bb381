#include "common/op/einsum.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"

namespace burnish::op {
namespace {

constexpr std::string_view kExample = "write it like 'mk,kn->mn'";

absl::Status Refuse(std::string path, std::string message, std::string hint = "") {
  return DiagnosticStatus(
      absl::StatusCode::kInvalidArgument,
      {.path = std::move(path), .message = std::move(message), .hint = std::move(hint)});
}

// The index lists of the factors and of the output.
struct Lists {
  std::string a;
  std::string b;
  std::string output;

  std::array<const std::string*, 3> all() const { return {&a, &b, &output}; }
  int CountOf(char letter) const {
    return static_cast<int>(std::ranges::count_if(
        all(), [letter](const std::string* list) { return list->find(letter) != list->npos; }));
  }
};

absl::Status CheckLists(const Lists& lists) {
  for (const std::string* list : lists.all()) {
    if (list->empty()) {
      return Refuse("expression", "a factor or the output has no index", std::string(kExample));
    }
    if (list->size() > limits::kBufferRank) {
      return Refuse("expression",
                    absl::StrCat("'", *list, "' has ", list->size(), " indices; at most ",
                                 limits::kBufferRank, " are accepted"));
    }
    for (size_t i = 0; i < list->size(); ++i) {
      const std::string letter(1, (*list)[i]);
      if (list->find(letter, i + 1) != list->npos) {
        return Refuse("expression", absl::StrCat("'", letter, "' stands twice in '", *list, "'"),
                      "diagonals are not served");
      }
      if (lists.CountOf(letter[0]) < 2) {
        return Refuse("expression", absl::StrCat("'", letter, "' stands in '", *list, "' alone"),
                      "an index belongs to at least two of the factors and the output");
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Lists> ParseExpression(std::string_view expression) {
  std::string text;
  for (const char c : expression) {
    if (c != ' ') text += c;
  }
  const size_t arrow = text.find("->");
  if (arrow == text.npos) {
    return Refuse("expression", "has no '->' before the output's indices", std::string(kExample));
  }
  const std::string factors = text.substr(0, arrow);
  const size_t comma = factors.find(',');
  if (comma == factors.npos || factors.find(',', comma + 1) != factors.npos) {
    return Refuse("expression", "must have two factors", std::string(kExample));
  }
  Lists lists{factors.substr(0, comma), factors.substr(comma + 1), text.substr(arrow + 2)};
  for (const std::string* list : lists.all()) {
    if (!std::ranges::all_of(*list, [](unsigned char c) { return absl::ascii_isalpha(c); })) {
      return Refuse("expression", "an index must be a single letter", std::string(kExample));
    }
  }
  RETURN_IF_ERROR(CheckLists(lists));
  return lists;
}

absl::Status CheckExtents(const std::map<std::string, int64_t>& extents,
                          const std::vector<Axis>& axes) {
  std::vector<std::string> letters;
  for (const Axis& axis : axes) letters.push_back(axis.name);
  for (const auto& [letter, extent] : extents) {
    const std::string path = absl::StrCat("extents.", letter);
    if (std::ranges::find(letters, letter) == letters.end()) {
      return Refuse(path, absl::StrCat("the expression has no index '", letter, "'"),
                    NameHint(letter, letters));
    }
    if (extent < 1) return Refuse(path, absl::StrCat("must be positive, not ", extent));
  }
  return absl::OkStatus();
}

// The output's axes, then those of the reduction.
absl::StatusOr<std::vector<Axis>> MakeAxes(const Lists& lists,
                                           const std::map<std::string, int64_t>& extents) {
  std::vector<Axis> axes;
  for (const char letter : lists.output) axes.push_back({.name = std::string(1, letter)});
  for (const char letter : lists.a) {
    if (lists.output.find(letter) != std::string::npos) continue;
    axes.push_back({.name = std::string(1, letter), .reduction = true});
  }
  RETURN_IF_ERROR(CheckExtents(extents, axes));
  for (Axis& axis : axes) {
    const auto extent = extents.find(axis.name);
    if (extent == extents.end()) {
      return Refuse("extents", absl::StrCat("the extent of '", axis.name, "' is missing"));
    }
    axis.extent = extent->second;
  }
  return axes;
}

Access AccessOf(const Operator& op, size_t tensor, std::string_view list) {
  Access access{.tensor = tensor};
  for (const char letter : list) {
    const auto axis = std::ranges::find(op.axes, std::string(1, letter), &Axis::name);
    access.indices.push_back({.terms = {{.axis = static_cast<size_t>(axis - op.axes.begin())}}});
  }
  return access;
}

// Appends a tensor of the axes that `access` steps through.
absl::Status AddTensor(Operator& op, std::string name, Dtype dtype, const Access& access) {
  Tensor tensor{.name = std::move(name), .dtype = dtype};
  auto bytes = static_cast<int64_t>(DtypeBytes(dtype));
  for (const AffineIndex& index : access.indices) {
    const int64_t extent = op.axes[index.terms[0].axis].extent;
    if (extent > limits::kBufferBytes / bytes) {
      return Refuse("extents", absl::StrCat("tensor '", tensor.name, "' is larger than ",
                                            limits::kBufferBytes, " bytes"));
    }
    bytes *= extent;
    tensor.shape.push_back(extent);
  }
  op.tensors.push_back(std::move(tensor));
  if (Bytes(op) > static_cast<double>(limits::kTotalBufferBytes)) {
    return Refuse("extents", absl::StrCat("the tensors are larger than ", limits::kTotalBufferBytes,
                                          " bytes together"));
  }
  return absl::OkStatus();
}

bool IsByte(Dtype dtype) { return dtype == Dtype::kI8 || dtype == Dtype::kU8; }

// What sums are kept in.
absl::StatusOr<Dtype> AccumulatorOf(const EinsumOptions& options) {
  const Dtype a = options.a;
  const Dtype output = options.output;
  if (IsByte(a) && IsByte(options.b) && output == Dtype::kI32) return Dtype::kI32;
  if (a == options.b) {
    if (a == Dtype::kF64 && output == Dtype::kF64) return Dtype::kF64;
    if (a == Dtype::kF32 && output == Dtype::kF32) return Dtype::kF32;
    const bool single = output == Dtype::kBf16 || output == Dtype::kF32;
    if (a == Dtype::kBf16 && single) return Dtype::kF32;
  }
  return Refuse("dtype",
                absl::StrCat("a product of ", DtypeName(a), " and ", DtypeName(options.b), " into ",
                             DtypeName(output), " is not supported by this version"),
                "f32 or f64 throughout, bf16 into bf16 or f32, i8 and u8 into i32");
}

absl::Status CheckIntegerSums(const Operator& op) {
  double largest = 1;
  for (const Access& factor : op.factors) {
    largest *= op.tensors[factor.tensor].dtype == Dtype::kU8 ? 255 : 128;
  }
  for (const Axis& axis : op.axes) largest *= axis.reduction ? static_cast<double>(axis.extent) : 1;
  if (largest <= std::numeric_limits<int32_t>::max()) return absl::OkStatus();
  return Refuse("extents", "sums of so many products may exceed the range of i32");
}

absl::Status MarkConstants(const std::vector<std::string>& names, Operator& op) {
  for (size_t i = 0; i < names.size(); ++i) {
    const auto tensor = std::ranges::find(op.tensors, names[i], &Tensor::name);
    const std::string path = absl::StrCat("constant[", i, "]");
    if (tensor == op.tensors.end()) {
      return Refuse(path, absl::StrCat("'", names[i], "' is no factor"),
                    NameHint(names[i], {"a", "b"}));
    }
    if (tensor->constant) return Refuse(path, absl::StrCat("'", names[i], "' stands twice"));
    tensor->constant = true;
  }
  return absl::OkStatus();
}

struct EpilogueFacts {
  const char* name;
  EpilogueKind kind;
};
constexpr EpilogueFacts kEpilogues[] = {{"bias", EpilogueKind::kAdd},
                                        {"residual", EpilogueKind::kAdd},
                                        {"relu", EpilogueKind::kRelu},
                                        {"gelu", EpilogueKind::kGelu},
                                        {"gelu_tanh", EpilogueKind::kGeluTanh}};

absl::Status AddEpilogueStep(const std::string& path, const std::string& name, Dtype dtype,
                             Operator& op) {
  const auto facts = std::ranges::find(kEpilogues, name, &EpilogueFacts::name);
  if (facts == std::end(kEpilogues)) {
    return Refuse(path, absl::StrCat("unknown epilogue '", name, "'"),
                  NameHint(name, EpilogueNames()));
  }
  EpilogueStep step{.name = name, .kind = facts->kind};
  const bool is_gelu = step.kind == EpilogueKind::kGelu || step.kind == EpilogueKind::kGeluTanh;
  if (is_gelu && !IsFloating(dtype)) {
    return Refuse(path, absl::StrCat(name, " needs a floating output, not ", DtypeName(dtype)));
  }
  if (step.kind == EpilogueKind::kAdd) {
    if (std::ranges::find(op.epilogue, name, &EpilogueStep::name) != op.epilogue.end()) {
      return Refuse(path, absl::StrCat("'", name, "' stands twice"));
    }
    step.operand = op.output;
    if (name == "bias") step.operand.indices = {op.output.indices.back()};
    step.operand.tensor = op.tensors.size();
    RETURN_IF_ERROR(AddTensor(op, name, dtype, step.operand));
  }
  op.epilogue.push_back(std::move(step));
  return absl::OkStatus();
}

absl::Status AddEpilogue(const EinsumOptions& options, Operator& op) {
  if (options.epilogue.size() > limits::kEpilogueSteps) {
    return Refuse("epilogue", absl::StrCat("has ", options.epilogue.size(), " steps; at most ",
                                           limits::kEpilogueSteps, " are accepted"));
  }
  for (size_t i = 0; i < options.epilogue.size(); ++i) {
    RETURN_IF_ERROR(AddEpilogueStep(absl::StrCat("epilogue[", i, "]"), options.epilogue[i],
                                    options.output, op));
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<std::string>& EpilogueNames() {
  static const std::vector<std::string>& names = *[] {
    auto* all = new std::vector<std::string>;
    for (const EpilogueFacts& facts : kEpilogues) all->emplace_back(facts.name);
    return all;
  }();
  return names;
}

absl::StatusOr<Operator> Einsum(const EinsumOptions& options) {
  Operator op{.name = options.name};
  ASSIGN_OR_RETURN(op.accumulator, AccumulatorOf(options));
  ASSIGN_OR_RETURN(const Lists lists, ParseExpression(options.expression));
  ASSIGN_OR_RETURN(op.axes, MakeAxes(lists, options.extents));
  op.factors = {AccessOf(op, 0, lists.a), AccessOf(op, 1, lists.b)};
  RETURN_IF_ERROR(AddTensor(op, "a", options.a, op.factors[0]));
  RETURN_IF_ERROR(AddTensor(op, "b", options.b, op.factors[1]));
  RETURN_IF_ERROR(MarkConstants(options.constant, op));
  if (op.accumulator == Dtype::kI32) RETURN_IF_ERROR(CheckIntegerSums(op));
  op.output = AccessOf(op, 0, lists.output);
  RETURN_IF_ERROR(AddEpilogue(options, op));
  op.output.tensor = op.tensors.size();
  RETURN_IF_ERROR(AddTensor(op, "c", options.output, op.output));
  return op;
}

std::string MatmulExpression(bool batched, bool transpose_a, bool transpose_b) {
  const std::string batch = batched ? "b" : "";
  return absl::StrCat(batch, transpose_a ? "km" : "mk", ",", batch, transpose_b ? "nk" : "kn", "->",
                      batch, "mn");
}

}  // namespace burnish::op
