#include "server/templates/cpu_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace burnish::templates {
namespace {

constexpr char kVectors[] =
#include "server/templates/cpu_vectors.cpp.inc"
    ;
constexpr char kGelu[] =
#include "server/templates/cpu_gelu.cpp.inc"
    ;
constexpr char kThreads[] =
#include "server/templates/cpu_threads.cpp.inc"
    ;

const char* CppType(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return "double";
    case Dtype::kF32:
      return "float";
    case Dtype::kBf16:
      return "unsigned short";
    case Dtype::kI32:
      return "int";
    case Dtype::kI8:
      return "signed char";
    case Dtype::kU8:
      return "unsigned char";
    default:
      CHECK(false) << "dtype " << DtypeName(dtype);
      return "";
  }
}

int Flag(bool value) { return value ? 1 : 0; }

// "i * 512", without what does nothing.
std::string Times(std::string_view index, int64_t stride) {
  if (stride == 0) return "0";
  if (stride == 1) return std::string(index);
  return absl::StrCat(std::string(index), " * ", stride);
}

// The function that does it all: the operator's name, as far as C++ allows.
std::string EntryOf(const op::Operator& op) {
  std::string entry;
  for (const char c : op.name) entry += absl::ascii_isalnum(c) ? c : '_';
  return absl::StrCat("burnish_", entry);
}

absl::StatusOr<ElementTypes> TypesOf(const op::Operator& op, const Contraction& contraction) {
  const auto dtype = [&](size_t operand) {
    return op.tensors[contraction.operands[operand].tensor].dtype;
  };
  const ElementTypes types{dtype(Contraction::kA), dtype(Contraction::kB), dtype(Contraction::kC),
                           op.accumulator};
  for (const Dtype each : {types.a, types.b, types.c, types.sum}) {
    switch (each) {
      case Dtype::kF64:
      case Dtype::kF32:
      case Dtype::kBf16:
      case Dtype::kI32:
      case Dtype::kI8:
      case Dtype::kU8:
        continue;
      default:
        return absl::NotFoundError(absl::StrCat("it has no ", DtypeName(each)));
    }
  }
  return types;
}

class Writer {
 public:
  Writer(const CpuProblem& problem, std::string title, std::string_view loops,
         int64_t workspace_bytes)
      : op_(problem.op),
        contraction_(problem.contraction),
        types_(problem.types),
        title_(std::move(title)),
        loops_(loops),
        workspace_bytes_(workspace_bytes) {
    for (size_t i = Contraction::kEpilogue; i < contraction_.operands.size(); ++i) {
      extras_.push_back(TensorOf(i).name);
    }
  }

  std::string Write() const {
    return absl::StrCat(Problem(), Text(kVectors), UsesGelu() ? Text(kGelu) : "", OperandsStruct(),
                        Batches(), Epilogue(), Text(kThreads), Text(loops_), Entries());
  }

 private:
  const op::Tensor& TensorOf(size_t operand) const {
    return op_.tensors[contraction_.operands[operand].tensor];
  }
  bool UsesGelu() const {
    return std::ranges::any_of(op_.epilogue, [](const op::EpilogueStep& step) {
      return step.kind == op::EpilogueKind::kGelu || step.kind == op::EpilogueKind::kGeluTanh;
    });
  }
  static std::string Text(std::string_view text) { return std::string(text); }

  std::string Problem() const {
    const Contraction& x = contraction_;
    const ElementTypes& types = types_;
    const int64_t a_m = x.m.strides[Contraction::kA], a_k = x.k.strides[Contraction::kA];
    const int64_t b_k = x.k.strides[Contraction::kB], b_n = x.n.strides[Contraction::kB];
    return absl::StrCat(
        "// ", title_, "\n", "// c[m, n] = epilogue(sum over k of a[m, k] * b[k, n])\n\n",
        "typedef ", CppType(types.a), " ElementA;\n", "typedef ", CppType(types.b), " ElementB;\n",
        "typedef ", CppType(types.c), " ElementC;\n", "typedef ", CppType(types.sum), " Sum;\n",
        "#define SUM_BYTES ", types.SumBytes(), "\n#define GROUP ", types.Group(),
        "\n#define SIGNED_A ", Flag(types.a == Dtype::kI8), "\n#define SIGNED_B ",
        Flag(types.b == Dtype::kI8), "\n#define CONSTANT_A ", Flag(TensorOf(0).constant),
        "  // packed ahead, if at all\n#define CONSTANT_B ", Flag(TensorOf(1).constant),
        "\n\nconstexpr long M = ", x.m.extent, ", N = ", x.n.extent, ", K = ", x.k.extent, ";\n",
        "// Elements between neighbours.\n", "constexpr long kStrideAM = ", a_m,
        ", kStrideAK = ", a_k, ";\n", "constexpr long kStrideBK = ", b_k, ", kStrideBN = ", b_n,
        ";\n", "constexpr long kStrideCM = ", x.m.strides[Contraction::kC], ";\n",
        "constexpr long kBatches = ", x.BatchCount(), ", kBatchesA = ", x.BatchCountOf(0),
        ", kBatchesB = ", x.BatchCountOf(1), ";\n",
        "constexpr bool kHasEpilogue = ", Flag(!op_.epilogue.empty()), ";\n",
        "constexpr long kWorkspaceBytes = ", workspace_bytes_, ";\n");
  }

