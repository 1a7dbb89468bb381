#include "common/op/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <numbers>

#include "common/base/check.h"
#include "common/base/elements.h"
#include "common/base/random.h"

namespace burnish::op {
namespace {

constexpr int64_t kMinSample = 64;
// What an element costs beside its products, in loop points.
constexpr int64_t kElementPoints = 16;

int64_t ElementCount(const Tensor& tensor) {
  int64_t count = 1;
  for (const int64_t extent : tensor.shape) count *= extent;
  return count;
}

template <typename T>
double Load(const std::byte* tensor, int64_t index) {
  T element;
  std::memcpy(&element, tensor + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return ElementToDouble(element);
}

// A run along one axis of a tensor.
struct Row {
  const std::byte* tensor;
  int64_t start;
  int64_t stride;
};

// Four sums, so that an addition need not wait for the one before it.
template <typename A, typename B>
double RowProduct(const Row& a, const Row& b, int64_t length) {
  double sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= length; i += 4) {
    for (int64_t j = 0; j < 4; ++j) {
      sums[j] += Load<A>(a.tensor, a.start + (i + j) * a.stride) *
                 Load<B>(b.tensor, b.start + (i + j) * b.stride);
    }
  }
  for (; i < length; ++i) {
    sums[0] +=
        Load<A>(a.tensor, a.start + i * a.stride) * Load<B>(b.tensor, b.start + i * b.stride);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
using RowProductFunction = double (*)(const Row&, const Row&, int64_t);

RowProductFunction RowProductOf(Dtype a, Dtype b) {
  return WithElementType(a, [b]<typename A>() {
    return WithElementType(b, []<typename B>() -> RowProductFunction { return &RowProduct<A, B>; });
  });
}

using LoadFunction = double (*)(const std::byte*, int64_t);

LoadFunction LoadOf(Dtype dtype) {
  return WithElementType(dtype, []<typename T>() -> LoadFunction { return &Load<T>; });
}

// One access, ready to be read at any point of the loops.
class Reader {
 public:
  Reader(const Operator& op, const Access& access,
         const std::vector<std::span<const std::byte>>& tensors)
      : access_(access),
        shape_(op.tensors[access.tensor].shape),
        tensor_(tensors[access.tensor].data()),
        load_(LoadOf(op.tensors[access.tensor].dtype)) {
    for (size_t axis = 0; axis < op.axes.size(); ++axis) {
      strides_.push_back(StrideOf(op, access, axis));
    }
  }

  // Outside the tensor there are zeros.
  double At(const std::vector<int64_t>& point) const {
    int64_t flat = 0;
    for (size_t i = 0; i < shape_.size(); ++i) {
      const int64_t index = IndexAt(access_.indices[i], point);
      if (access_.guarded && (index < 0 || index >= shape_[i])) return 0;
      flat = flat * shape_[i] + index;
    }
    return load_(tensor_, flat);
  }

  // Of an unguarded access, from `point` along an axis.
  Row RowAt(const std::vector<int64_t>& point, size_t axis) const {
    int64_t start = 0;
    for (size_t i = 0; i < shape_.size(); ++i) {
      start = start * shape_[i] + IndexAt(access_.indices[i], point);
    }
    return {tensor_, start, strides_[axis]};
  }

 private:
  static int64_t IndexAt(const AffineIndex& index, const std::vector<int64_t>& point) {
    int64_t value = index.offset;
    for (const AffineIndex::Term& term : index.terms) {
      value += term.coefficient * point[term.axis];
    }
    return value;
  }

  const Access& access_;
  const std::vector<int64_t>& shape_;
  const std::byte* tensor_;
  LoadFunction load_;
  std::vector<int64_t> strides_;
};

class Evaluation {
 public:
  Evaluation(const Operator& op, const std::vector<std::span<const std::byte>>& tensors)
      : op_(op), point_(op.axes.size()) {
    for (const Access& factor : op.factors) factors_.emplace_back(op, factor, tensors);
    for (const EpilogueStep& step : op.epilogue) {
      // Steps without an operand read the output's place, which is never used.
      operands_.emplace_back(op, step.kind == EpilogueKind::kAdd ? step.operand : op.output,
                             tensors);
    }
    for (size_t axis = 0; axis < op.axes.size(); ++axis) {
      if (op.axes[axis].reduction) reduction_.push_back(axis);
    }
    const bool guarded = std::ranges::any_of(op.factors, &Access::guarded);
    if (op.factors.size() == 2 && !guarded && !reduction_.empty()) {
      row_product_ = RowProductOf(op.tensors[op.factors[0].tensor].dtype,
                                  op.tensors[op.factors[1].tensor].dtype);
      row_axis_ = reduction_.back();
      reduction_.pop_back();
    }
  }

  double At(int64_t element) {
    const std::vector<int64_t>& shape = op_.tensors[op_.output.tensor].shape;
    std::ranges::fill(point_, 0);
    for (size_t i = shape.size(); i-- > 0;) {
      point_[op_.output.indices[i].terms[0].axis] = element % shape[i];
      element /= shape[i];
    }
    double value = 0;
    do {
      value += Product();
    } while (NextPoint());
    for (size_t i = 0; i < op_.epilogue.size(); ++i) value = Apply(i, value);
    return value;
  }

 private:
  // At a point of the reduction; of a whole row of them where that is possible.
  double Product() const {
    if (row_product_ != nullptr) {
      return row_product_(factors_[0].RowAt(point_, row_axis_),
                          factors_[1].RowAt(point_, row_axis_), op_.axes[row_axis_].extent);
    }
    double product = 1;
    for (const Reader& factor : factors_) product *= factor.At(point_);
    return product;
  }

  // Counts the reduction's axes up, the last one fastest; false, and all are 0, after the last.
  bool NextPoint() {
    for (size_t i = reduction_.size(); i-- > 0;) {
      int64_t& position = point_[reduction_[i]];
      if (++position < op_.axes[reduction_[i]].extent) return true;
      position = 0;
    }
    return false;
  }

  double Apply(size_t step, double x) const {
    switch (op_.epilogue[step].kind) {
      case EpilogueKind::kAdd:
        return x + operands_[step].At(point_);
      case EpilogueKind::kRelu:
        return x < 0 ? 0 : x;
      case EpilogueKind::kGelu:
        return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2;
      case EpilogueKind::kGeluTanh:
        return x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))) /
               2;
    }
    return x;
  }

