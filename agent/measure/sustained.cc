#include "agent/measure/sustained.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/status_macros.h"

namespace burnish::measure {
namespace {

constexpr int kBatches = 100;
constexpr int kFirst = 12;  // a twelfth of the window
constexpr int kLast = 4;    // a quarter

}  // namespace

absl::StatusOr<std::optional<Sustained>> MeasureSustained(absl::Duration window,
                                                          double latency_seconds, double quantile,
                                                          RunBatch run, const Clock& clock) {
  const double wanted = absl::ToDoubleSeconds(window) / kBatches / latency_seconds;
  const auto launches = static_cast<int64_t>(std::clamp(std::floor(wanted), 1.0, 1e9));
  std::vector<work::Sample> first;
  std::vector<work::Sample> last;
  const absl::Duration start = clock.Monotonic();
  for (absl::Duration at; at < window;) {
    ASSIGN_OR_RETURN(const int64_t elapsed_ns, run(launches));
    at = clock.Monotonic() - start;
    const work::Sample sample{.total_ns = std::max<int64_t>(elapsed_ns, 1), .launches = launches};
    if (at <= window / kFirst) first.push_back(sample);
    if (at > window - window / kLast) last.push_back(sample);
  }
  if (first.empty() || last.empty()) return std::optional<Sustained>();
  const double seconds = Summarise(last, quantile).seconds;
  return Sustained{.seconds = seconds, .ratio = seconds / Summarise(first, quantile).seconds};
}

}  // namespace burnish::measure
