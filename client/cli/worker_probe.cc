#include "client/cli/worker_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/environment.h"
#include "common/base/status_macros.h"
#include "common/wire/frame.h"
#include "common/wire/task.h"
#include "common/work/control_kernel.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kDescribeTimeout = absl::Seconds(20);
constexpr absl::Duration kCanaryTimeout = absl::Seconds(60);

// A folder that is gone when this goes out of scope.
class TemporaryFolder {
 public:
  static absl::StatusOr<TemporaryFolder> Create() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "burnish-doctor-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      return absl::InternalError(absl::StrCat("cannot make ", pattern, ": ", strerror(errno)));
    }
    return TemporaryFolder(pattern);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

absl::StatusOr<pb::Artefact> Compile(WorkerProbe& builder, pb::WorkerRequest request) {
  ASSIGN_OR_RETURN(const pb::WorkerReply reply, builder.Ask(std::move(request), kCanaryTimeout));
  if (reply.compile().outcome() != pb::OUTCOME_OK) {
    return absl::FailedPreconditionError(
        absl::StrCat("does not compile: ", reply.compile().message()));
  }
  return reply.compile().artefact();
}

}  // namespace

absl::StatusOr<WorkerProbe> WorkerProbe::Start(const std::string& role,
                                               const std::vector<std::string>& flags) {
  int down[2];
  int up[2];
  if (::pipe2(down, O_CLOEXEC) != 0) return absl::InternalError("cannot make a pipe");
  UniqueFd down_read(down[0]);
  UniqueFd down_write(down[1]);
  if (::pipe2(up, O_CLOEXEC) != 0) return absl::InternalError("cannot make a pipe");
  UniqueFd up_read(up[0]);
  UniqueFd up_write(up[1]);
  SpawnOptions options;
  options.arguments = {ExecutableFolder() + "/burnish-worker", "--role", role};
  options.arguments.insert(options.arguments.end(), flags.begin(), flags.end());
  options.descriptors = {{0, down_read.get()}, {1, up_write.get()}, {2, STDERR_FILENO}};
  WorkerProbe probe;
  ASSIGN_OR_RETURN(probe.child_, ChildProcess::Spawn(options));
  probe.to_worker_ = std::move(down_write);
  probe.from_worker_ = std::move(up_read);
  return probe;
}

absl::StatusOr<pb::WorkerReply> WorkerProbe::Ask(pb::WorkerRequest request,
                                                 absl::Duration timeout) {
  request.set_id(next_id_++);
  RETURN_IF_ERROR(wire::WriteFrame(to_worker_.get(), request));
  pb::WorkerReply reply;
  RETURN_IF_ERROR(wire::ReadFrame(from_worker_.get(), timeout, reply));
  if (!reply.refusal().empty()) return absl::InternalError(reply.refusal());
  return reply;
}

absl::StatusOr<std::vector<pb::DeviceInfo>> DescribeDevices(const std::string& backend,
                                                            const std::vector<std::string>& flags) {
  ASSIGN_OR_RETURN(WorkerProbe worker, WorkerProbe::Start("run", flags));
  pb::WorkerRequest request;
  request.mutable_describe()->set_backend(backend);
  ASSIGN_OR_RETURN(const pb::WorkerReply reply, worker.Ask(request, kDescribeTimeout));
  return std::vector<pb::DeviceInfo>(reply.describe().devices().begin(),
                                     reply.describe().devices().end());
}

absl::StatusOr<pb::Measurement> RunCanary(const pb::DeviceInfo& device) {
  const std::optional<work::TaskDefinition> control = work::ControlKernel(device.backend());
  if (!control) {
    return absl::UnimplementedError(absl::StrCat("there is none for ", device.backend()));
  }
  ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Create());
  ASSIGN_OR_RETURN(WorkerProbe builder, WorkerProbe::Start("build"));
  pb::WorkerRequest request;
  pb::CompileRequest* compile = request.mutable_compile();
  compile->set_backend(device.backend());
  *compile->mutable_task() = wire::ToProto(*control);
  compile->set_artefact_folder(folder.path());
  compile->mutable_configuration();
  ASSIGN_OR_RETURN(const pb::Artefact candidate, Compile(builder, request));
  compile->mutable_reference();
  ASSIGN_OR_RETURN(const pb::Artefact reference, Compile(builder, request));

  ASSIGN_OR_RETURN(WorkerProbe runner, WorkerProbe::Start("run"));
  request.Clear();
  pb::MeasureRequest* measure = request.mutable_measure();
  measure->set_backend(device.backend());
  measure->set_device_index(device.index());
  *measure->mutable_task() = wire::ToProto(*control);
  measure->set_task_hash(work::HashOf(*control).value());
  measure->mutable_candidate()->mutable_configuration();
  *measure->mutable_candidate()->mutable_artefact() = candidate;
  *measure->mutable_reference() = reference;
  measure->set_reference_folder(folder.path());
  ASSIGN_OR_RETURN(const pb::WorkerReply reply, runner.Ask(request, kCanaryTimeout));
  return reply.measurement();
}

}  // namespace burnish::cli
