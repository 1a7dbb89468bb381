#include "common/work/roofs.h"

#include <algorithm>

namespace burnish::work {
namespace {

// Of the nearest level that holds so much; a bigger working set lies in the farthest.
std::optional<double> BandwidthFor(const Roofs& roofs, int64_t working_set_bytes, int threads) {
  std::optional<double> farthest;
  for (const Bandwidth& bandwidth : roofs.bandwidths) {
    if (bandwidth.threads != threads) continue;
    farthest = bandwidth.bytes_per_second;
    if (working_set_bytes <= bandwidth.capacity_bytes) break;
  }
  return farthest;
}

}  // namespace

std::optional<double> PeakOf(const Roofs& roofs, std::string_view dtype, int threads) {
  const std::string_view measured = dtype == "u8" ? "i8" : dtype;
  for (const Peak& peak : roofs.peaks) {
    if (peak.dtype == measured && peak.threads == threads) return peak.operations_per_second;
  }
  return std::nullopt;
}

int MostThreads(const Roofs& roofs) {
  int threads = 0;
  for (const Peak& peak : roofs.peaks) threads = std::max(threads, peak.threads);
  return threads;
}

std::optional<double> AttainableOperations(const Roofs& roofs, const KernelWork& work) {
  if (work.flops <= 0 || work.bytes <= 0 || work.working_set_bytes <= 0) return std::nullopt;
  std::optional<double> most;
  // More threads are not faster everywhere: a processor's cores share its memory.
  for (const int threads : {1, MostThreads(roofs)}) {
    const std::optional<double> peak = PeakOf(roofs, work.dtype, threads);
    const std::optional<double> bandwidth = BandwidthFor(roofs, work.working_set_bytes, threads);
    if (!peak.has_value() || !bandwidth.has_value()) continue;
    const double attainable = std::min(*peak, work.flops / work.bytes * *bandwidth);
    most = std::max(most.value_or(0), attainable);
  }
  return most;
}

std::optional<double> RoofShare(const Roofs& roofs, const KernelWork& work, double seconds) {
  const std::optional<double> attainable = AttainableOperations(roofs, work);
  if (!attainable.has_value() || *attainable <= 0 || seconds <= 0) return std::nullopt;
  return work.flops / seconds / *attainable;
}

}  // namespace burnish::work
