// What is compared: a matrix product of some shape, with its operands in memory and with what its
// output should be. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "agent/verify/buffers.h"
#include "common/op/operator.h"

namespace burnish::bench {

// Zeroed, and on huge pages where there are any.
using Memory = std::unique_ptr<std::byte[], void (*)(std::byte*)>;
Memory Allocate(size_t bytes);

struct Problem {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  bool constant = false;  // b is known ahead and may be packed outside of timed regions
  std::vector<std::string> epilogue = {};
  int threads = 1;
  Dtype a = Dtype::kF32;
  Dtype b = Dtype::kF32;
  Dtype output = Dtype::kF32;

  std::string Shape() const;  // "128x768x3072": m, n, k
  double Flops() const { return 2.0 * static_cast<double>(m * n * k); }
};

class Instance {
 public:
  static absl::StatusOr<Instance> Make(const Problem& problem);

  const Problem& problem() const { return problem_; }
  const op::Operator& op() const { return op_; }
  size_t TensorCount() const { return op_.tensors.size(); }
  void* Tensor(size_t i) const { return layout_.Buffer(Stretch(), i).data(); }
  void* a() const { return Tensor(0); }
  void* b() const { return Tensor(1); }
  void* bias() const { return Tensor(2); }  // where the epilogue has one
  void* output() const { return Tensor(op_.output.tensor); }
  bool Has(const std::string& step) const;

  // FailedPrecondition unless `call` computes the output.
  absl::Status Check(absl::FunctionRef<absl::Status()> call) const;

 private:
  Instance(Problem problem, op::Operator op, std::vector<spec::Argument> arguments);
  std::span<std::byte> Stretch() const { return {memory_.get(), layout_.total_bytes()}; }

  Problem problem_;
  op::Operator op_;
  verify::BufferLayout layout_;  // of the tensors
  Memory memory_;
  std::vector<int64_t> checked_;  // elements of the output
  std::vector<double> expected_;
};

}  // namespace burnish::bench
