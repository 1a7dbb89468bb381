#include "common/work/control_kernel.h"

#include <cstdint>
#include <utility>

namespace burnish::work {
namespace {

constexpr int64_t kElements = 4096;

// One chain of 65,536 dependent steps: its time is the latency of arithmetic, whatever the width of
// vectors or the speed of memory. Each step rounds once, fused or not.
constexpr char kSource[] =
    "extern \"C\" void control(const float* a, float* c, int n) {\n"
    "  float x = 0;\n"
    "  for (int pass = 0; pass < 16; ++pass) {\n"
    "    for (int i = 0; i < n; ++i) c[i] = x = 0.5f * x + a[i];\n"
    "  }\n"
    "}\n";
// A step halves what was before, so that after two passes any further one ends the same.
constexpr char kReferenceSource[] =
    "extern \"C\" void control_reference(const float* a, float* c, int n) {\n"
    "  double x = 0;\n"
    "  for (int pass = 0; pass < 2; ++pass) {\n"
    "    for (int i = 0; i < n; ++i) {\n"
    "      x = 0.5 * x + a[i];\n"
    "      c[i] = static_cast<float>(x);\n"
    "    }\n"
    "  }\n"
    "}\n";

spec::Argument Buffer(std::string name, spec::Role role) {
  spec::Argument buffer;
  buffer.name = std::move(name);
  buffer.is_buffer = true;
  buffer.shape = {kElements};
  buffer.role = role;
  return buffer;
}

}  // namespace

std::optional<TaskDefinition> ControlKernel(std::string_view backend) {
  if (backend != "cpu" && backend != "null") return std::nullopt;
  TaskDefinition task;
  task.problem = "control";
  spec::Argument n;
  n.name = "n";
  n.dtype = Dtype::kI32;
  n.value = kElements;
  task.arguments = {Buffer("a", spec::Role::kInput), Buffer("c", spec::Role::kOutput), n};
  spec::Kernel& kernel = task.stages.emplace_back();
  kernel.language = "cpp";
  kernel.source = {.file = "control.cc", .text = kSource};
  kernel.entry = "control";
  task.reference.kind = spec::Reference::Kind::kNone;
  if (backend != "null") {  // which computes nothing
    task.reference.kind = spec::Reference::Kind::kFunction;
    task.reference.language = "cpp";
    task.reference.source = {.file = "control_reference.cc", .text = kReferenceSource};
    task.reference.entry = "control_reference";
  }
  // Short: it runs on a device that is warm from candidates, and comes on top of them.
  task.measure.warmup = 50;
  task.measure.repeat = 40;
  return task;
}

}  // namespace burnish::work
