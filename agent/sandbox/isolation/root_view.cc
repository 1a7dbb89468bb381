#include "agent/sandbox/isolation/root_view.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/base/unique_fd.h"

namespace burnish::isolation {
namespace {

namespace fs = std::filesystem;

// What programs and libraries need; nothing that is about people, services or secrets.
constexpr const char* kSystemPaths[] = {
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/passwd",  // names and home folders
    "/sys/devices/system",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
};
constexpr int64_t kScratchFiles = 4096;
constexpr int64_t kRootBytes = 1 << 20;  // mount points and links
// Where it is put together: a folder that is always there and that no view shows.
constexpr char kNewRoot[] = "/proc";

absl::Status Failure(const std::string& what) { return absl::ErrnoToStatus(errno, what); }

// Bind mounts keep the modes of what they show; mount_setattr reaches what is mounted below, too.
absl::Status MakeReadOnly(const std::string& path) {
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  if (::mount_setattr(AT_FDCWD, path.c_str(), AT_RECURSIVE, &attributes, sizeof(attributes)) == 0) {
    return absl::OkStatus();
  }
  return Failure(absl::StrCat("making ", path, " read-only"));
}

absl::Status Show(const std::string& path, bool writable) {
  std::error_code ignored;
  const std::string target = kNewRoot + path;
  if (!fs::exists(path, ignored)) return absl::OkStatus();
  fs::create_directories(fs::path(target).parent_path(), ignored);
  if (fs::is_directory(path, ignored)) {
    fs::create_directories(target, ignored);
  } else {
    const UniqueFd file(::open(target.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    if (!file.valid()) return Failure(target);
  }
  if (::mount(path.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return Failure(absl::StrCat("bind mount of ", path));
  }
  return writable ? absl::OkStatus() : MakeReadOnly(target);
}

}  // namespace

absl::Status MountScratch(const std::string& path, int64_t bytes) {
  const std::string options = absl::StrCat("mode=1777,size=", bytes, ",nr_inodes=", kScratchFiles);
  if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0) {
    return absl::OkStatus();
  }
  return Failure(absl::StrCat("tmpfs on ", path));
}

absl::Status MakeRoot(const View& view) {
  // Nothing that follows is to be seen elsewhere.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return Failure("private");
  const std::string root = kNewRoot;
  RETURN_IF_ERROR(MountScratch(root, kRootBytes));
  for (const char* path : kSystemPaths) {
    std::error_code ignored;
    if (fs::is_symlink(path, ignored)) {  // as /lib often is
      fs::copy_symlink(path, root + path, ignored);
    } else {
      RETURN_IF_ERROR(Show(path, false));
    }
  }
  for (const char* folder : {"/tmp", "/var", "/dev", "/proc"}) {
    ::mkdir((root + folder).c_str(), 0755);
  }
  RETURN_IF_ERROR(MountScratch(root + "/tmp", view.scratch_bytes));
  for (const char* link : {"/var/tmp", "/dev/shm"}) {
    if (::symlink("/tmp", (root + link).c_str()) != 0) return Failure(link);
  }
  for (const std::string& path : view.readable) RETURN_IF_ERROR(Show(path, false));
  for (const std::string& path : view.writable) RETURN_IF_ERROR(Show(path, true));
  if (::mount("proc", (root + "/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
              nullptr) != 0) {
    return Failure("mount of /proc");
  }
  if (::mount(nullptr, kNewRoot, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
              nullptr) != 0) {
    return Failure("making / read-only");
  }
  // The old root comes to lie on the new one, and goes.
  if (::chdir(kNewRoot) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0) {
    return Failure("pivot_root");
  }
  if (::umount2(".", MNT_DETACH) != 0) return Failure("umount of the old root");
  return ::chdir("/") == 0 ? absl::OkStatus() : Failure("/");
}

}  // namespace burnish::isolation
