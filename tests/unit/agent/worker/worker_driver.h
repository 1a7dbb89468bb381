// A burnish-worker process under test, and tasks for it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "burnish/v1/worker.pb.h"
#include "common/base/check.h"
#include "common/base/environment.h"
#include "common/base/numbers.h"
#include "common/base/random.h"
#include "common/base/subprocess.h"
#include "common/op/einsum.h"
#include "common/wire/configuration.h"
#include "common/wire/frame.h"
#include "common/wire/task.h"

namespace burnish::worker {

namespace pb = burnish::v1;

inline constexpr absl::Duration kPatience = absl::Seconds(60);

// A temporary folder, gone with it.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(std::filesystem::temp_directory_path() / ("burnish-worker-" + RandomHexId())) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  std::string path(const std::string& name) const { return path_ / name; }

 private:
  const std::filesystem::path path_;
};

class WorkerDriver {
 public:
  explicit WorkerDriver(const std::string& role, std::vector<std::string> environment = {},
                        const std::vector<std::string>& arguments = {}) {
    int requests[2];
    int replies[2];
    CHECK(::pipe2(requests, O_CLOEXEC) == 0 && ::pipe2(replies, O_CLOEXEC) == 0);
    const UniqueFd theirs_in(requests[0]);
    requests_ = UniqueFd(requests[1]);
    replies_ = UniqueFd(replies[0]);
    const UniqueFd theirs_out(replies[1]);
    for (const char* name : {"PATH", "CCACHE_DIR", "HOME"}) {
      const auto value = EnvironmentVariable(name);
      if (value && environment.empty()) {
        options_environment_.push_back(std::string(name) + "=" + *value);
      }
    }
    options_environment_.insert(options_environment_.end(), environment.begin(), environment.end());
    options_environment_.push_back("BURNISH_COMPILE_CACHE=1");
    SpawnOptions options;
    options.arguments = {ExecutableFolder() + "/burnish-worker", "--role", role};
    if (role == "build") {
      // Where scratch folders are.
      options.arguments.insert(options.arguments.end(),
                               {"--writable", std::filesystem::temp_directory_path()});
    }
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    options.environment = options_environment_;
    options.descriptors = {{0, theirs_in.get()}, {1, theirs_out.get()}, {2, 2}};
    process_ = ChildProcess::Spawn(options).value();
  }

  void Send(pb::WorkerRequest request) {
    request.set_id(++id_);
    CHECK_OK(wire::WriteFrame(requests_.get(), request));
  }
  pb::WorkerReply Receive() {
    pb::WorkerReply reply;
    CHECK_OK(wire::ReadFrame(replies_.get(), kPatience, reply));
    CHECK(reply.id() == id_);
    return reply;
  }
  pb::WorkerReply Ask(const pb::WorkerRequest& request) {
    Send(request);
    return Receive();
  }
  void HangUp() { requests_.Reset(); }
  ChildProcess& process() { return process_; }

 private:
  std::vector<std::string> options_environment_;
  UniqueFd requests_;
  UniqueFd replies_;
  ChildProcess process_;
  uint64_t id_ = 0;
};

// The direct children of a process.
inline std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto pid = ParseInteger(entry.path().filename().string());
    if (!pid) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    std::getline(stat, text);
    // "PID (NAME) STATE PPID ..."
    const size_t end_of_name = text.rfind(')');
    if (end_of_name == std::string::npos) continue;
    if (std::stoi(text.substr(end_of_name + 4)) == parent) children.push_back(*pid);
  }
  return children;
}

// Its descendants that execute candidates: children of sandboxes.
inline std::vector<pid_t> RunnersBelow(pid_t worker) {
  std::vector<pid_t> runners;
  for (const pid_t child : ChildrenOf(worker)) {
    std::ifstream name("/proc/" + std::to_string(child) + "/comm");
    std::string text;
    std::getline(name, text);
    if (text == "burnish-runner") runners.push_back(child);
    const std::vector<pid_t> below = RunnersBelow(child);
    runners.insert(runners.end(), below.begin(), below.end());
  }
  return runners;
}

inline std::vector<pid_t> WaitForChildren(pid_t parent) {
  std::vector<pid_t> children;
  while (children.empty()) children = ChildrenOf(parent);
  return children;
}

// Zombies are dead: whose child they are now is not our affair.
inline bool Alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const size_t end_of_name = text.rfind(')');
  return end_of_name != std::string::npos && text[end_of_name + 2] != 'Z';
}

