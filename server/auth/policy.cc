#include "server/auth/policy.h"

namespace burnish::auth {
namespace {

using store::Role;

PolicyRow Reads() {
  return {.roles = {Role::kViewer, Role::kSubmitter, Role::kAdmin},
          .own_namespace = true,
          .is_routine = true};
}

PolicyRow Changes() { return {.roles = {Role::kSubmitter, Role::kAdmin}, .own_namespace = true}; }

// A chunk of a file at a time.
PolicyRow Uploads() {
  PolicyRow row = Changes();
  row.is_routine = true;
  return row;
}

PolicyRow Administers() { return {.roles = {Role::kAdmin}, .local_first = true}; }

}  // namespace

const PolicyTable& DefaultPolicy() {
  static const PolicyTable* const table = new PolicyTable{
      {"/burnish.v1.AgentService/Attach", {.roles = {Role::kAgent, Role::kAdmin}}},
      {"/burnish.v1.AgentService/Fetch",
       {.roles = {Role::kAgent, Role::kAdmin}, .is_routine = true}},
      {"/burnish.v1.BlobService/Stat", Uploads()},
      {"/burnish.v1.BlobService/Upload", Uploads()},
      {"/burnish.v1.FleetService/SetStanding", {.roles = {Role::kAdmin}}},
      {"/burnish.v1.FleetService/Shares", {.roles = {Role::kAdmin}, .is_routine = true}},
      {"/burnish.v1.FleetService/SetShare", {.roles = {Role::kAdmin}}},
      {"/burnish.v1.ImportService/Import", Changes()},
      {"/burnish.v1.ImportService/List", Reads()},
      {"/burnish.v1.ImportService/Remove", Changes()},
      {"/burnish.v1.JobService/Submit", Changes()},
      {"/burnish.v1.JobService/Get", Reads()},
      {"/burnish.v1.JobService/List", Reads()},
      {"/burnish.v1.JobService/Watch", Reads()},
      {"/burnish.v1.JobService/Records", Reads()},
      {"/burnish.v1.JobService/Source", Reads()},
      {"/burnish.v1.JobService/Cancel", Changes()},
      {"/burnish.v1.JobService/Pause", Changes()},
      {"/burnish.v1.JobService/Finish", Changes()},
      {"/burnish.v1.JobService/Resume", Changes()},
      // The fleet is no team's.
      {"/burnish.v1.JobService/Devices",
       {.roles = {Role::kViewer, Role::kSubmitter, Role::kAdmin}, .is_routine = true}},
      {"/burnish.v1.JobService/Hold", Changes()},
      {"/burnish.v1.TokenService/Create", Administers()},
      {"/burnish.v1.TokenService/List", Administers()},
      {"/burnish.v1.TokenService/Revoke", Administers()},
  };
  return *table;
}

}  // namespace burnish::auth
