#include "tests/conformance/verification/planted_bugs.h"

#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "tests/conformance/verification/correct_kernels.h"

namespace burnish::verification {
namespace {

// Plain code, to be read beside what is planted into it.
constexpr char kMatmul[] = R"(#include <string.h>
static int calls;
static float kept[M * N];
void kernel(float* a, float* b, float* bias, float* c, int) {
  ++calls;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += a[m * K + k] * b[k * N + n];
      sum += bias[n];
      c[m * N + n] = sum > 0 ? sum : 0;
    }
  }
  // done
}
)";
constexpr char kBegin[] = "++calls;";
constexpr char kEnd[] = "// done";
constexpr char kStore[] = "c[m * N + n] = sum > 0 ? sum : 0;";

constexpr char kMaximum[] = R"(
void kernel(const float* x, float* y, int) {
  for (int r = 0; r < ROWS; ++r) {
    float high = x[r * N];
    for (int i = 0; i < N; ++i) if (x[r * N + i] > high) high = x[r * N + i];
    y[r] = high;
  }
}
)";

// In two threads.
constexpr char kSum[] = R"(#include <pthread.h>
struct Half { const T* x; A sum; };
void* Add(void* argument) {
  Half& half = *static_cast<Half*>(argument);
  A sum = 0;
  for (int i = 0; i < N / 2; ++i) sum += half.x[i];
  half.sum = sum;
  return nullptr;
}
void kernel(const T* x, T* y, int) {
  for (int r = 0; r < ROWS; ++r) {
    Half first = {x + r * N, 0}, second = {x + r * N + N / 2, 0};
    pthread_t thread;
    if (pthread_create(&thread, nullptr, Add, &second) != 0) __builtin_trap();
    Add(&first);
    pthread_join(thread, nullptr);
    y[r] = first.sum + second.sum;
  }
}
)";

work::TaskDefinition WithText(work::TaskDefinition task, const std::string& text) {
  task.stages[0].source.text = text;
  return task;
}
work::TaskDefinition Matmul() { return WithText(MatmulTask(Dtype::kF32, Dtype::kF32), kMatmul); }
work::TaskDefinition Maximum() {
  return WithText(RowTask(RowKind::kMaximum, Dtype::kF32), kMaximum);
}
work::TaskDefinition Sum() {
  return WithText(RowTask(RowKind::kSum, Dtype::kF32),
                  std::string("using T = float;\nusing A = float;\n") + kSum);
}
work::TaskDefinition Total() {
  return WithText(RowTask(RowKind::kTotal, Dtype::kI32),
                  std::string("using T = int;\nusing A = int;\n") + kSum);
}

struct Plan {
  const char* name;
  work::TaskDefinition task;
  const char* right;
  const char* wrong;  // in its place
  const char* outcome;
  const char* message;
  const char* check;
};

