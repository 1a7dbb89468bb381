#include "client/cli/local_schedule.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/worker_probe.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/wire/device.h"
#include "common/work/schedule.h"
#include "server/templates/lowering.h"

namespace burnish::cli {

absl::StatusOr<spec::JobSpec> ScheduledHere(const spec::JobText& job, const spec::JobSpec& spec) {
  if (!spec.workload) return spec;
  ASSIGN_OR_RETURN(const std::vector<pb::DeviceInfo> devices, DescribeDevices("cpu"));
  if (devices.empty()) return absl::NotFoundError("this machine has no cpu device");
  ASSIGN_OR_RETURN(const work::DeviceInfo device, wire::FromProto(devices.front()));
  if (!device.unavailable_reason.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(device.name, ": ", device.unavailable_reason));
  }
  const absl::StatusOr<templates::Lowered> lowered =
      templates::Lower(*spec.workload, templates::TargetOf(device, spec.threads));
  if (!lowered.ok()) {
    return DiagnosticStatus(lowered.status().code(),
                            {.file = job.file_name,
                             .path = "workload",
                             .message = std::string(lowered.status().message())});
  }
  return work::WithSchedule(spec, lowered->schedule);
}

}  // namespace burnish::cli
