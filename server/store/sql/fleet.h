// Statements on what is decided about devices, and on what namespaces have had of them. Each runs
// inside the caller's transaction and may throw Failure.
#pragma once

#include <string>
#include <vector>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

absl::StatusOr<Standing> ReadStanding(const std::string& name);

absl::Status SetStanding(Connection& connection, absl::Time now, const std::string& device_or_agent,
                         Standing standing, const std::string& reason, const std::string& by);
absl::StatusOr<std::vector<DeviceStanding>> Standings(Connection& connection);
absl::Status RecordCanary(Connection& connection, absl::Time now, const SessionId& session,
                          const DeviceId& device, const work::Measurement& measurement);

// What one stored report cost, and what it says of its device.
struct Charge {
  Namespace owner;
  DeviceId device;
  double seconds = 0;
  bool failed = false;  // `infrastructure`
};
void ChargeDevices(Connection& connection, absl::Time now, const std::vector<Charge>& charges);
std::vector<Share> Shares(Connection& connection, absl::Time now);
absl::Status SetWeight(Connection& connection, absl::Time now, const Namespace& owner,
                       double weight);

}  // namespace burnish::store::sql
