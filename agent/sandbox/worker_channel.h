// What the agent asks of a worker, in domain terms. A worker runs foreign code and its compiler,
// so every call has a deadline, can be stopped from another thread, and may fail for reasons that
// have nothing to do with the candidate: those are statuses, while what became of the candidate is
// an outcome in the answer.
//
// One call at a time; calls come from one thread that lives as long as the channel (a worker dies
// with the thread that started it). Stopping the token kills the worker; the next call starts
// another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/space/search_space.h"
#include "common/work/device.h"
#include "common/work/measurement.h"
#include "common/work/task_definition.h"

namespace burnish::agent {

// Compiled code where the workers run; an empty path is none.
struct Artefact {
  std::string path;
  std::string key;
};

struct CompileOrder {
  std::string backend;
  std::shared_ptr<const work::TaskDefinition> task;
  std::optional<space::Configuration> configuration;  // absent: the task's reference
  std::string artefact_folder;
  std::optional<absl::Duration> time_limit = {};  // less than the task's
};

struct CompileResult {
  work::Outcome outcome = work::Outcome::kInfrastructure;
  std::string message;
  Artefact artefact;
  double seconds = 0;
  bool cached = false;  // it was there already
};

// What measuring and comparing have in common.
struct RunTarget {
  std::string backend;
  int32_t device_index = 0;
  std::shared_ptr<const work::TaskDefinition> task;
  TaskHash task_hash;
  std::string reference_folder;  // cache of computed reference values
  Artefact reference;
};

struct Candidate {
  space::Configuration configuration;
  Artefact artefact;
};

struct MeasureOrder {
  RunTarget target;
  Candidate candidate;
  uint64_t seed = 0;             // of what a device that answers by itself draws at random
  double incumbent_seconds = 0;  // what is clearly slower is not timed to the end; 0: all is
};

struct CompareOrder {
  RunTarget target;
  std::vector<Candidate> finalists;
  int rounds = 0;
  uint64_t order_seed = 0;
};

struct RoofOrder {
  std::string backend;
  int32_t device_index = 0;
  std::string artefact_folder;
};

// Bounds of one call.
struct CallLimits {
  absl::Duration timeout;
  std::stop_token stop;
};

// Errors: Cancelled (stopped), DeadlineExceeded (hung, killed), Unavailable (died), Internal
// (spoke nonsense, killed), InvalidArgument (it refused the request).
class WorkerChannel {
 public:
  virtual ~WorkerChannel() = default;
  virtual absl::StatusOr<std::vector<work::DeviceInfo>> Describe(const std::string& backend,
                                                                 const CallLimits& limits) = 0;
  virtual absl::StatusOr<CompileResult> Compile(const CompileOrder& order,
                                                const CallLimits& limits) = 0;
  virtual absl::StatusOr<work::Measurement> Measure(const MeasureOrder& order,
                                                    const CallLimits& limits) = 0;
  virtual absl::StatusOr<work::Comparison> Compare(const CompareOrder& order,
                                                   const CallLimits& limits) = 0;
  // Empty, with a reason, for a device that has none.
  virtual absl::StatusOr<work::Roofs> MeasureRoofs(const RoofOrder& order,
                                                   const CallLimits& limits) = 0;
};

enum class WorkerRole {
  kBuild,  // compiles
  kRun,    // verifies and times, and measures what the device can do at most
};

using WorkerFactory = std::function<std::unique_ptr<WorkerChannel>(WorkerRole)>;

}  // namespace burnish::agent
