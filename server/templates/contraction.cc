#include "server/templates/contraction.h"

#include <algorithm>
#include <utility>

namespace burnish::templates {
namespace {

struct Groups {
  std::vector<Loop> m;
  std::vector<Loop> n;
  std::vector<Loop> k;
  std::vector<Loop> batches;
};

bool Moves(const Loop& loop, size_t operand) { return loop.strides[operand] != 0; }

// Loops by the operands that they move in. An axis of extent 1 moves nothing.
absl::StatusOr<Groups> GroupAxes(const op::Operator& op, const std::vector<op::Access>& operands) {
  Groups groups;
  for (size_t axis = 0; axis < op.axes.size(); ++axis) {
    if (op.axes[axis].extent == 1) continue;
    Loop loop{.extent = op.axes[axis].extent};
    for (const op::Access& operand : operands) {
      loop.strides.push_back(op::StrideOf(op, operand, axis));
    }
    const bool in_a = Moves(loop, Contraction::kA);
    const bool in_b = Moves(loop, Contraction::kB);
    if (op.axes[axis].reduction) {
      if (!in_a || !in_b) return absl::NotFoundError("an axis is summed in one factor alone");
      groups.k.push_back(std::move(loop));
    } else if (in_a && in_b) {
      groups.batches.push_back(std::move(loop));
    } else if (in_a || in_b) {
      (in_a ? groups.m : groups.n).push_back(std::move(loop));
    } else {
      return absl::NotFoundError("an axis of the output is in neither factor");
    }
  }
  return groups;
}

// Joins loops that walk through every operand as one would.
void Merge(std::vector<Loop>& loops, size_t order_by) {
  std::ranges::stable_sort(loops, [order_by](const Loop& a, const Loop& b) {
    return a.strides[order_by] > b.strides[order_by];
  });
  for (size_t i = 1; i < loops.size();) {
    Loop& outer = loops[i - 1];
    const Loop& inner = loops[i];
    bool joined = true;
    for (size_t operand = 0; operand < inner.strides.size(); ++operand) {
      joined &= outer.strides[operand] == inner.strides[operand] * inner.extent;
    }
    if (!joined) {
      ++i;
      continue;
    }
    outer = {.extent = outer.extent * inner.extent, .strides = inner.strides};
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Takes the innermost loop out of the group; an empty group has one of extent 1.
Loop TakeInnermost(std::vector<Loop>& loops, size_t operands) {
  if (loops.empty()) return {.extent = 1, .strides = std::vector<int64_t>(operands, 0)};
  Loop innermost = std::move(loops.back());
  loops.pop_back();
  return innermost;
}

bool Dense(const std::vector<Loop>& loops) {
  return !loops.empty() && loops.back().strides[Contraction::kC] == 1;
}

}  // namespace

int64_t Contraction::BatchCount() const {
  int64_t count = 1;
  for (const Loop& batch : batches) count *= batch.extent;
  return count;
}

int64_t Contraction::BatchCountOf(size_t operand) const {
  int64_t count = 1;
  for (const Loop& batch : batches) count *= Moves(batch, operand) ? batch.extent : 1;
  return count;
}

absl::StatusOr<Contraction> AsContraction(const op::Operator& op) {
  if (op.factors.size() != 2) return absl::NotFoundError("it has not two factors");
  Contraction contraction;
  contraction.operands = {op.factors[0], op.factors[1], op.output};
  for (const op::EpilogueStep& step : op.epilogue) {
    if (step.kind == op::EpilogueKind::kAdd) contraction.operands.push_back(step.operand);
  }
  for (const op::Access& operand : contraction.operands) {
    if (operand.guarded) return absl::NotFoundError("it reads beyond its tensors");
    for (const op::AffineIndex& index : operand.indices) {
      if (index.offset != 0) return absl::NotFoundError("it reads its tensors at an offset");
    }
  }
  absl::StatusOr<Groups> groups = GroupAxes(op, contraction.operands);
  if (!groups.ok()) return groups.status();
  Merge(groups->m, Contraction::kC);
  Merge(groups->n, Contraction::kC);
  Merge(groups->batches, Contraction::kC);
  Merge(groups->k, Contraction::kA);
  if (groups->k.size() > 1) {
    return absl::NotFoundError("the axes that are summed over do not lie behind each other");
  }
  // Columns without gaps, or a single one, which has none.
  if (!Dense(groups->n) && (Dense(groups->m) || groups->m.empty())) {
    std::swap(groups->m, groups->n);
    std::swap(contraction.operands[0], contraction.operands[1]);
    for (auto* loops : {&groups->m, &groups->n, &groups->k, &groups->batches}) {
      for (Loop& loop : *loops) std::swap(loop.strides[0], loop.strides[1]);
    }
  }
  if (!Dense(groups->n) && !groups->n.empty()) {
    return absl::NotFoundError("the output's last axis is one of a batch");
  }
  const size_t operands = contraction.operands.size();
  contraction.n = TakeInnermost(groups->n, operands);
  contraction.m = TakeInnermost(groups->m, operands);
  contraction.k = TakeInnermost(groups->k, operands);
  for (auto* loops : {&groups->batches, &groups->m, &groups->n}) {
    std::ranges::move(*loops, std::back_inserter(contraction.batches));
  }
  return contraction;
}

}  // namespace burnish::templates
