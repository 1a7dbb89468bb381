// The folders of a private server: its data folder, which one server at a time owns, and the folder
// of its socket, which nobody else may look into.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/unique_fd.h"

namespace burnish::server {

// Owned for the lifetime of this object, by a lock that the kernel gives up with the process.
class PrivateDataFolder {
 public:
  // Makes the folder if needed. AlreadyExists if another server owns it.
  static absl::StatusOr<PrivateDataFolder> Own(const std::string& path);
  PrivateDataFolder(PrivateDataFolder&&) = default;
  PrivateDataFolder& operator=(PrivateDataFolder&&) = delete;
  ~PrivateDataFolder();  // takes the announcement back

  const std::string& path() const { return path_; }
  // Writes server.json with this process's id and the address.
  absl::Status Announce(const std::string& address);

 private:
  PrivateDataFolder(std::string path, UniqueFd lock);
  std::string path_;
  UniqueFd lock_;  // invalid when moved from
};

// The folder is made if needed and has to be this user's alone; a socket that a dead server left in
// it is removed.
class PrivateSocketFolder {
 public:
  static absl::StatusOr<PrivateSocketFolder> Prepare(const std::string& socket_path);
  PrivateSocketFolder(PrivateSocketFolder&& other) noexcept;
  PrivateSocketFolder& operator=(PrivateSocketFolder&&) = delete;
  ~PrivateSocketFolder();  // removes the socket and the folder

 private:
  explicit PrivateSocketFolder(std::string socket_path) : socket_path_(std::move(socket_path)) {}
  std::string socket_path_;  // empty when moved from
};

}  // namespace burnish::server
