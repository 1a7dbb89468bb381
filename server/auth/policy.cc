#include "server/auth/policy.h"

namespace burnish::auth {

const PolicyTable& DefaultPolicy() {
  static const PolicyTable* const table = new PolicyTable{
      {"/burnish.v1.AgentService/Attach", Access::kLocal},
      {"/burnish.v1.AgentService/Fetch", Access::kLocal},
      {"/burnish.v1.BlobService/Stat", Access::kLocal},
      {"/burnish.v1.BlobService/Upload", Access::kLocal},
      {"/burnish.v1.FleetService/SetStanding", Access::kLocal},
      {"/burnish.v1.FleetService/SetShare", Access::kLocal},
      {"/burnish.v1.JobService/Submit", Access::kLocal},
      {"/burnish.v1.JobService/Get", Access::kLocal},
      {"/burnish.v1.JobService/List", Access::kLocal},
      {"/burnish.v1.JobService/Watch", Access::kLocal},
      {"/burnish.v1.JobService/Records", Access::kLocal},
      {"/burnish.v1.JobService/Cancel", Access::kLocal},
      {"/burnish.v1.JobService/Pause", Access::kLocal},
      {"/burnish.v1.JobService/Finish", Access::kLocal},
      {"/burnish.v1.JobService/Resume", Access::kLocal},
      {"/burnish.v1.JobService/Devices", Access::kLocal},
      {"/burnish.v1.JobService/Hold", Access::kLocal},
  };
  return *table;
}

}  // namespace burnish::auth
