// Who may call what: one row per method of every service. A method without a row is refused.
#pragma once

#include <map>
#include <string>

namespace burnish::auth {

enum class Access {
  // Callers on this machine (loopback and unix sockets); with --insecure everybody.
  kLocal,
};

// By full method name, as gRPC writes it: /burnish.v1.JobService/Submit.
using PolicyTable = std::map<std::string, Access>;

const PolicyTable& DefaultPolicy();

}  // namespace burnish::auth
