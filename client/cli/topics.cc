#include "client/cli/topics.h"

namespace burnish::cli {
namespace {

constexpr Topic kTopics[] = {
    {"job",
     "A job file says what to tune, over which choices, checked against what, for how long.\n"
     "YAML or JSON. `burnish init --kernel FILE` writes one with comments, `burnish validate "
     "FILE`\n"
     "checks it without a device.\n"
     "\n"
     "  name: vector-add\n"
     "  kernel: {language: cpp, source: {file: vadd.cc}, entry: vadd, …}\n"
     "  budget: {trials: 100}\n"
     "\n"
     "It tunes code of your own (`kernel`) or an operator (`workload`).\n"},
    {"job.name",
     "What people call the job. Commands accept it in place of the id if only one job has it.\n"},
    {"job.kernel",
     "The code to tune: its source, its arguments and the parameters left open.\n"
     "Keys: language, source, entry, arguments, constants, define, flags, parameters, default,\n"
     "constraints, reference, work.\n"},
    {"job.kernel.language",
     "What the source is written in: `cpp`; or `replay`.\n"
     "A job runs on devices that can compile its language.\n"
     "\n"
     "A kernel of language `replay` has no code: neither source nor entry, arguments, flags. Its\n"
     "device answers from a file of measurements, on an agent with --backend replay. `burnish\n"
     "init --from-records FILE` writes such a job.\n"},
    {"job.kernel.source",
     "The file with the kernel, as {file: NAME}, in the job file's folder or below it.\n"
     "Every parameter is put before the source as a macro, and the compiler's messages keep the\n"
     "file's own line numbers. The file is sent with the job; the server opens no path of "
     "yours.\n"},
    {"job.kernel.entry", "The name of the function that is called, with `arguments` in order.\n"},
    {"job.kernel.arguments",
     "The entry's arguments in calling order: buffers have a `shape`, scalars a `value`.\n"
     "\n"
     "  - {name: a, dtype: f32, shape: [n], fill: uniform}   an input\n"
     "  - {name: c, dtype: f32, shape: [n], role: output}\n"
     "  - {name: n, dtype: i32, value: n}\n"
     "\n"
     "dtype  f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8; the compiler has no type for bf16,\n"
     "       so C++ kernels get it as uint16_t, the upper half of a float\n"
     "role   input (default), output, inout, workspace (not compared)\n"
     "fill   uniform (default), normal, ramp, or a number; for input and inout\n"
     "Shapes and values are expressions over `constants`.\n"},
    {"job.kernel.constants",
     "Fixed numbers with names, as {n: 4096}, for shapes, values, constraints and work.\n"
     "The kernel gets them by its arguments, or as macros if they stand in `define`.\n"},
    {"job.kernel.define",
     "Constants that the kernel gets as macros: `define: [N]`.\n"
     "The reference does not get them.\n"},
    {"job.kernel.flags",
     "Flags for the compiler; {PARAMETER} in one is replaced by the parameter's value.\n"
     "\n"
     "  flags: [\"-O{OPT}\", -ffast-math]\n"},
    {"job.kernel.launch",
     "How many work items a GPU kernel starts; C++ kernels have none in any version.\n"},
    {"job.kernel.reference",
     "What results are checked against: a plain function with the same arguments, or `none`.\n"
     "\n"
     "  reference: {language: cpp, source: {file: reference.cc}, entry: vadd_reference}\n"
     "\n"
     "It is compiled without the parameters and run once for each set of inputs. A candidate that\n"
     "differs by more than the precision allows is a wrong_result and cannot win. With `none`\n"
     "nothing is checked, and every result says so.\n"},
    {"job.kernel.work",
     "Operations and bytes of one execution, for GFLOP/s: {flops: 2 * n, bytes: 12 * n}.\n"
     "With both, results say what share they are of what the device could do at most, which\n"
     "`burnish roofline DEVICE` shows. `bytes` are those that have to be moved at least.\n"
     "\n"
     "Either may depend on the parameters: {flops: 2 * n, bytes: 8 * n + 4 * n // TILE}. Then a\n"
     "configuration that the roofline keeps from being as fast as the best is not measured; what\n"
     "was passed over is shown as `pruned`. Rates are of the default configuration's work.\n"},
    {"job.kernel.parameters",
     "The choices: a name and the values it may take. Each becomes a macro of the kernel.\n"
     "\n"
     "  BLOCK: [32, 64, 128]                          numbers, strings, true and false\n"
     "  TILE: {range: [1, 10]}                        1, 2, … 10; with `step: 3`: 1, 4, 7, 10\n"
     "  SCALE: {range: [0.1, 0.9], steps: 5}          reals; `spacing: log` for equal factors\n"
     "  VEC: {powers_of_two: [1, 16]}                 1, 2, 4, 8, 16\n"
     "  CHUNK: {divisors_of: n}                       of a constant or an expression over them\n"
     "  ORDER: {permutations_of: [i, j, k]}           ijk, ikj, …; of 3: 012, 021, …\n"
     "  DEPTH: {values: [1, 2, 3], when: \"PACK\"}      conditional: where `when` is false, it is\n"
     "                                                pinned to its first value, or `otherwise`\n"
     "\n"
     "All combinations that satisfy `constraints` are the search space: `burnish space FILE`.\n"},
    {"job.kernel.default",
     "The configuration that a programmer would write first: trial 0, to which the best is\n"
     "compared. Left out, it is the first value of every parameter.\n"},
    {"job.kernel.constraints",
     "Conditions that every configuration must satisfy, over parameters and constants.\n"
     "\n"
     "  constraints: [\"n % (VEC * BLOCK) == 0\", \"BLOCK * VEC <= 1024\"]\n"
     "\n"
     "Python's language: + - * / // % **, comparisons (also chained), and or not, in, A if C else "
     "B;\n"
     "functions min max abs ceil floor log2 pow gcd ceil_div round_up. `burnish space FILE` shows\n"
     "what each one removes.\n"},
    {"job.workload",
     "An operator to tune, in place of `kernel`: Burnish has the code, the parameters and the "
     "check.\n"
     "\n"
     "  workload: {operator: matmul, shape: {m: 512, n: 512, k: 512}, dtype: f32,\n"
     "             transpose: [b], constant: [b], epilogue: [bias, relu]}\n"
     "\n"
     "Results are compared with the operator itself, computed in double precision: all of a small\n"
     "output; of a large one the corners, edges and places drawn anew by each worker.\n"
     "Keys: operator, expression, shape, dtype, transpose, constant, epilogue.\n"},
    {"job.workload.operator",
     "matmul: c[m, n] = sum over k of a[m, k] * b[k, n].\n"
     "einsum: any product of two tensors, by its `expression`.\n"},
    {"job.workload.expression",
     "Of an einsum: the indices of the factors a and b and of the output c, as 'mk,kn->mn'.\n"
     "An index is a letter; it belongs to two of the three at least, and to each of them once. "
     "The\n"
     "sum runs over those that the output lacks.\n"},
    {"job.workload.shape",
     "How far the indices run: {m: 512, n: 512, k: 512}, for a matmul also `batch`, which stands\n"
     "first in each tensor; for an einsum every letter of its expression.\n"},
    {"job.workload.dtype",
     "The elements: f32, f64, bf16 (sums in f32), i8 or u8 (output and sums in i32).\n"
     "Or one for each tensor: {a: u8, b: i8, c: i32}, {a: bf16, b: bf16, c: f32}.\n"},
    {"job.workload.transpose",
     "The factors of a matmul whose last two axes are swapped in memory: with [b], b is n by k.\n"},
    {"job.workload.constant",
     "Factors whose content is known ahead, as weights are: [b]. They may be rearranged before "
     "the\n"
     "clock runs.\n"},
    {"job.workload.threads",
     "Threads that it may use at most; without it, as many as the device has cores. With 1, the\n"
     "fastest code for a single core is sought, for programs that use the others for something "
     "else.\n"},
    {"job.workload.epilogue",
     "What happens to each result before it is stored, in order: [bias, relu].\n"
     "\n"
     "bias       adds a vector along the output's last axis\n"
     "residual   adds a tensor of the output's shape\n"
     "relu, gelu, gelu_tanh\n"
     "\n"
     "The operands are arguments behind a and b, in the order of the list; the output is the "
     "last.\n"},
    {"job.devices",
     "Which devices may serve the job: an expression, or {backend: cpu} for short.\n"
     "Names: backend name device_class vendor arch cores memory_bytes isa isolation label.KEY.\n"
     "\n"
     "  devices: \"backend == 'cpu' and 'avx2' in isa and cores >= 8\"\n"
     "\n"
     "There is one task for each device class that matches.\n"},
    {"job.objectives",
     "What to make small or large: [latency] if left out.\n"
     "\n"
     "  objectives: [energy]\n"
     "  objectives: [latency, energy]                       a Pareto front: burnish pareto JOB\n"
     "  objectives: [{metric: throughput, direction: maximize}]\n"
     "\n"
     "Metrics: latency throughput energy power memory error. All are minimised but throughput.\n"
     "Which of them a device measures, `burnish devices -o wide` says.\n"},
    {"job.limits",
     "Conditions over metrics and constants that the answer must satisfy.\n"
     "\n"
     "  limits: [\"power <= 15\", \"error <= 1e-3\"]           in W, J, s, bytes\n"
     "\n"
     "A trial outside of them is measured and stored, but cannot be the best. Limits can be asked\n"
     "afterwards, too: burnish pareto JOB --where 'power <= 15'.\n"},
    {"job.measure",
     "How candidates are timed; all of it may be left out.\n"
     "\n"
     "cache          hot (default) or cold\n"
     "number         executions in a sample           repeat   samples\n"
     "min_repeat_ms  shortest sample                  warmup   executions before the first sample\n"
     "timeout        seconds that an attempt may run, 10 if left out; queueing does not count\n"
     "inputs         as_filled: results are checked on no other inputs than `fill` describes, for\n"
     "               kernels that others are no good for (sorting with ties, unstable solvers)\n"
     "race           false: what is clearly slower than the best so far is timed to the end, too\n"
     "isolation      the least that agents must offer: none, process, namespace or full;\n"
     "               `burnish devices -o wide` shows what there is\n"},
    {"job.budget",
     "When the search ends: {trials: 300, patience: 100}, whichever comes first.\n"
     "\n"
     "trials          configurations to measure, 100 if left out; always a bound\n"
     "seconds         on the clock, since the task was started\n"
     "device_seconds  compiling and running, of all attempts\n"
     "patience        trials in a row that improved the best by 1 % or less\n"
     "target          latency in seconds that is good enough: 0.0012\n"
     "roof_share      share of the roof that is good enough: 0.8; needs `work`, or a workload\n"
     "\n"
     "Each is of one task; trials that run when it ends may end, and the finalists are compared.\n"
     "A trial is one configuration that is measured, whatever its outcome; retries do not count. "
     "A\n"
     "space that is smaller than the budget is measured whole.\n"},
    {"job.strategy",
     "How configurations are chosen: {name: auto, seed: 1, history: true}.\n"
     "\n"
     "auto                 the whole space if it fits the trials and nothing else ends the\n"
     "                     search, else transfer, with several objectives parego\n"
     "transfer             bayesian, warmed by records of the same kernel elsewhere\n"
     "bayesian             a Gaussian process says where an improvement is to be expected\n"
     "local                iterated local search: from the best so far to its neighbours\n"
     "genetic              a genetic algorithm: crosses and mutates the best so far\n"
     "simulated_annealing  from neighbour to neighbour, at first also to slower ones\n"
     "boosted_trees        what a model learned from the trials takes for fast\n"
     "gradient             climbs bayesian's model between the configurations, then rounds\n"
     "parego               bayesian for several objectives, weighed anew for each trial\n"
     "nsga2                for several objectives: a population evolves on models of them\n"
     "random               uniform, without repetition\n"
     "exhaustive           every configuration once, spread over the space\n"
     "\n"
     "Of several objectives: auto, parego, nsga2, random and exhaustive.\n"
     "The same seed on the same observations proposes the same configurations.\n"
     "\n"
     "history: false leaves out what earlier tasks of the team, and imported records, say of the\n"
     "same kernel on this device, on others or in other shapes; else transfer, and so auto, "
     "starts\n"
     "from it. It is chosen when the job is submitted, and never changes for that job.\n"},

    {"job.state.queued", "The job is stored and waits to be taken up.\n"},
    {"job.state.running",
     "Its candidates are being measured, or wait for a device; `burnish show` says for which.\n"},
    {"job.state.paused",
     "Nothing new starts until somebody resumes it; what was measured stays.\n"
     "By `burnish pause`, or because its client on the private server ended. Go on with\n"
     "`burnish resume JOB`.\n"},
    {"job.state.finishing",
     "The search is over; the default and the best candidates are compared, interleaved.\n"},
    {"job.state.done",
     "Finished, with a result. The reason says why the search ended: budget spent (all trials), "
     "space\n"
     "exhausted, time spent, device time spent, no better kernel in N trials, target reached, "
     "share\n"
     "of the roof reached, finished on request.\n"},
    {"job.state.failed",
     "Ended without a result; the reason holds the count of each outcome and one message of each.\n"
     "A job whose first twenty trials all fail ends at once.\n"},
    {"job.state.cancelled",
     "Ended by `burnish cancel`; what was measured stays, nothing is compared.\n"},

    {"outcome.ok", "The candidate compiled, ran, gave the right result and was timed.\n"},
    {"outcome.rejected",
     "Unfit before its figures count: it meddled with its runner or took impossible values.\n"},
    {"outcome.compile_error",
     "The compiler refused the source. The message has its first lines, with your line numbers.\n"},
    {"outcome.compile_timeout",
     "Compiling took longer than the limit, 60 s. Templates and large unrolling do that.\n"},
    {"outcome.launch_refused",
     "The device or the loader refused to start the kernel: a missing symbol, too much memory.\n"},
    {"outcome.crash", "The candidate ended its process: a signal such as 11, or an exit.\n"},
    {"outcome.timeout",
     "It ran longer than `measure.timeout`, 10 s if left out. Waiting for a device never "
     "counts.\n"},
    {"outcome.wrong_result",
     "An output differs from the reference's by more than its precision allows.\n"
     "The message names the worst element. f32 may differ by 1e-4 of its value, f64 by 1e-10, f16\n"
     "and bf16 by 2e-2, integers not at all. Writing outside a buffer or into an input is wrong,\n"
     "too.\n"},
    {"outcome.nondeterministic", "Two runs on the same inputs gave results that differ.\n"},
    {"outcome.unstable", "Its timing varies too much to be ranked.\n"},
    {"outcome.out_of_memory",
     "The system ended it for lack of memory, or its buffers do not fit.\n"},
    {"outcome.sandbox_violation", "It tried what candidates may not do.\n"},
    {"outcome.infrastructure",
     "Nothing to do with the candidate: a worker died, an agent was lost. Tried again, at most\n"
     "three times; if the last one fails too, the trial ends with this outcome.\n"},

    {"metric.latency",
     "Seconds that one execution takes: a statistic over samples, with its 95 % interval.\n"
     "On CPUs it is the 20 % quantile (p20), where other work on the machine only adds; on GPUs "
     "the\n"
     "median. Sampling goes on until the interval is narrow or a bound is hit; then the record "
     "has\n"
     "the flag `unconverged`. JSON: latency_seconds, latency_interval_seconds.\n"},
    {"metric.sustained_latency",
     "Seconds of one execution at the end of a minute of executions without pauses: what is left "
     "of\n"
     "the latency once the device is hot. The ranking statistic over the last quarter. Measured "
     "of\n"
     "jobs that name it, as objective or in limits, and left out for candidates that cannot win "
     "any\n"
     "more (flag `sustained_skipped`). JSON: sustained_latency_seconds; over the first twelfth of\n"
     "the minute, sustained_ratio.\n"},
    {"metric.throughput", "Executions per second: 1 / latency. JSON: throughput_per_second.\n"},
    {"metric.energy",
     "Joules of one execution, what idling takes included. Measured by the sensor that the agent "
     "finds\n"
     "or is given (--sensor); `burnish devices -o wide` says whether a device has one. Left out "
     "for\n"
     "candidates that cannot win any more (flag `energy_skipped`). JSON: energy_joules; without "
     "idling\n"
     "net_energy_joules.\n"},
    {"metric.power", "Watts while it runs; measured as energy is. JSON: power_watts.\n"},
    {"metric.memory",
     "Bytes of the arguments of role workspace and, of C++ kernels, the variables that the "
     "compiled\n"
     "candidate keeps (static and thread_local). Stack and heap are not counted. JSON: "
     "memory_bytes.\n"},
    {"metric.error",
     "Largest relative error against the reference, of all elements that are compared. JSON: "
     "error.\n"},
    {"metric.speedup",
     "Default ÷ best: the median over rounds in which both ran on one device, with its interval.\n"
     "Candidates whose interval against the best holds 1 are shown as a tie.\n"},

    {"device.state.ready", "Its agent is connected and it can take work.\n"},
    {"device.state.draining",
     "Told to take nothing new (burnish drain); what it holds goes on. burnish undrain ends it.\n"},
    {"device.state.drained",
     "Told to take nothing new, and holds nothing: its agent can be stopped. burnish undrain "
     "takes\n"
     "it back.\n"},
    {"device.state.quarantined",
     "Out of the pool: its canary, the control kernel, failed, or five attempts in a row failed\n"
     "through no fault of the candidates. It is asked for a canary every 30 s and comes back by\n"
     "itself when one passes. One that a person quarantined comes back by burnish undrain "
     "alone.\n"},
    {"device.state.unavailable",
     "Its agent is connected, but the device can do nothing now; the reason says what is "
     "missing.\n"},
    {"device.state.lost",
     "Its agent has not been heard for longer than a lease lasts. What it held is queued again.\n"},
};

}  // namespace

std::span<const Topic> AllTopics() { return kTopics; }

}  // namespace burnish::cli
