// Who may call what: one row per method of every service. A method without a row is refused.
#pragma once

#include <map>
#include <set>
#include <string>

#include "server/store/token.h"

namespace burnish::auth {

struct PolicyRow {
  std::set<store::Role> roles;
  bool own_namespace = false;  // the request's namespace has to be one of the token's
  bool local_first = false;    // while there is no token: for callers on this machine only
  bool is_routine = false;     // too many calls to be of interest in the log
};

// By full method name, as gRPC writes it: /burnish.v1.JobService/Submit.
using PolicyTable = std::map<std::string, PolicyRow, std::less<>>;

const PolicyTable& DefaultPolicy();

}  // namespace burnish::auth
