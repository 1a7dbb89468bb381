// What a job file says, checked and resolved: every name is known, every shape is a number, every
// referenced file's text is in here. The same struct serves `burnish validate` offline and the
// server. Produced by job_reader.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/diagnostic.h"
#include "common/base/dtype.h"
#include "common/base/ids.h"
#include "common/expr/expression.h"
#include "common/expr/value.h"
#include "common/op/operator.h"
#include "common/space/search_space.h"
#include "common/spec/isolation_level.h"
#include "common/spec/metric.h"

namespace burnish::spec {

// A source file by the name the job file uses for it, with its text.
struct Source {
  std::string file;
  std::string text;
  BlobHash blob;  // that holds the text, which then travels by it; empty: none does
};

enum class Role { kInput, kOutput, kInout, kWorkspace };
enum class FillKind { kUniform, kNormal, kConstant, kRamp };

// How a buffer's first content is made; deterministic from (input seed, argument name).
struct Fill {
  FillKind kind = FillKind::kUniform;  // uniform in [-1, 1); integers in [-8, 8], unsigned [0, 16]
  double value = 0;                    // for kConstant
};

// An argument of the kernel, in calling order: a buffer if it has a shape, else a scalar.
struct Argument {
  std::string name;
  Dtype dtype = Dtype::kF32;
  bool is_buffer = false;
  std::vector<int64_t> shape;  // buffers: positive extents
  Role role = Role::kInput;    // buffers
  bool constant = false;       // inputs whose content is known ahead of executions
  Fill fill;                   // buffers of role input and inout
  expr::Value value;           // scalars: integer for integer dtypes, real for floating ones

  int64_t ElementCount() const;  // 1 for scalars
};

// One kernel over the shared arguments.
struct Kernel {
  std::string language;  // "cpp"
  Source source;
  // With `by` there is a source for each value of that parameter, and no `source`; the parameter is
  // no macro then.
  std::string by;
  std::map<std::string, Source> variants;
  std::string entry;
  // A function of the same signature that is called once ahead of executions, when the constant
  // inputs and the workspaces have their places; other buffers are null. Empty: there is none.
  std::string prepare;
  std::vector<std::string> flags;   // may hold {PARAMETER}
  std::vector<std::string> define;  // constants given as macros
};

struct Reference {
  enum class Kind { kAbsent, kNone, kFunction, kOperator };
  Kind kind = Kind::kAbsent;  // absent is accepted by validate and space, refused by tune
  std::string language;       // kFunction, up to the flags
  Source source;
  std::string entry;
  std::vector<std::string> flags;
  std::optional<burnish::op::Operator> op;  // kOperator: what outputs are computed from
};

enum class CacheState { kHot, kCold };

// The familiar knobs. Zero means "chosen by the timing protocol".
struct MeasureOptions {
  CacheState cache = CacheState::kHot;
  int64_t number = 0;               // executions per sample
  int64_t repeat = 0;               // samples
  double min_repeat_ms = 0;         // shortest sample
  int64_t warmup = -1;              // untimed executions; -1: chosen
  double run_timeout_seconds = 10;  // `timeout`: per attempt, queueing not counted
  double compile_timeout_seconds = 60;
  // Whether results are checked on other inputs, too, than those that `fill` describes.
  bool varies_inputs = true;
  bool race = true;  // whether what is clearly slower than the best so far is dropped early
};

// A number, or an expression over parameters alone: its constants are replaced.
using WorkAmount = std::variant<double, expr::Expression>;

// Work of one execution; nothing where the job file does not say.
struct Work {
  std::optional<WorkAmount> flops;
  std::optional<WorkAmount> bytes;

  // A bound of the latency differs between configurations then.
  bool depends_on_parameters() const {
    return flops && bytes && (flops->index() == 1 || bytes->index() == 1);
  }
};

// What ends the search of a task, whichever comes first.
struct Budget {
  int64_t trials = 100;
  std::optional<double> seconds;         // since the task was started
  std::optional<double> device_seconds;  // compiling and running, of all attempts
  std::optional<int64_t> patience;       // trials since the best last improved
  std::optional<double> target_seconds;  // latency that is good enough
  std::optional<double> roof_share;      // of what the device could do at most; good enough

  // Whether something else than the trials may end it.
  bool may_end_early() const {
    return seconds || device_seconds || patience || target_seconds || roof_share;
  }
};

// Where a job file does not say.
inline constexpr bool kUsesHistory = true;

struct StrategyChoice {
  std::string name = "auto";
  uint64_t seed = 1;
  bool history = kUsesHistory;  // whether records of earlier tasks and imported ones warm it
};

struct JobSpec {
  std::string name;
  std::optional<op::Operator> workload;  // else `kernels` says what to tune
  int64_t threads = 0;                   // that a workload may use at most; 0: all cores
  std::vector<Kernel> kernels;           // stages; this version: exactly one, none of a workload
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, expr::Value>> constants;  // in file order
  std::vector<space::Parameter> parameters;
  std::vector<expr::Expression> constraints;                  // constants already substituted
  std::optional<space::Configuration> default_configuration;  // as written
  Reference reference;
  Work work;
  MeasureOptions measure;
  // The least that an agent must offer; `devices` demands it too.
  IsolationLevel isolation = IsolationLevel::kNone;
  expr::Expression devices = *expr::Expression::Parse("true");
  std::vector<Objective> objectives = {Objective()};  // the first one matters most to people
  std::vector<expr::Expression> limits;               // over metrics and constants
  Budget budget;
  StrategyChoice strategy;
  std::vector<std::string> warnings;  // accepted, but worth saying
  // What a T1 file asks for and this version cannot run, with its place: such a job has a space,
  // but is refused by whoever would run it.
  std::optional<Diagnostic> unserved;
};

}  // namespace burnish::spec