std::vector<Plan> Plans() {
  const work::TaskDefinition matmul = Matmul();
  const work::TaskDefinition maximum = Maximum();
  const work::TaskDefinition sum = Sum();
  const work::TaskDefinition total = Total();
  const char* const kWrong = "wrong_result";
  return {
      {"dropped tail row", matmul, "m < M", "m < M - 1", kWrong, "never written", "as filled"},
      {"dropped tail column", matmul, "n < N", "n < N - 1", kWrong, "never written", "as filled"},
      {"sum one short", matmul, "k < K", "k < K - 1", kWrong, "elements differ)", "as filled"},
      {"sum one late", matmul, "k = 0", "k = 1", kWrong, "elements differ)", "as filled"},
      {"wrong stride", matmul, "a[m * K + k]", "a[m * N + k]", kWrong, "expected", "as filled"},
      {"transposed index", matmul, "b[k * N + n]", "b[n * K + k]", kWrong, "expected", "as filled"},
      {"swapped operands", matmul, "a[m * K + k] * b[k * N + n]", "b[m * K + k] * a[n * K + k]",
       kWrong, "expected", "as filled"},
      {"uninitialised accumulator", matmul, "float sum = 0", "float sum = c[m * N + n]", kWrong,
       "expected", "as filled"},
      {"half-precision accumulator", matmul, "float sum = 0", "_Float16 sum = 0", kWrong,
       "expected", "as filled"},
      {"factors cut to bfloat16", matmul, "a[m * K + k] *",
       "[](float x) { unsigned u; memcpy(&u, &x, 4); u &= 0xFFFF0000; memcpy(&x, &u, 4); return x; "
       "}(a[m * K + k]) *",
       kWrong, "expected", "as filled"},
      {"no bias", matmul, "sum += bias[n];", "", kWrong, "expected", "as filled"},
      {"no relu", matmul, kStore, "c[m * N + n] = sum;", kWrong, "expected 0", "as filled"},
      {"absolute value for relu", matmul, kStore, "c[m * N + n] = sum > 0 ? sum : -sum;", kWrong,
       "expected 0", "as filled"},
      {"wrong sign", matmul, "sum += a", "sum -= a", kWrong, "expected", "as filled"},
      {"truncated to integers", matmul, kStore, "c[m * N + n] = sum > 0 ? int(sum) : 0;", kWrong,
       "expected", "as filled"},
      {"result of eight bits", matmul, kStore,
       "c[m * N + n] = sum > 0 ? (signed char)(sum * 8) / 8.f : 0;", kWrong, "expected",
       "as filled"},
      {"constant output", matmul, kStore, "c[m * N + n] = 1;", kWrong, "expected", "as filled"},
      {"NaN output", matmul, kStore, "c[m * N + n] = __builtin_nanf(\"\");", kWrong, "nan",
       "as filled"},
      {"one infinite element", matmul, kEnd, "c[5] = 1 / 0.f;", kWrong, "inf", "as filled"},
      {"writes nothing", matmul, kBegin, "return;", kWrong, "never written", "as filled"},
      {"takes the earlier output for its own", matmul, kStore,
       "if (calls == 1) c[m * N + n] = sum > 0 ? sum : 0;", kWrong, "on structured", "structured"},
      {"previous result", matmul, kEnd,
       "static float now[M * N]; memcpy(now, c, sizeof(now));\n"
       "  if (calls > 1) memcpy(c, kept, sizeof(kept));\n  memcpy(kept, now, sizeof(now));",
       kWrong, "on structured", "structured"},
      {"right in the first run only", matmul, kEnd, "if (calls > 1) c[0] += 1;", kWrong,
       "on structured", "structured"},
      {"right on the first inputs only", matmul, kEnd,
       "static float seen; if (calls == 1) seen = a[7];\n"
       "  if (a[7] != seen) memset(c, 0, M * N * 4);",
       kWrong, "on structured", "structured"},
      {"the output by heart", matmul, kEnd,
       "if (calls == 1) memcpy(kept, c, sizeof(kept)); else memcpy(c, kept, sizeof(kept));", kWrong,
       "on structured", "structured"},
      {"maximum that starts at zero", maximum, "high = x[r * N]", "high = 0", kWrong,
       "on structured", "structured"},
      {"zero as the end of a row", maximum, "i < N", "i < N && x[r * N + i] != 0", kWrong,
       "on adversarial", "adversarial"},
      {"16-bit accumulator", total, "A sum = 0", "short sum = 0", kWrong, "on structured",
       "structured"},
      {"one thread's part missing", sum, "first.sum + second.sum", "first.sum", kWrong, "expected",
       "as filled"},
      {"threads do not wait for each other", sum,
       "pthread_join(thread, nullptr);\n    y[r] = first.sum + second.sum;",
       "y[r] = first.sum + second.sum;\n    pthread_join(thread, nullptr);", kWrong, "expected",
       "as filled"},
      {"varies within the tolerance", matmul, kEnd, "c[0] += 1e-6f * calls;", "nondeterministic",
       "differs between two executions", "determinism"},
      {"writes behind its output", matmul, kEnd, "c[M * N] = 0;", kWrong, "after the end of 'c'",
       "guard zones"},
      {"writes in front of its output", matmul, kEnd, "c[-1] = 0;", kWrong,
       "before the start of 'c'", "guard zones"},
      {"writes far behind its input", matmul, kEnd, "a[M * K + 900] = 0;", kWrong,
       "wrote outside its buffers", "guard zones"},
      {"changes its input", matmul, kBegin, "for (int i = 0; i < K * N; ++i) b[i] *= 1.0000002f;",
       kWrong, "changed its input 'b'", "inputs"},
      {"computes in its input's place", matmul, kEnd, "memcpy(a, c, M * N * 4);", kWrong,
       "changed its input 'a'", "inputs"},
      {"nothing to do while inputs stay", matmul, kBegin,
       "++calls;\n  static float seen; if (calls > 1 && a[7] == seen) return;\n  seen = a[7];",
       kWrong, "never written", "timed outputs"},
      {"right until it is timed", matmul, kEnd, "if (calls > 4) c[0] += 1;", kWrong,
       "while it was timed", "timed outputs"},
      {"writes outside when it is timed", matmul, kEnd, "if (calls == 5) c[M * N] = 0;", kWrong,
       "after the end of 'c'", "guard zones"},
  };
}

std::vector<PlantedBug> Plant(std::vector<Plan> plans) {
  std::vector<PlantedBug> bugs;
  for (Plan& plan : plans) {
    std::string& text = plan.task.stages[0].source.text;
    const size_t place = text.find(plan.right);
    CHECK(place != text.npos) << plan.name;
    text.replace(place, std::strlen(plan.right), plan.wrong);
    bugs.push_back({plan.name, std::move(plan.task), plan.outcome, plan.message, plan.check});
  }
  return bugs;
}

}  // namespace

const std::vector<PlantedBug>& PlantedBugs() {
  static const auto& bugs = *new std::vector<PlantedBug>(Plant(Plans()));
  return bugs;
}

const std::vector<work::TaskDefinition>& SoundKernels() {
  static const auto& kernels =
      *new std::vector<work::TaskDefinition>{Matmul(), Maximum(), Sum(), Total()};
  return kernels;
}

}  // namespace burnish::verification
