#include "server/templates/cpu_dot.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/templates/contraction.h"
#include "server/templates/cpu_choices.h"
#include "server/templates/cpu_source.h"
#include "server/templates/parameters.h"

namespace burnish::templates {
namespace {

constexpr char kLoops[] =
#include "server/templates/cpu_dot.cpp.inc"
    ;

// Columns or rows up to which vectors along k can be better than vectors of columns.
constexpr int64_t kFew = 16;

bool Dense(const Loop& k, size_t operand) { return k.extent == 1 || k.strides[operand] == 1; }

class DotSpace {
 public:
  DotSpace(const CpuProblem& problem, const Target& target)
      : op_(problem.op), target_(target), x_(problem.contraction), types_(problem.types) {}

  bool Serves() const {
    const bool in_place = RunsOnRows(Contraction::kA) && RunsOnRows(Contraction::kB);
    return in_place || std::min(x_.m.extent, x_.n.extent) <= kFew;
  }

  Variant Make() {
    const int64_t threads = std::max<int64_t>(target_.cores, 1);
    const int64_t lanes = VectorLanes(target_, types_).front();
    const int64_t square = target_.Registers() == 32 ? 4 : 3;
    const int64_t m = std::min(x_.m.extent, square);
    list_.Add("DOT_M", Counts(x_.m.extent, {1, 2, 3, 4, 5, 6, 8}), m, 1);
    list_.Add("DOT_N", Counts(x_.n.extent, {1, 2, 3, 4, 6, 8}), std::min(x_.n.extent, square), 1);
    list_.Constrain(absl::StrCat("DOT_M * DOT_N + DOT_N + 1 <= ", target_.Registers()));
    list_.Add("VECTOR", VectorLanes(target_, types_), lanes, lanes);
    list_.Constrain("DOT_N <= VECTOR");
    list_.Add("UNROLL", kUnrolls, 1, 1);
    list_.Add("PREFETCH", kPrefetches, 0, 0);
    const int64_t good = op::Flops(op_) >= kFlopsWorthThreads ? threads : 1;
    const std::string by = good > 1 && x_.m.extent > x_.n.extent ? "rows" : "columns";
    list_.Add("THREADS", ThreadCounts(target_), good, good);
    list_.AddWords("DIVIDE", Divisions(x_.BatchCount()), by, by);
    list_.Constrain("THREADS > 1 or DIVIDE == 'columns'");
    // Threads pack one copy together, and wait for each other.
    if (PacksNow(Contraction::kA) || PacksNow(Contraction::kB)) {
      list_.Constrain("DIVIDE != 'batches'");
    }
    Variant variant = std::move(list_).Take();
    variant.favoured = Favoured();
    return variant;
  }

  int64_t WorkspaceBytes() const {
    const auto packed = [&](size_t operand, const Loop& rows) -> int64_t {
      if (Dense(x_.k, operand)) return 0;
      const int64_t batches = TensorOf(operand).constant ? x_.BatchCountOf(operand) : 1;
      const auto bytes = static_cast<int64_t>(DtypeBytes(TensorOf(operand).dtype));
      return RoundUp(batches * rows.extent * x_.k.extent * bytes, 64);
    };
    return packed(Contraction::kA, x_.m) + packed(Contraction::kB, x_.n) + 64;
  }

 private:
  const op::Tensor& TensorOf(size_t operand) const {
    return op_.tensors[x_.operands[operand].tensor];
  }
  bool PacksNow(size_t operand) const {
    return !Dense(x_.k, operand) && !TensorOf(operand).constant;
  }
  bool RunsOnRows(size_t operand) const { return !PacksNow(operand); }

  // Narrow outputs, and products with few rows where b would have to be turned around first.
  bool Favoured() const {
    const int64_t lanes = VectorLanes(target_, types_).front();
    const bool b_by_rows = Dense(x_.k, Contraction::kB) && !TensorOf(Contraction::kB).constant;
    const bool narrow = x_.n.extent <= lanes / 2 && x_.m.extent > 1 && x_.k.extent >= 4 * lanes;
    return narrow || (b_by_rows && x_.m.extent <= 4 && x_.n.extent > 1);
  }

  static std::vector<int64_t> Counts(int64_t extent, const std::vector<int64_t>& candidates) {
    std::vector<int64_t> counts = UpTo(std::min<int64_t>(extent, 8), candidates);
    std::ranges::sort(counts);
    return counts;
  }

  const op::Operator& op_;
  const Target& target_;
  const Contraction& x_;
  const ElementTypes& types_;
  ParameterList list_;
};

}  // namespace

absl::StatusOr<Variant> CpuDotTemplate::Make(const op::Operator& op, const Target& target) const {
  ASSIGN_OR_RETURN(const CpuProblem problem, AsCpuProblem(op));
  DotSpace space(problem, target);
  if (!space.Serves()) {
    return absl::NotFoundError("its k does not lie side by side, and it has many rows and columns");
  }
  Variant variant = space.Make();
  variant.workspace_bytes = space.WorkspaceBytes();
  AddSource(*this, problem, kLoops, variant);
  return variant;
}

}  // namespace burnish::templates
