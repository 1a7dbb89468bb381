// `workload:`, an operator for which Burnish has the kernels.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/op/einsum.h"
#include "common/spec/fields.h"
#include "common/spec/section_readers.h"
#include "common/spec/vocabulary.h"

namespace burnish::spec {
namespace {

constexpr std::string_view kExample =
    "write {operator: matmul, shape: {m: 512, n: 512, k: 512}, dtype: f32}";

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

absl::Status CheckWorkloadKeys(const Node& workload) {
  RETURN_IF_ERROR(CheckMapping(workload, kExample));
  for (const Node* node : workload.children) {
    if (!Contains(KernelKeys().known, node->key)) continue;
    return ErrorAtKey(*node, "unknown key '" + node->key + "'",
                      "it stands under `kernel:`, for code of your own; a workload's code comes "
                      "from Burnish");
  }
  return CheckKeys(workload, WorkloadKeys());
}

// The key of one operator under another.
absl::Status CheckAbsent(const Node& workload, std::string_view key, std::string_view message,
                         std::string_view hint) {
  const Node* node = workload.Find(key);
  return node != nullptr ? ErrorAtKey(*node, message, hint) : absl::OkStatus();
}

absl::Status ReadExtent(const Node& node, const std::string& letter, op::EinsumOptions& options) {
  ASSIGN_OR_RETURN(options.extents[letter], ReadInteger(node, 1, limits::kBufferBytes));
  return absl::OkStatus();
}

// A list of names, each of which may stand there once.
absl::StatusOr<std::vector<std::string>> ReadNames(const Node& list, std::string_view what,
                                                   const Vocabulary& names) {
  RETURN_IF_ERROR(CheckList(list));
  std::vector<std::string> read;
  for (const Node* node : list.children) {
    ASSIGN_OR_RETURN(std::string name, ReadName(*node, what, names));
    if (Contains(read, name)) return ErrorAt(*node, "'" + name + "' stands twice");
    read.push_back(std::move(name));
  }
  return read;
}

// Shape and transposition; `expression` is what the options refer to.
absl::Status ReadMatmul(const Node& workload, std::string& expression, op::EinsumOptions& options) {
  RETURN_IF_ERROR(CheckAbsent(workload, "expression", "a matmul has no `expression`",
                              "`operator: einsum` has one"));
  ASSIGN_OR_RETURN(const Node* shape, Require(workload, "shape"));
  RETURN_IF_ERROR(CheckMapping(*shape, "write {m: 512, n: 512, k: 512}"));
  RETURN_IF_ERROR(CheckKeys(*shape, {{"m", "n", "k", "batch"}}));
  for (const char* letter : {"m", "n", "k"}) {
    ASSIGN_OR_RETURN(const Node* extent, Require(*shape, letter));
    RETURN_IF_ERROR(ReadExtent(*extent, letter, options));
  }
  const Node* batch = shape->Find("batch");
  if (batch != nullptr) RETURN_IF_ERROR(ReadExtent(*batch, "b", options));
  std::vector<std::string> transposed;
  if (const Node* transpose = workload.Find("transpose")) {
    ASSIGN_OR_RETURN(transposed, ReadNames(*transpose, "factor", {{"a", "b"}}));
  }
  expression =
      op::MatmulExpression(batch != nullptr, Contains(transposed, "a"), Contains(transposed, "b"));
  return absl::OkStatus();
}

absl::Status ReadEinsum(const Node& workload, std::string& expression, op::EinsumOptions& options) {
  RETURN_IF_ERROR(CheckAbsent(workload, "transpose", "an einsum has no `transpose`",
                              "its expression orders the indices, as 'mk,nk->mn' does"));
  ASSIGN_OR_RETURN(const Node* text, Require(workload, "expression"));
  ASSIGN_OR_RETURN(expression, ReadText(*text, "write it like 'mk,kn->mn'"));
  ASSIGN_OR_RETURN(const Node* shape, Require(workload, "shape"));
  RETURN_IF_ERROR(CheckMapping(*shape, "write the extent of every index, as {m: 512, …}"));
  for (const Node* extent : shape->children) {
    if (extent->key.size() != 1 || !absl::ascii_isalpha(extent->key[0])) {
      return ErrorAtKey(*extent, "an index is a single letter, not " + Quoted(extent->key));
    }
    RETURN_IF_ERROR(ReadExtent(*extent, extent->key, options));
  }
  return absl::OkStatus();
}

absl::StatusOr<Dtype> ReadDtype(const Node& node, const Vocabulary& names) {
  ASSIGN_OR_RETURN(const std::string name, ReadName(node, "dtype", names));
  return *ParseDtype(name);
}

absl::Status ReadDtypes(const Node& node, op::EinsumOptions& options) {
  if (node.kind != Node::Kind::kMapping) {
    const Vocabulary names{{"f32", "f64", "bf16", "i8", "u8"}, {"f16"}};
    ASSIGN_OR_RETURN(options.a, ReadDtype(node, names));
    options.b = options.a;
    options.output = IsFloating(options.a) ? options.a : Dtype::kI32;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckKeys(node, {{"a", "b", "c"}}));
  const std::pair<const char*, Dtype*> dtypes[] = {
      {"a", &options.a}, {"b", &options.b}, {"c", &options.output}};
  for (const auto& [tensor, dtype] : dtypes) {
    ASSIGN_OR_RETURN(const Node* name, Require(node, tensor));
    ASSIGN_OR_RETURN(*dtype, ReadDtype(*name, {DtypeNames()}));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ReadEpilogue(const Node& node) {
  RETURN_IF_ERROR(CheckList(node, "write [bias, relu]"));
  std::vector<std::string> steps;
  for (const Node* step : node.children) {
    ASSIGN_OR_RETURN(steps.emplace_back(), ReadName(*step, "epilogue", {op::EpilogueNames()}));
  }
  return steps;
}

// The node of a path within EinsumOptions; the workload itself if it has none.
const Node& NodeOf(const Node& workload, std::string_view path) {
  const auto find = [](const Node* mapping, std::string_view key) {
    return mapping != nullptr ? mapping->Find(key) : nullptr;
  };
  constexpr std::string_view kExtents = "extents";
  const Node* node = nullptr;
  if (path.starts_with(kExtents)) {
    node = workload.Find("shape");
    if (path.size() > kExtents.size()) node = find(node, path.substr(kExtents.size() + 1));
  } else {
    const size_t bracket = std::min(path.find('['), path.size());
    node = workload.Find(path.substr(0, bracket));
    const Node* list = node;
    if (bracket < path.size() && list != nullptr) {
      for (const Node* item : list->children) {
        const std::string index = "[" + std::to_string(item->index) + "]";
        if (path.substr(bracket) == index) node = item;
      }
    }
  }
  return node != nullptr ? *node : workload;
}

}  // namespace

const Vocabulary& WorkloadKeys() {
  static const Vocabulary& keys = *new Vocabulary{
      {"operator", "expression", "shape", "dtype", "transpose", "constant", "epilogue", "threads"}};
  return keys;
}

absl::Status ReadWorkload(const Node& workload, JobSpec& spec) {
  RETURN_IF_ERROR(CheckWorkloadKeys(workload));
  op::EinsumOptions options;
  ASSIGN_OR_RETURN(const Node* name, Require(workload, "operator"));
  ASSIGN_OR_RETURN(options.name, ReadName(*name, "operator", Operators()));
  std::string expression;
  RETURN_IF_ERROR(options.name == "matmul" ? ReadMatmul(workload, expression, options)
                                           : ReadEinsum(workload, expression, options));
  options.expression = expression;
  ASSIGN_OR_RETURN(const Node* dtype, Require(workload, "dtype"));
  RETURN_IF_ERROR(ReadDtypes(*dtype, options));
  if (const Node* constant = workload.Find("constant")) {
    ASSIGN_OR_RETURN(options.constant, ReadNames(*constant, "factor", {{"a", "b"}}));
  }
  if (const Node* epilogue = workload.Find("epilogue")) {
    ASSIGN_OR_RETURN(options.epilogue, ReadEpilogue(*epilogue));
  }
  if (const Node* threads = workload.Find("threads")) {
    ASSIGN_OR_RETURN(spec.threads, ReadInteger(*threads, 1, limits::kThreads));
  }
  absl::StatusOr<op::Operator> op = op::Einsum(options);
  if (!op.ok()) {
    const Diagnostic fault = DiagnosticOf(op.status()).value_or(Diagnostic{});
    return ErrorAt(NodeOf(workload, fault.path), fault.message, fault.hint);
  }
  spec.work = {.flops = op::Flops(*op), .bytes = op::Bytes(*op)};
  spec.reference.kind = Reference::Kind::kOperator;
  spec.reference.op = *op;
  spec.workload = *std::move(op);
  return absl::OkStatus();
}

}  // namespace burnish::spec
