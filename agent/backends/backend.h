// What Burnish asks of a kind of accelerator: a compiler, a list of devices, and a loader that
// turns compiled code into a kernel that can be run and timed. Compilers run in build workers,
// loaded kernels in the runner child of a run worker. Backends live as long as the process and are
// thread-safe; a LoadedKernel belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/space/search_space.h"
#include "common/spec/job_spec.h"
#include "common/work/device.h"
#include "common/work/measurement.h"

namespace burnish::backends {

struct CompileJob {
  std::string role = "kernel";  // whose `entry` and `flags` messages speak of; or "reference"
  std::string macros;           // lines put before the source
  spec::Kernel kernel;          // flags with their parameters filled in
  std::vector<spec::Argument> arguments;
  space::Configuration configuration;  // empty for a reference
  std::string artefact_folder;
  absl::Duration timeout;
  int cancel_fd = -1;  // readable or hung up: give up
};

// Compiled code on this host, keyed by source, flags, toolchain and target.
struct Artefact {
  std::string path;
  std::string key;
};

struct CompileResult {
  work::Outcome outcome = work::Outcome::kInfrastructure;
  std::string message = {};
  Artefact artefact = {};  // if ok
  bool cached = false;
};

// What a compiled candidate takes beside the buffers of its arguments.
struct Footprint {
  double variable_bytes = 0;
  double code_bytes = 0;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  // A source that does not compile is an outcome of the result, never an error.
  virtual CompileResult Compile(const CompileJob& job) const = 0;
  // Nothing: it cannot be told. Devices whose compiler can tell measure memory.
  virtual std::optional<Footprint> FootprintOf(const std::string& artefact_path) const {
    return std::nullopt;
  }
};

class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  // Calls the kernel's `prepare`, if it has one: constant inputs and workspaces are in place.
  virtual absl::Status Prepare() = 0;
  // Executes back to back and gives the nanoseconds that took.
  virtual absl::StatusOr<int64_t> Run(int64_t launches) = 0;
  // Empties the device's caches of the buffers, outside any timed region.
  virtual void FlushCaches() = 0;
};

struct LoadJob {
  int32_t device_index = 0;
  std::string artefact_path;
  // One per argument: where its buffer, or its scalar's value, lies. Must outlive the kernel.
  std::vector<void*> arguments;
  // The same as far as `prepare` may see it: other buffers are null.
  std::vector<void*> prepare_arguments;
};

class Loader {
 public:
  virtual ~Loader() = default;
  virtual absl::StatusOr<std::unique_ptr<LoadedKernel>> Load(const LoadJob& job) const = 0;
};

struct RoofJob {
  int32_t device_index = 0;
  std::string artefact_folder;
  absl::Duration time_limit = absl::Seconds(2);  // of measuring; compiling comes on top, once
  int cancel_fd = -1;
};

// Measures what a device can do at most, in a run worker.
class RoofMeter {
 public:
  virtual ~RoofMeter() = default;
  virtual absl::StatusOr<work::Roofs> Measure(const RoofJob& job) const = 0;
};

// For devices that state figures of their own, which nothing here executes, checks or times.
// Results without an environment get the device's.
class Answerer {
 public:
  virtual ~Answerer() = default;
  // What is drawn at random is drawn by `seed`.
  virtual work::Measurement Measure(int32_t device_index, const space::Configuration& configuration,
                                    uint64_t seed) const = 0;
  virtual work::Comparison Compare(int32_t device_index,
                                   const std::vector<space::Configuration>& finalists, int rounds,
                                   uint64_t seed) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  // Devices that can do nothing now are listed too, and say why.
  virtual std::vector<work::DeviceInfo> Devices() const = 0;
  // The quantile of the samples that ranks configurations: 0.5 is the median.
  virtual double ranking_quantile() const = 0;
  virtual const Compiler& compiler() const = 0;
  virtual const Loader& loader() const = 0;
  // Not null: candidates are compiled, but neither loaded nor timed; they are asked of this.
  virtual const Answerer* answerer() const { return nullptr; }
  // Null: its devices do nothing that could have a roof.
  virtual const RoofMeter* roof_meter() const { return nullptr; }
};

}  // namespace burnish::backends
