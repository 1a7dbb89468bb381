#include "tests/e2e/jobs.h"

#include "absl/strings/str_cat.h"

namespace burnish::e2e {
namespace {

std::string Modes(int modes) {
  std::string list;
  for (int mode = 0; mode < modes; ++mode) absl::StrAppend(&list, mode > 0 ? ", " : "", mode);
  return list;
}

}  // namespace

std::string WriteSmallJob(const TemporaryFolder& folder, const SmallJob& job) {
  folder.Write("kernel.cc", absl::StrCat(R"(void scale(const float* a, float* c, int n) {
)",
                                         job.body, R"(
  for (int i = 0; i < n; i += UNROLL) {
    for (int u = 0; u < UNROLL; ++u) c[i + u] = 2.0f * a[i + u];
  }
}
)"));
  folder.Write("reference.cc", R"(extern "C" void scale_reference(const float* a, float* c, int n) {
  for (int i = 0; i < n; ++i) c[i] = 2.0f * a[i];
}
)");
  return folder.Write("job.yaml", absl::StrCat(R"(name: scale
kernel:
  language: cpp
  source: {file: kernel.cc}
  entry: scale
  arguments:
    - {name: a, dtype: f32, shape: [n], fill: uniform}
    - {name: c, dtype: f32, shape: [n], role: output}
    - {name: n, dtype: i32, value: n}
  constants: {n: 4096}
  reference: )",
                                               job.reference, "\n  work: ", job.work, R"(
  parameters:
    UNROLL: [1, 2, 4, 8]
    MODE: [)",
                                               Modes(job.modes), R"(]
  constraints: ["n % UNROLL == 0"]
objectives: [latency]
budget: {trials: )",
                                               job.trials, R"(}
)",
                                               job.extra_yaml));
}

}  // namespace burnish::e2e
