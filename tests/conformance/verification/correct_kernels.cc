#include "tests/conformance/verification/correct_kernels.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/op/einsum.h"

namespace burnish::verification {
namespace {

constexpr uint64_t kSeeds = 5;

// T: what is read; A: what sums are kept in.
constexpr char kSums[] = R"(
template <typename F>
A Pairwise(int width, int from, int to, const F& term) {
  if (to - from > width) {
    const int middle = from + (to - from) / 2;
    return A(Pairwise(width, from, middle, term) + Pairwise(width, middle, to, term));
  }
  A sum = 0;
  for (int i = from; i < to; ++i) sum += term(i);
  return sum;
}

template <typename F>
A Sum(int variant, int n, const F& term) {
  const int width = 1 << variant / 8 % 5;
  A sum = 0;
  switch (variant % 8) {
    case 0:
      for (int i = 0; i < n; ++i) sum += term(i);
      return sum;
    case 1:
      for (int i = n; i-- > 0;) sum += term(i);
      return sum;
    case 2: {
      A lanes[16] = {};
      for (int i = 0; i < n; ++i) lanes[i % width] += term(i);
      for (const A lane : lanes) sum += lane;
      return sum;
    }
    case 3:
      return Pairwise(width, 0, n, term);
    case 4:
      for (int from = 0; from < n; from += width) {
        A block = 0;
        for (int i = from; i < n && i < from + width; ++i) block += term(i);
        sum += block;
      }
      return sum;
    case 5:
      for (int first = 0; first < width; ++first) {
        for (int i = first; i < n; i += width) sum += term(i);
      }
      return sum;
    case 6: {
      A lost = 0;
      for (int i = 0; i < n; ++i) {
        const A next = term(i) - lost;
        const A together = sum + next;
        lost = (together - sum) - next;
        sum = together;
      }
      return sum;
    }
    default: {
      double wide = 0;
      for (int i = 0; i < n; ++i) wide += term(i);
      return A(wide);
    }
  }
}
)";

constexpr char kMatmul[] = R"(
template <typename X> A Load(X x) { return x; }
A Load(unsigned short bf16) {
  const unsigned bits = bf16 << 16;
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

void Element(const T* a, const T* b, const A* bias, A* c, int variant, int m, int n) {
  const A sum = Sum(variant, K, [&](int k) { return Load(a[m * K + k]) * Load(b[k * N + n]); });
  c[m * N + n] = sum + bias[n] > 0 ? sum + bias[n] : 0;
}

void kernel(const T* a, const T* b, const A* bias, A* c, int variant) {
  if (variant % 3 == 0) {
    for (int m = 0; m < M; ++m) for (int n = 0; n < N; ++n) Element(a, b, bias, c, variant, m, n);
  } else if (variant % 3 == 1) {
    for (int n = N; n-- > 0;) for (int m = 0; m < M; ++m) Element(a, b, bias, c, variant, m, n);
  } else {
    for (int i = 0; i < M * N; ++i) Element(a, b, bias, c, variant, i / N, i % N);
  }
}
)";

// One thread for the even rows, one for the odd ones, in a third of the variants.
constexpr char kRows[] = R"(
#include <pthread.h>

struct Work { const T* x; T* y; int variant, first, step; };

void* Run(void* argument) {
  const Work& w = *static_cast<const Work*>(argument);
  for (int r = w.first; r < ROWS; r += w.step) Row(w.x + r * N, w.y + r * OUT, w.variant);
  return nullptr;
}

void kernel(const T* x, T* y, int variant) {
  if (variant % 3 != 0 || ROWS == 1) {
    Work all = {x, y, variant, 0, 1};
    Run(&all);
    return;
  }
  Work even = {x, y, variant, 0, 2}, odd = {x, y, variant, 1, 2};
  pthread_t thread;
  if (pthread_create(&thread, nullptr, Run, &odd) != 0) __builtin_trap();
  Run(&even);
  pthread_join(thread, nullptr);
}
)";

struct RowText {
  const char* name;
  int64_t rows, length;
  bool one;  // result per row
  const char* text;
};

