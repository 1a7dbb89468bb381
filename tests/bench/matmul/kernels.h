// Our kernels: configurations of a schedule made into code, and code written by hand, all by the
// compiler and the loader of the CPU backend.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/backends/backend.h"
#include "common/work/task_definition.h"
#include "server/templates/lowering.h"
#include "tests/bench/matmul/contest.h"
#include "tests/bench/matmul/problem.h"

namespace burnish::bench {

// A configuration that was compiled, has packed what is constant, and gave right results. Its
// contender refers to it.
struct Kernel {
  space::Configuration configuration;
  Memory workspace;
  std::unique_ptr<backends::LoadedKernel> code;

  Contender AsContender(std::string name) const;
};

// For one instance, which outlives it.
class KernelFactory {
 public:
  static absl::StatusOr<KernelFactory> Make(const Instance& instance, std::string folder);

  // The schedule for as many threads as the problem has.
  const templates::Lowered& lowered() const { return lowered_; }
  // Parameters and constraints of the schedule, and that exactly those threads are used.
  const space::SearchSpace& space() const { return space_; }

  // One result for each; compiles on all cores, and measures nothing meanwhile.
  std::vector<absl::StatusOr<Kernel>> Build(
      const std::vector<space::Configuration>& configurations) const;

 private:
  KernelFactory(const Instance& instance, std::string folder, templates::Lowered lowered,
                work::TaskDefinition task, space::SearchSpace space);
  absl::StatusOr<backends::CompileJob> JobFor(const space::Configuration& configuration) const;
  absl::StatusOr<Kernel> Finish(const space::Configuration& configuration,
                                const std::string& artefact_path) const;

  const Instance* instance_;
  std::string folder_;  // of artefacts
  templates::Lowered lowered_;
  work::TaskDefinition task_;
  space::SearchSpace space_;
};

// `source` defines `entry` with pointers of these types; calls it with these addresses.
struct WrittenKernel {
  std::string source;
  std::string entry;
  std::vector<Dtype> types;
  std::vector<void*> addresses;
};
absl::StatusOr<std::function<void()>> CompileWritten(const WrittenKernel& kernel,
                                                     const std::string& folder);

}  // namespace burnish::bench
