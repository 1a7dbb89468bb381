// What every command of `burnish` accepts, and the exit codes that scripts rely on.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/net/transport.h"

namespace burnish::cli {

enum ExitCode {
  kExitDone = 0,
  kExitJobFailed = 1,
  kExitUsage = 2,
  kExitUnreachable = 3,
  kExitNotAllowed = 4,
  kExitInterrupted = 5,
  kExitTimeout = 6,
};

// What the command line says of the place to act at; empty where it says nothing.
struct PlaceFlags {
  std::string server;
  std::string context;
  std::string owner;  // --namespace
  net::DialOptions dial;
};

// The server that a command acts on, and as whom; found by context.h.
struct Place {
  std::string server;   // empty: the private server of this machine
  std::string context;  // name of the context that was chosen; empty if none
  std::string owner = "default";
  net::DialOptions dial;
  std::string token;  // never printed
  // Where each was said: `--server`, `BURNISH_SERVER`, the path of a file.
  std::string server_from = "default";
  std::string owner_from = "default";
  std::string token_from;
};

struct GlobalOptions {
  std::string program = "burnish";  // as it was called, for commands to copy
  PlaceFlags flags;
  Place place;  // resolved before a verb that acts on a server runs
  bool json = false;
  bool quiet = false;
  bool yes = false;            // answers questions
  std::string color = "auto";  // or always, never
  double connect_timeout_seconds = 10;

  // A command to type next, at the same place.
  std::string Command(const std::string& verb_and_arguments) const {
    std::string command = absl::StrCat(program, " ", verb_and_arguments);
    const auto add = [&command](const char* flag, const std::string& value) {
      if (!value.empty()) absl::StrAppend(&command, " ", flag, " ", value);
    };
    add("--server", flags.server);
    add("--context", flags.context);
    add("--namespace", flags.owner);
    add("--ca", flags.dial.tls.ca);
    add("--tls-certificate", flags.dial.tls.certificate);
    add("--tls-key", flags.dial.tls.key);
    if (flags.dial.insecure) absl::StrAppend(&command, " --insecure");
    return command;
  }
  absl::Duration connect_timeout() const { return absl::Seconds(connect_timeout_seconds); }
};

}  // namespace burnish::cli