// By RowKind.
constexpr RowText kRowTexts[] = {{"sum", 24, 300, true, R"(
void Row(const T* x, T* y, int variant) {
  y[0] = Sum(variant, N, [&](int i) { return A(x[i]); });
}
)"},
                                 {"total", 1, 100'000, true, R"(
void Row(const T* x, T* y, int variant) {
  y[0] = Sum(variant, N, [&](int i) { return A(x[i]); });
}
)"},
                                 {"softmax", 24, 100, false, R"(
void Row(const T* x, T* y, int variant) {
  A high = x[0];
  for (int i = 1; i < N; ++i) if (A(x[i]) > high) high = x[i];
  const A sum = Sum(variant, N, [&](int i) { return A(__builtin_exp(x[i] - high)); });
  for (int i = 0; i < N; ++i) y[i] = A(__builtin_exp(x[i] - high)) / sum;
}
)"},
                                 {"layernorm", 24, 200, false, R"(
void Row(const T* x, T* y, int variant) {
  const A mean = Sum(variant, N, [&](int i) { return A(x[i]); }) / N;
  const A squares = Sum(variant, N, [&](int i) { return (x[i] - mean) * (x[i] - mean); });
  const A scale = 1 / __builtin_sqrt(squares / N + 1e-5);
  for (int i = 0; i < N; ++i) y[i] = (x[i] - mean) * scale;
}
)"},
                                 {"maximum", 24, 100, true, R"(
void Row(const T* x, T* y, int variant) {
  T high = x[0];
  for (int i = 1; i < N; ++i) if (x[i] > high) high = x[i];
  y[0] = high;
}
)"}};

const char* TypeName(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return "double";
    case Dtype::kF16:
      return "_Float16";
    case Dtype::kBf16:
      return "unsigned short";
    case Dtype::kI8:
      return "signed char";
    case Dtype::kI32:
      return "int";
    default:
      CHECK(dtype == Dtype::kF32);
      return "float";
  }
}

std::string Types(const std::string& t, const std::string& a) {
  return absl::StrCat("using T = ", t, ";\nusing A = ", a, ";\n");
}

spec::Argument Buffer(std::string name, Dtype dtype, std::vector<int64_t> shape, spec::Role role) {
  spec::Argument argument;
  argument.name = std::move(name);
  argument.dtype = dtype;
  argument.is_buffer = true;
  argument.shape = std::move(shape);
  argument.role = role;
  return argument;
}

// Of a source, without its arguments but the last.
work::TaskDefinition TaskOf(std::string text, std::vector<spec::Argument> arguments,
                            const std::vector<std::pair<std::string, int64_t>>& constants) {
  work::TaskDefinition task;
  task.problem = "conformance";
  task.arguments = std::move(arguments);
  spec::Argument& variant = task.arguments.emplace_back();
  variant.name = "variant";
  variant.dtype = Dtype::kI32;
  variant.value = expr::Value(int64_t{0});
  spec::Kernel& kernel = task.stages.emplace_back();
  kernel.language = "cpp";
  kernel.source.file = "kernel.cc";
  kernel.source.text = std::move(text);
  kernel.entry = "kernel";
  kernel.flags = {"-O1"};
  for (const auto& [name, value] : constants) {
    kernel.define.push_back(name);
    task.constants.emplace_back(name, expr::Value(value));
  }
  task.measure.number = 1;
  task.measure.repeat = 1;
  task.measure.warmup = 0;
  return task;
}

