#include "tests/bench/matmul/problem.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/verify/compare.h"
#include "agent/verify/fill.h"
#include "agent/verify/poison.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/op/einsum.h"
#include "common/op/evaluate.h"

namespace burnish::bench {
namespace {

constexpr size_t kHugePageBytes = 2 << 20;
constexpr uint64_t kSeed = 1;
constexpr int64_t kCheckedPoints = 1 << 20;

std::vector<spec::Argument> ArgumentsOf(const op::Operator& op) {
  std::vector<spec::Argument> arguments;
  for (const op::Tensor& tensor : op.tensors) {
    spec::Argument argument;
    argument.name = tensor.name;
    argument.dtype = tensor.dtype;
    argument.is_buffer = true;
    argument.shape = tensor.shape;
    if (&tensor == &op.tensors[op.output.tensor]) argument.role = spec::Role::kOutput;
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace

Memory Allocate(size_t bytes) {
  const size_t whole = (bytes + kHugePageBytes) / kHugePageBytes * kHugePageBytes;
  void* const data = std::aligned_alloc(kHugePageBytes, whole);
  CHECK(data != nullptr) << whole << " bytes";
  ::madvise(data, whole, MADV_HUGEPAGE);
  std::memset(data, 0, whole);
  return Memory(static_cast<std::byte*>(data), [](std::byte* memory) { std::free(memory); });
}

std::string Problem::Shape() const { return absl::StrCat(m, "x", n, "x", k); }

Instance::Instance(Problem problem, op::Operator op, std::vector<spec::Argument> arguments)
    : problem_(std::move(problem)),
      op_(std::move(op)),
      layout_(std::move(arguments)),
      memory_(Allocate(layout_.total_bytes())) {}

absl::StatusOr<Instance> Instance::Make(const Problem& problem) {
  op::EinsumOptions options;
  options.name = "matmul";
  options.expression = "mk,kn->mn";
  options.extents = {{"m", problem.m}, {"n", problem.n}, {"k", problem.k}};
  options.a = problem.a;
  options.b = problem.b;
  options.output = problem.output;
  if (problem.constant) options.constant = {"b"};
  options.epilogue = problem.epilogue;
  ASSIGN_OR_RETURN(op::Operator op, op::Einsum(options));
  Instance instance(problem, op, ArgumentsOf(op));
  std::vector<std::span<const std::byte>> tensors;
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const std::span<std::byte> buffer = instance.layout_.Buffer(instance.Stretch(), i);
    verify::FillBuffer(instance.layout_.arguments()[i], kSeed, buffer);
    tensors.push_back(buffer);
  }
  instance.checked_ = op::SampleOutput(op, kSeed, kCheckedPoints);
  instance.expected_ = op::Evaluate(op, tensors, instance.checked_);
  return instance;
}

bool Instance::Has(const std::string& step) const {
  return std::ranges::count(problem_.epilogue, step) > 0;
}

absl::Status Instance::Check(absl::FunctionRef<absl::Status()> call) const {
  const std::span<std::byte> output = layout_.Buffer(Stretch(), op_.output.tensor);
  verify::Poison(output);
  RETURN_IF_ERROR(call());
  const verify::OutputCheck check =
      verify::CompareSampled(layout_.arguments()[op_.output.tensor], output, checked_, expected_);
  if (check.right()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("wrong result: ", check.worst));
}

}  // namespace burnish::bench
