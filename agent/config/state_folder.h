// The folder an agent keeps between runs: its id, compiled code, computed reference values,
// big files of tasks, measured roofs, results that the server has not taken. One agent at a time
// holds it, by a lock that ends with the process.
#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/base/unique_fd.h"

namespace burnish::agent {

class StateFolder {
 public:
  // Makes what is missing, takes the lock and clears what a killed agent left half done.
  // FailedPrecondition, naming the folder, if another agent holds it.
  static absl::StatusOr<StateFolder> Open(const std::string& path);

  // The id made at the first start: the host's name and a random suffix.
  absl::StatusOr<AgentId> StoredAgentId() const;

  std::string artefact_folder() const { return path_ + "/artefacts"; }
  std::string reference_folder() const { return path_ + "/references"; }
  std::string blob_folder() const { return path_ + "/blobs"; }
  std::string roofs_folder() const { return path_ + "/roofs"; }
  // There while the clocks of GPUs are locked.
  std::string clocks_note() const { return path_ + "/clocks-locked"; }
  std::string journal_folder() const { return path_ + "/journal"; }

 private:
  StateFolder(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  void RemoveLeftovers() const;

  std::string path_;
  UniqueFd lock_;
};

}  // namespace burnish::agent
