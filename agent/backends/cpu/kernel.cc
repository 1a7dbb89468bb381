#include "agent/backends/cpu/kernel.h"

#include <dlfcn.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "agent/backends/cpu/compiler.h"
#include "agent/backends/cpu/device.h"
#include "common/base/clock.h"

namespace burnish::backends::cpu {
namespace {

constexpr int64_t kFallbackCacheBytes = 32 << 20;

class CpuKernel : public LoadedKernel {
 public:
  CpuKernel(LaunchFunction launch, LaunchFunction prepare, const LoadJob& job)
      : launch_(launch),
        prepare_(prepare),
        arguments_(job.arguments),
        prepare_arguments_(job.prepare_arguments) {}

  absl::Status Prepare() override {
    if (prepare_ != nullptr) prepare_(prepare_arguments_.data());
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> Run(int64_t launches) override {
    const absl::Duration start = SystemClock().Monotonic();
    for (int64_t i = 0; i < launches; ++i) launch_(arguments_.data());
    return absl::ToInt64Nanoseconds(SystemClock().Monotonic() - start);
  }

  void FlushCaches() override {
    if (flush_.empty()) {
      const int64_t cache_bytes = std::max(HostCpu().LastLevelCacheBytes(), kFallbackCacheBytes);
      flush_.resize(2 * cache_bytes / sizeof(int64_t));
    }
    for (int64_t& word : flush_) ++word;
  }

 private:
  const LaunchFunction launch_;
  const LaunchFunction prepare_;  // null: there is none
  std::vector<void*> arguments_;
  std::vector<void*> prepare_arguments_;
  std::vector<int64_t> flush_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LoadedKernel>> CpuLoader::Load(const LoadJob& job) const {
  void* library = ::dlopen(job.artefact_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the compiled kernel does not load: ", ::dlerror()));
  }
  void* symbol = ::dlsym(library, kLaunchSymbol);
  if (symbol == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("the artefact lacks ", kLaunchSymbol));
  }
  void* prepare = ::dlsym(library, kPrepareSymbol);
  return std::make_unique<CpuKernel>(reinterpret_cast<LaunchFunction>(symbol),
                                     reinterpret_cast<LaunchFunction>(prepare), job);
}

}  // namespace burnish::backends::cpu
