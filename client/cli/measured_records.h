// The measurements of a job as a measured space, which other tuners' formats can hold. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/export_document.h"
#include "common/measured/measured_space.h"

namespace burnish::cli {

// The records of one task, `task_id`; of the job's only one if that is empty. InvalidArgument if
// there are several to choose from, NotFound for an unknown one.
absl::StatusOr<measured::MeasuredSpace> MeasuredSpaceOf(const JobRecords& records,
                                                        const std::string& task_id);

}  // namespace burnish::cli
