#include "client/cli/local_schedule.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/worker_probe.h"
#include "common/base/status_macros.h"
#include "common/wire/device.h"
#include "common/work/schedule.h"
#include "server/templates/lowering.h"

namespace burnish::cli {

absl::StatusOr<spec::JobSpec> ScheduledHere(const spec::JobSpec& spec) {
  if (!spec.workload) return spec;
  ASSIGN_OR_RETURN(const std::vector<pb::DeviceInfo> devices, DescribeDevices("cpu"));
  if (devices.empty()) return absl::NotFoundError("this machine has no cpu device");
  ASSIGN_OR_RETURN(const work::DeviceInfo device, wire::FromProto(devices.front()));
  if (!device.unavailable_reason.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(device.name, ": ", device.unavailable_reason));
  }
  ASSIGN_OR_RETURN(const templates::Lowered lowered,
                   templates::Lower(*spec.workload, templates::TargetOf(device, spec.threads)));
  return work::WithSchedule(spec, lowered.schedule);
}

}  // namespace burnish::cli