  std::string OperandsStruct() const {
    std::string text =
        "\n// --- operands ------------------------------------------------------------------------"
        "------\n\nstruct Operands {\n  const ElementA* a;\n  const ElementB* b;\n";
    for (size_t i = 0; i < extras_.size(); ++i) {
      absl::StrAppend(&text, "  const ", CppType(TensorOf(Contraction::kEpilogue + i).dtype), "* ",
                      extras_[i], ";\n");
    }
    absl::StrAppend(&text, "  ElementC* c;\n  char* workspace;\n",
                    "  void* packed_a = nullptr;\n  void* packed_b = nullptr;\n};\n");
    return text;
  }

  // Emits `body(loop, index)` for every batch loop, innermost first, that `operand` moves in (all
  // loops without one), with the loop's index split off `from`.
  template <typename Body>
  std::string SplitBatches(std::string_view from, Body body) const {
    std::string text;
    for (size_t i = contraction_.batches.size(); i-- > 0;) {
      const Loop& loop = contraction_.batches[i];
      absl::StrAppend(&text, "  {\n    const long i = ", std::string(from), " % ", loop.extent,
                      ";\n    ", std::string(from), " /= ", loop.extent, ";\n", body(loop),
                      "  }\n");
    }
    return text;
  }

  // MoveToBatch, IndexOfA/B and OffsetOfA/B.
  std::string Batches() const {
    std::string text = "\n// Points the operands at one batch.\n";
    absl::StrAppend(&text, "INLINE void MoveToBatch(Operands& x, long batch) {\n",
                    SplitBatches("batch",
                                 [this](const Loop& loop) {
                                   std::string moves;
                                   for (size_t o = 0; o < loop.strides.size(); ++o) {
                                     if (loop.strides[o] == 0) continue;
                                     absl::StrAppend(&moves, "    x.", MemberOf(o),
                                                     " += ", Times("i", loop.strides[o]), ";\n");
                                   }
                                   return moves;
                                 }),
                    "}\n\n// Which of the batches of a factor belongs to a batch, and where it "
                    "starts.\n");
    for (const size_t factor : {Contraction::kA, Contraction::kB}) {
      const std::string name = factor == Contraction::kA ? "A" : "B";
      absl::StrAppend(&text, "INLINE long IndexOf", name, "(long batch) {\n  long index = 0;\n",
                      "  long unit = 1;\n",
                      SplitBatches("batch",
                                   [factor](const Loop& loop) -> std::string {
                                     if (loop.strides[factor] == 0) return "    (void)i;\n";
                                     return absl::StrCat("    index += i * unit;\n    unit *= ",
                                                         loop.extent, ";\n");
                                   }),
                      "  (void)unit;\n  return index;\n}\n");
      absl::StrAppend(&text, "INLINE long OffsetOf", name, "(long index) {\n  long offset = 0;\n");
      for (size_t i = contraction_.batches.size(); i-- > 0;) {
        const Loop& loop = contraction_.batches[i];
        if (loop.strides[factor] == 0) continue;
        absl::StrAppend(&text, "  offset += index % ", loop.extent, " * ", loop.strides[factor],
                        ";\n  index /= ", loop.extent, ";\n");
      }
      absl::StrAppend(&text, "  return offset;\n}\n");
    }
    return text;
  }

  std::string MemberOf(size_t operand) const {
    if (operand == Contraction::kA) return "a";
    if (operand == Contraction::kB) return "b";
    if (operand == Contraction::kC) return "c";
    return extras_[operand - Contraction::kEpilogue];
  }

