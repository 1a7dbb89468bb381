// Which devices can say what a job's objectives and limits ask of them. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/spec/job_reader.h"
#include "common/work/device.h"

namespace burnish::jobs {

struct Measuring {
  std::vector<work::DeviceInfo> devices;
  std::vector<std::string> warnings;  // one for each device that was left out
};

// InvalidArgument, with the objective's place in the job file and what there is, if no device
// measures all that the job needs.
absl::StatusOr<Measuring> ThoseThatMeasure(const spec::JobText& text, const spec::JobSpec& job,
                                           const std::vector<work::DeviceInfo>& devices);

}  // namespace burnish::jobs
