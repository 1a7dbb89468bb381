// The command line and environment of burnish-agent, checked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/base/log.h"
#include "common/flags/flags.h"
#include "common/net/address.h"
#include "common/net/transport.h"
#include "common/spec/isolation_level.h"

namespace burnish::agent {

// What the devices can do at most.
enum class MeasureRoofs {
  kAuto,    // unless it is known from before
  kAlways,  // at every start
  kNever,
};

struct AgentConfig {
  net::ServerAddress server;
  std::string state_folder;
  std::vector<std::string> backends;
  std::vector<std::string> replay_records;  // files that the devices of backend replay answer from
  bool replay_noise = false;
  std::map<std::string, std::string> labels;
  std::optional<AgentId> agent_id;  // absent: the one kept in the state folder
  int prefetch = 4;                 // leases held per device
  int control_interval = 20;        // attempts between two runs of the control kernel; 0: none
  MeasureRoofs measure_roofs = MeasureRoofs::kAuto;
  std::vector<std::string> sensors = {"auto"};  // of power, best first
  std::string sensor_root = "/";                // below which they are looked for
  std::string nvml_library = "libnvidia-ml.so.1";
  std::optional<int> lock_clocks_mhz;  // of NVIDIA GPUs, while this agent runs
  double energy_seconds = 5;           // a candidate runs for each trial of its energy
  double sustained_seconds = 60;       // and for its sustained latency
  // Of candidates: the least without which it does not start, and the most to be used.
  spec::IsolationLevel isolation = spec::IsolationLevel::kNone;
  spec::IsolationLevel isolation_ceiling = spec::IsolationLevel::kFull;
  std::optional<int64_t> candidate_memory_mib;  // absent: a quarter of the machine's
  std::vector<std::string> worker_prefix;  // a command by which workers are reached; empty: here
  std::string worker_folder;               // on the board that it leads to
  std::string worker_program;              // a file here, to be put there
  net::DialOptions dial;
  std::string token_file;  // empty: none
  bool until_stdin_closes = false;
  std::optional<net::ServerAddress> metrics;  // absent: not served
  LogOptions log;
};

// `arguments` without the program's name. InvalidArgument Diagnostics for what cannot be.
absl::StatusOr<std::variant<AgentConfig, InformationText>> ParseCommandLine(
    const std::vector<std::string>& arguments);

// Agent ids stand in device ids and logs: letters, digits, '.', '_' and '-'.
bool IsValidAgentId(std::string_view text);

}  // namespace burnish::agent