std::vector<Family> MakeFamilies() {
  std::vector<Family> families;
  const auto add = [&](const std::string& name, work::TaskDefinition task,
                       std::vector<std::string> flags) {
    families.push_back({absl::StrCat(name, " ", absl::StrJoin(flags, " ")), std::move(task)});
    families.back().task.stages[0].flags = std::move(flags);
  };
  const std::vector<std::string> fast = {"-O3", "-ffast-math", "-march=native"};
  constexpr std::pair<Dtype, Dtype> kFactors[] = {{Dtype::kF32, Dtype::kF32},
                                                  {Dtype::kF64, Dtype::kF64},
                                                  {Dtype::kBf16, Dtype::kF32},
                                                  {Dtype::kI8, Dtype::kI32}};
  for (const auto& [factors, output] : kFactors) {
    for (const std::vector<std::string>& flags : {{"-O0"}, {"-O2"}, fast}) {
      add(absl::StrCat("matmul ", DtypeName(factors)), MatmulTask(factors, output), flags);
    }
  }
  for (const RowKind kind :
       {RowKind::kSum, RowKind::kTotal, RowKind::kSoftmax, RowKind::kLayerNorm}) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kF16}) {
      if (kind == RowKind::kTotal && dtype == Dtype::kF16) continue;  // beyond its range
      const std::string name =
          absl::StrCat(kRowTexts[static_cast<size_t>(kind)].name, " ", DtypeName(dtype));
      add(name, RowTask(kind, dtype), {"-O1"});
      add(name, RowTask(kind, dtype), fast);
    }
  }
  // Half precision may keep its sums in half precision too.
  work::TaskDefinition halves = RowTask(RowKind::kSum, Dtype::kF16);
  std::string& text = halves.stages[0].source.text;
  text.replace(text.find("A = float"), 9, "A = _Float16");
  add("sum f16 in f16", std::move(halves), {"-O1"});
  return families;
}

}  // namespace

work::TaskDefinition MatmulTask(Dtype factors, Dtype output) {
  const op::EinsumOptions options = {.name = "matmul",
                                     .expression = "mk,kn->mn",
                                     .extents = {{"m", 33}, {"n", 47}, {"k", 70}},
                                     .a = factors,
                                     .b = factors,
                                     .output = output,
                                     .epilogue = {"bias", "relu"}};
  const op::Operator op = op::Einsum(options).value();
  std::vector<spec::Argument> arguments;
  for (const op::Tensor& tensor : op.tensors) {
    const bool is_output = &tensor == &op.tensors.back();
    arguments.push_back(Buffer(tensor.name, tensor.dtype, tensor.shape,
                               is_output ? spec::Role::kOutput : spec::Role::kInput));
  }
  work::TaskDefinition task =
      TaskOf(absl::StrCat(Types(TypeName(factors), TypeName(output)), kSums, kMatmul),
             std::move(arguments), {{"M", 33}, {"N", 47}, {"K", 70}});
  task.reference.kind = spec::Reference::Kind::kOperator;
  task.reference.op = op;
  return task;
}

work::TaskDefinition RowTask(RowKind kind, Dtype dtype) {
  const RowText& row = kRowTexts[static_cast<size_t>(kind)];
  std::vector<int64_t> result = {row.rows};
  if (!row.one) result.push_back(row.length);
  const std::string text = absl::StrCat(kSums, row.text, kRows);
  const std::string sums = dtype == Dtype::kF16 ? "float" : TypeName(dtype);
  const int64_t out = row.one ? 1 : row.length;
  work::TaskDefinition task =
      TaskOf(Types(TypeName(dtype), sums) + text,
             {Buffer("x", dtype, {row.rows, row.length}, spec::Role::kInput),
              Buffer("y", dtype, std::move(result), spec::Role::kOutput)},
             {{"ROWS", row.rows}, {"N", row.length}, {"OUT", out}});
  task.reference.kind = spec::Reference::Kind::kFunction;
  task.reference.language = "cpp";
  task.reference.source.file = "reference.cc";
  task.reference.source.text =
      absl::StrCat("enum { ROWS = ", row.rows, ", N = ", row.length, ", OUT = ", out, " };\n",
                   Types(TypeName(dtype), "double"), text,
                   "void reference(const T* x, T* y, int) { kernel(x, y, 1); }\n");
  task.reference.entry = "reference";
  return task;
}

work::TaskDefinition Variant(work::TaskDefinition task, int64_t variant) {
  task.arguments.back().value = expr::Value(variant);
  task.input_seed = 1 + static_cast<uint64_t>(variant) % kSeeds;
  return task;
}

const std::vector<Family>& Families() {
  static const std::vector<Family>& families = *new std::vector<Family>(MakeFamilies());
  return families;
}

}  // namespace burnish::verification
