// Locks the clocks of NVIDIA GPUs for as long as an agent runs, and restores them however it ends.
//
// A process of its own does that, the keeper: it locks, waits until its standard input closes,
// which happens when the agent ends or dies, and restores. It leaves a note on disk meanwhile, by
// which the next agent restores if the keeper was killed too, or the machine went down.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"

namespace burnish::sensors {

// The first argument that makes a program the keeper, before those of KeepClocks().
inline constexpr const char* kClockKeeper = "keep-clocks";
// Arguments: MHZ NOTE LIBRARY. Gives the exit code.
int KeepClocks(const std::vector<std::string>& arguments);

// If there is a note.
absl::Status RestoreLeftClocks(const std::string& note, const std::string& nvml_library);

// A keeper at work. Destroying it has the clocks restored.
class ClockLock {
 public:
  // Runs this program again as the keeper; once it is there, the clocks are locked.
  static absl::StatusOr<std::unique_ptr<ClockLock>> Start(int megahertz, const std::string& note,
                                                          const std::string& nvml_library);
  ~ClockLock();

 private:
  ClockLock(ChildProcess keeper, UniqueFd to_keeper, std::string note, std::string nvml_library)
      : keeper_(std::move(keeper)),
        to_keeper_(std::move(to_keeper)),
        note_(std::move(note)),
        nvml_library_(std::move(nvml_library)) {}

  ChildProcess keeper_;
  UniqueFd to_keeper_;
  const std::string note_;
  const std::string nvml_library_;
};

}  // namespace burnish::sensors
