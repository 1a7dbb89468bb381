#include "common/telemetry/build_info.h"

#include "common/base/version.h"

namespace burnish::telemetry {

void AddBuildInfo(Metrics& metrics, std::string_view schema) {
  metrics.Gauges(kBuildInfo).With({kVersion, BURNISH_COMMIT, schema}).Set(1);
}

}  // namespace burnish::telemetry
