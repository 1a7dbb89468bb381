// What the server knows of jobs, devices and measurements, as tables (table.h) and, for devices,
// as documents. Pure.
#pragma once

#include <vector>

#include "absl/time/time.h"
#include "client/cli/connection.h"
#include "client/cli/table.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {

// One row per task, in the jobs' order. `jobs` receives each row's position in the list.
Table JobTable(const pb::ListReply& list, absl::Time now, std::vector<int>& jobs);
Table DeviceTable(const pb::DevicesReply& reply);
nlohmann::ordered_json DeviceDocument(const pb::Device& device);
// Every parameter is a column; one that is named like another column has `configuration.` before
// its name.
Table RecordTable(const std::vector<pb::Record>& records);

}  // namespace burnish::cli