  // The vector of an epilogue's operand at (m, n).
  std::string OperandAt(size_t operand) const {
    const int64_t m = contraction_.m.strides[operand], n = contraction_.n.strides[operand];
    const std::string at = absl::StrCat("x.", MemberOf(operand), " + ", Times("m", m));
    if (n == 1) return absl::StrCat("Load<lanes>(", at, " + n)");
    if (n == 0) {
      return absl::StrCat("Vector{} + Load<1>(", at, ")[0]");
    }
    return absl::StrCat("LoadApart<lanes>(", at, " + ", Times("n", n), ", ", n, ")");
  }

  std::string Epilogue() const {
    std::string text =
        "\n// Where the sum of (m, n) can stay between blocks of k: in c, if that has the type.\n"
        "INLINE Sum* SumsInPlace(const Operands& x, long m, long n) {\n";
    absl::StrAppend(
        &text, types_.OutputIsSum() ? "  return x.c + m * kStrideCM + n;\n" : "  return nullptr;\n",
        "}\n\n// What happens to sums before they are stored.\n",
        "template <int lanes>\nINLINE Vector Finish(const Operands& x, Vector sum, "
        "long m, long n) {\n");
    size_t operand = Contraction::kEpilogue;
    for (const op::EpilogueStep& step : op_.epilogue) {
      absl::StrAppend(&text, "  ", StepText(step, operand), "  // ", step.name, "\n");
      if (step.kind == op::EpilogueKind::kAdd) ++operand;
    }
    absl::StrAppend(&text, "  return sum;\n}\n");
    return text;
  }

  std::string StepText(const op::EpilogueStep& step, size_t operand) const {
    switch (step.kind) {
      case op::EpilogueKind::kAdd:
        return absl::StrCat("sum += ", OperandAt(operand), ";");
      case op::EpilogueKind::kRelu:
        return "sum = Relu(sum);";
      case op::EpilogueKind::kGelu:
        return "sum = Gelu(sum);";
      case op::EpilogueKind::kGeluTanh:
        return "sum = GeluTanh(sum);";
    }
    return "";
  }

  // The functions with the tensors in the operator's order.
  std::string Entries() const {
    std::vector<std::string> parameters;
    for (const op::Tensor& tensor : op_.tensors) {
      const bool output = &tensor == &op_.tensors[op_.output.tensor];
      parameters.push_back(
          absl::StrCat(output ? "" : "const ", CppType(tensor.dtype), "* ", tensor.name));
    }
    parameters.push_back("unsigned char* workspace");
    std::vector<std::string> members = {TensorOf(0).name, TensorOf(1).name};
    members.insert(members.end(), extras_.begin(), extras_.end());
    members.push_back(TensorOf(Contraction::kC).name);
    members.push_back("reinterpret_cast<char*>(workspace)");
    const std::string entry = EntryOf(op_);
    const std::string list = absl::StrJoin(parameters, ", ");
    const std::string operands = absl::StrCat("{", absl::StrJoin(members, ", "), "}");
    return absl::StrCat("\nvoid ", entry, "(", list, ") {\n  Run(", operands, ");\n}\n\n", "void ",
                        entry, "_prepare(", list, ") {\n  Prepare(", operands, ");\n}\n");
  }

  const op::Operator& op_;
  const Contraction& contraction_;
  const ElementTypes& types_;
  const std::string title_;
  const std::string_view loops_;
  const int64_t workspace_bytes_;
  std::vector<std::string> extras_;  // names of the epilogue's operands
};

}  // namespace

int64_t ElementTypes::Group() const {
  const auto bytes = static_cast<int64_t>(DtypeBytes(b));
  return bytes < 4 ? SumBytes() / bytes : 1;
}

absl::StatusOr<CpuProblem> AsCpuProblem(const op::Operator& op) {
  ASSIGN_OR_RETURN(Contraction contraction, AsContraction(op));
  ASSIGN_OR_RETURN(const ElementTypes types, TypesOf(op, contraction));
  return CpuProblem{op, std::move(contraction), types};
}

void AddSource(const ScheduleTemplate& author, const CpuProblem& problem, std::string_view loops,
               Variant& variant) {
  variant.entry = EntryOf(problem.op);
  variant.source = Writer(problem,
                          absl::StrCat(op::Describe(problem.op), ": template ",
                                       std::string(author.id()), ", version ", author.version()),
                          loops, variant.workspace_bytes)
                       .Write();
}

}  // namespace burnish::templates