  const Operator& op_;
  std::vector<Reader> factors_;
  std::vector<Reader> operands_;   // one for each step of the epilogue
  std::vector<size_t> reduction_;  // axes that are counted up here
  std::vector<int64_t> point_;     // position on every axis
  RowProductFunction row_product_ = nullptr;
  size_t row_axis_ = 0;
};

// A position whose every coordinate is at an edge half of the time.
int64_t DrawPosition(const std::vector<int64_t>& shape, RandomStream& random) {
  int64_t position = 0;
  for (const int64_t extent : shape) {
    const uint64_t choice = random.UniformBelow(4);
    const int64_t coordinate =
        choice == 0   ? 0
        : choice == 1 ? extent - 1
                      : static_cast<int64_t>(random.UniformBelow(static_cast<uint64_t>(extent)));
    position = position * extent + coordinate;
  }
  return position;
}

std::vector<int64_t> Corners(const std::vector<int64_t>& shape) {
  std::vector<int64_t> corners = {0};
  for (const int64_t extent : shape) {
    const size_t count = corners.size();
    for (size_t i = 0; i < count; ++i) {
      const int64_t first = corners[i] * extent;
      corners[i] = first;
      corners.push_back(first + extent - 1);
    }
  }
  return corners;
}

void SortDistinct(std::vector<int64_t>& positions) {
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
}

}  // namespace

std::vector<int64_t> SampleOutput(const Operator& op, uint64_t seed, int64_t max_points) {
  const Tensor& output = op.tensors[op.output.tensor];
  const int64_t count = ElementCount(output);
  const int64_t wanted = std::max(max_points / (ReductionLength(op) + kElementPoints), kMinSample);
  std::vector<int64_t> positions;
  if (count <= wanted) {
    for (int64_t i = 0; i < count; ++i) positions.push_back(i);
    return positions;
  }
  RandomStream random(seed, "sampled output elements");
  positions = Corners(output.shape);
  for (int64_t i = 0; i < wanted; ++i) positions.push_back(DrawPosition(output.shape, random));
  SortDistinct(positions);
  while (std::ssize(positions) < kMinSample) {
    positions.push_back(DrawPosition(output.shape, random));
    SortDistinct(positions);
  }
  return positions;
}

std::vector<double> Evaluate(const Operator& op,
                             const std::vector<std::span<const std::byte>>& tensors,
                             std::span<const int64_t> elements) {
  CHECK(tensors.size() == op.tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t bytes = ElementCount(op.tensors[i]) * DtypeBytes(op.tensors[i].dtype);
    CHECK(i == op.output.tensor || tensors[i].size() == bytes) << op.tensors[i].name;
  }
  Evaluation evaluation(op, tensors);
  std::vector<double> values;
  values.reserve(elements.size());
  for (const int64_t element : elements) values.push_back(evaluation.At(element));
  return values;
}

}  // namespace burnish::op