// c[i] = 2 * a[i], as the user's kernel file would have it; `body` may do more or something else.
inline work::TaskDefinition ScaleTask(const std::string& body) {
  work::TaskDefinition task;
  task.problem = "scale";
  spec::Kernel kernel;
  kernel.language = "cpp";
  kernel.source.file = "scale.cc";
  kernel.source.text =
      "#include <cstdlib>\n#include <unistd.h>\n#include <fcntl.h>\n#include <pthread.h>\n"
      "static int calls = 0;\n"
      "void scale(float* a, float* c, float* w, int n) {\n"
      "  ++calls;\n"
      "  for (int i = 0; i < n; ++i) c[i] = 2 * a[i];\n  " +
      body + "\n}\n";
  kernel.entry = "scale";
  kernel.flags = {"-O1"};
  task.stages = {kernel};
  const auto buffer = [](std::string name, spec::Role role) {
    spec::Argument argument;
    argument.name = std::move(name);
    argument.is_buffer = true;
    argument.shape = {1024};
    argument.role = role;
    return argument;
  };
  spec::Argument n;
  n.name = "n";
  n.dtype = Dtype::kI32;
  n.value = expr::Value(int64_t{1024});
  task.arguments = {buffer("a", spec::Role::kInput), buffer("c", spec::Role::kOutput),
                    buffer("w", spec::Role::kWorkspace), n};
  task.parameter_names = {"WRONG"};
  task.reference.kind = spec::Reference::Kind::kFunction;
  task.reference.language = "cpp";
  task.reference.source.file = "reference.cc";
  task.reference.source.text =
      "void reference(const float* a, float* c, float*, int n) {\n"
      "  for (int i = 0; i < n; ++i) c[i] = a[i] + a[i];\n}\n";
  task.reference.entry = "reference";
  task.measure.number = 1;
  task.measure.repeat = 3;
  task.measure.warmup = 0;
  return task;
}

// c = relu(a b + bias) of the options' extents, checked by the operator itself; `body` may do more.
inline work::TaskDefinition MatmulTask(op::EinsumOptions options, const std::string& body) {
  options.expression = "mk,kn->mn";
  options.epilogue = {"bias", "relu"};
  const op::Operator op = op::Einsum(options).value();
  work::TaskDefinition task;
  task.problem = "matmul";
  for (const op::Tensor& tensor : op.tensors) {
    spec::Argument& argument = task.arguments.emplace_back();
    argument.name = tensor.name;
    argument.dtype = tensor.dtype;
    argument.is_buffer = true;
    argument.shape = tensor.shape;
    argument.role = &tensor == &op.tensors.back() ? spec::Role::kOutput : spec::Role::kInput;
  }
  spec::Kernel& kernel = task.stages.emplace_back();
  kernel.language = "cpp";
  kernel.source.file = "matmul.cc";
  kernel.source.text =
      "#include <cmath>\n"
      "template <typename T> T load(T x) { return x; }\n"
      "float load(unsigned short bf16) {\n"
      "  unsigned bits = bf16 << 16; float x; __builtin_memcpy(&x, &bits, 4); return x;\n}\n"
      "template <typename A, typename C>\n"
      "void matmul(const A* a, const A* b, const C* bias, C* c) {\n"
      "  for (int m = 0; m < M; ++m) for (int n = 0; n < N; ++n) {\n"
      "    C sum = 0;\n"
      "    for (int k = 0; k < K; ++k) sum += C(load(a[m * K + k])) * C(load(b[k * N + n]));\n"
      "    c[m * N + n] = sum + bias[n] > 0 ? sum + bias[n] : 0;\n"
      "  }\n  " +
      body + "\n}\n";
  kernel.entry = "matmul";
  kernel.define = {"M", "N", "K"};
  for (const auto& [letter, extent] : options.extents) {
    task.constants.emplace_back(std::string(1, letter[0] - 'a' + 'A'), expr::Value(extent));
  }
  task.parameter_names = {"WRONG"};
  task.reference.kind = spec::Reference::Kind::kOperator;
  task.reference.op = op;
  task.measure.number = 1;
  task.measure.repeat = 3;
  task.measure.warmup = 0;
  return task;
}

inline space::Configuration Configured(int64_t wrong) { return {{"WRONG", expr::Value(wrong)}}; }

inline pb::WorkerRequest CompileRequestFor(const std::string& artefact_folder,
                                           const work::TaskDefinition& task,
                                           const space::Configuration& configuration) {
  pb::WorkerRequest request;
  pb::CompileRequest& compile = *request.mutable_compile();
  compile.set_backend("cpu");
  *compile.mutable_task() = wire::ToProto(task);
  *compile.mutable_configuration() = wire::ToProto(configuration);
  compile.set_artefact_folder(artefact_folder);
  return request;
}

inline pb::WorkerRequest CompileReferenceRequest(const std::string& artefact_folder,
                                                 const work::TaskDefinition& task) {
  pb::WorkerRequest request = CompileRequestFor(artefact_folder, task, {});
  request.mutable_compile()->mutable_reference();
  return request;
}

}  // namespace burnish::worker
