#include "agent/backends/cpu/roofs.h"

#include <sys/mman.h>

#include <algorithm>
#include <barrier>
#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/backends/cpu/compiler.h"
#include "agent/backends/cpu/device.h"
#include "agent/backends/cpu/kernel.h"
#include "agent/backends/cpu/roof_source.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace burnish::backends::cpu {
namespace {

constexpr int kRounds = 4;
constexpr absl::Duration kSlot = absl::Milliseconds(12);  // of one figure in one round
constexpr absl::Duration kShortestSample = absl::Microseconds(300);
constexpr absl::Duration kCompileTimeout = absl::Seconds(60);
constexpr int64_t kWindowBytes = 4 << 20;  // of memory, read by one thread in one sample
constexpr int64_t kLeastMemoryBytes = 64 << 20;
// Of a cache that a virtual machine shares with others nobody knows its part.
constexpr int64_t kLargestL3BytesPerThread = 8 << 20;
constexpr int64_t kLargestMemoryBytesPerThread = 128 << 20;

absl::StatusOr<Artefact> Compile(const RoofJob& job) {
  const auto scalar = [](Dtype dtype) {
    spec::Argument argument;
    argument.dtype = dtype;
    return argument;
  };
  const auto buffer = [&](Dtype dtype) {
    spec::Argument argument = scalar(dtype);
    argument.is_buffer = true;
    return argument;
  };
  CompileJob compile;
  compile.role = "roofs";
  compile.kernel.language = "cpp";
  compile.kernel.source = {.file = "roofs.cc", .text = kRoofSource};
  compile.kernel.entry = kRoofEntry;
  compile.kernel.flags = {"-ffp-contract=fast"};
  compile.arguments = {buffer(Dtype::kU8),  scalar(Dtype::kI64), scalar(Dtype::kI64),
                       scalar(Dtype::kI32), scalar(Dtype::kI64), buffer(Dtype::kF64)};
  compile.artefact_folder = job.artefact_folder;
  compile.timeout = kCompileTimeout;
  compile.cancel_fd = job.cancel_fd;
  CompileResult result = CpuCompiler().Compile(compile);
  if (result.outcome == work::Outcome::kOk) return std::move(result.artefact);
  return absl::UnavailableError(absl::StrCat("compiling: ", result.message));
}

// Pages that belong to nobody before a thread has written to them.
class Memory {
 public:
  static absl::StatusOr<Memory> Map(int64_t bytes) {
    void* const data =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return absl::ErrnoToStatus(errno, absl::StrCat("mmap of ", bytes));
    ::madvise(data, bytes, MADV_HUGEPAGE);  // where there are any
    return Memory(static_cast<uint8_t*>(data), bytes);
  }
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  ~Memory() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
  }
  uint8_t* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  Memory(uint8_t* data, int64_t bytes) : data_(data), bytes_(bytes) {}
  uint8_t* data_;
  int64_t bytes_;
};

// What is measured: one line of the result.
struct Figure {
  std::string name;  // of the element type, or of the level
  RoofKind kind = RoofKind::kRead;
  int threads = 1;
  int64_t capacity_bytes = 0;  // of the level
  int64_t bytes = 0;           // read by each thread in one pass
  bool streams = false;        // always what was not read lately
  int64_t repeats = 1;
  int64_t position = 0;  // where a stream is in each thread's part
  double best_per_second = 0;
};

// One thread's use of the compiled code. The addresses of its members are the call's arguments.
struct Participant {
  int64_t offset = 0;
  int64_t bytes = 0;
  int32_t kind = 0;
  int64_t repeats = 1;
  double done = 0;
  std::unique_ptr<LoadedKernel> kernel;
  absl::Duration start;
  absl::Duration end;
};

// `body(i)` on so many threads at once, this one being the first.
void OnThreads(int count, const std::function<void(int)>& body) {
  std::vector<std::jthread> others;
  for (int i = 1; i < count; ++i) others.emplace_back([&body, i] { body(i); });
  body(0);
}

class Bench {
 public:
  static absl::StatusOr<Bench> Make(const std::string& artefact_path, int threads, Memory memory) {
    Bench bench(std::move(memory));
    for (int i = 0; i < threads; ++i) {
      auto participant = std::make_unique<Participant>();
      LoadJob load{.artefact_path = artefact_path,
                   .arguments = {bench.memory_.data(), &participant->offset, &participant->bytes,
                                 &participant->kind, &participant->repeats, &participant->done}};
      ASSIGN_OR_RETURN(participant->kernel, CpuLoader().Load(load));
      bench.participants_.push_back(std::move(participant));
    }
    // Each by the thread that reads it: its memory then lies near.
    const int64_t part = bench.Part(threads);
    OnThreads(threads, [&](int i) { std::memset(bench.memory_.data() + i * part, i + 1, part); });
    return bench;
  }

  // Takes samples of the figure for a while; one at least.
  absl::Status Measure(Figure& figure) {
    if (figure.streams) {
      // Pushes what the caches have of it out of them.
      for (int64_t read = 0; read < Part(figure.threads) / 2; read += figure.bytes) {
        RETURN_IF_ERROR(TakeSample(figure).status());
      }
    }
    // Several threads seldom find all cores free at once.
    const absl::Duration slot = figure.threads > 1 ? 2 * kSlot : kSlot;
    const absl::Duration until = SystemClock().Monotonic() + slot;
    do {
      ASSIGN_OR_RETURN(const Sample sample, TakeSample(figure));
      figure.best_per_second =
          std::max(figure.best_per_second, sample.done / absl::ToDoubleSeconds(sample.took));
      if (figure.best_per_second <= 0) break;  // no such instruction
      if (!figure.streams && sample.took < kShortestSample) figure.repeats *= 2;
    } while (SystemClock().Monotonic() < until);
    return absl::OkStatus();
  }

 private:
  explicit Bench(Memory memory) : memory_(std::move(memory)) {}

  // Of the memory, for one of so many threads; in whole pages.
  int64_t Part(int threads) const { return memory_.bytes() / threads / 4096 * 4096; }

  struct Sample {
    double done = 0;  // operations, or bytes
    absl::Duration took;
  };

  absl::StatusOr<Sample> TakeSample(Figure& figure) {
    const int64_t part = Part(figure.threads);
    if (figure.streams) {
      if (figure.position + figure.bytes > part) figure.position = 0;
      figure.position += figure.bytes;
    }
    std::barrier together(figure.threads);
    std::vector<absl::Status> statuses(figure.threads);
    OnThreads(figure.threads, [&](int i) {
      Participant& one = *participants_[i];
      one.kind = static_cast<int32_t>(figure.kind);
      one.bytes = figure.bytes;
      one.offset = i * part + (figure.streams ? figure.position - figure.bytes : 0);
      one.repeats = 1;
      // Brings the data near.
      if (!figure.streams) statuses[i].Update(one.kernel->Run(1).status());
      one.repeats = figure.repeats;
      together.arrive_and_wait();
      one.start = SystemClock().Monotonic();
      statuses[i].Update(one.kernel->Run(1).status());
      one.end = SystemClock().Monotonic();
    });
    double done = 0;
    absl::Duration start = absl::InfiniteDuration();
    absl::Duration end = -absl::InfiniteDuration();
    for (int i = 0; i < figure.threads; ++i) {
      RETURN_IF_ERROR(statuses[i]);
      done += participants_[i]->done;
      start = std::min(start, participants_[i]->start);
      end = std::max(end, participants_[i]->end);
    }
    return Sample{.done = done, .took = std::max(end - start, absl::Nanoseconds(1))};
  }

  Memory memory_;
  std::vector<std::unique_ptr<Participant>> participants_;
};

int64_t MemoryBytes(const Cpu& cpu, int threads) {
  const int64_t most = std::min(threads * kLargestMemoryBytesPerThread, HostMemoryBytes() / 8);
  return std::min(std::max(4 * cpu.l3.BytesOf(threads), kLeastMemoryBytes), most);
}

std::vector<Figure> FiguresFor(const Cpu& cpu, int threads, int64_t memory_bytes) {
  std::vector<Figure> figures;
  for (const auto& [name, kind] : {std::pair("f64", RoofKind::kF64),
                                   {"f32", RoofKind::kF32},
                                   {"bf16", RoofKind::kBf16},
                                   {"i8", RoofKind::kI8}}) {
    figures.push_back({.name = name, .kind = kind, .threads = threads});
  }
  const auto add_level = [&](const char* name, const Cache& cache, int64_t most_bytes) {
    if (cache.bytes == 0) return;
    const int64_t capacity = cache.BytesOf(threads);
    // Half of it, so that something else fits in too.
    const int64_t bytes = std::min(capacity / 2 / threads, most_bytes);
    figures.push_back(
        {.name = name, .threads = threads, .capacity_bytes = capacity, .bytes = bytes});
  };
  const int64_t part = memory_bytes / threads;
  add_level("L1", cpu.l1d, part);
  add_level("L2", cpu.l2, part);
  add_level("L3", cpu.l3, std::min(part, kLargestL3BytesPerThread));
  figures.push_back({.name = "memory",
                     .threads = threads,
                     .capacity_bytes = HostMemoryBytes(),
                     .bytes = std::min(kWindowBytes, part / 2),
                     .streams = true});
  return figures;
}

work::Roofs ResultOf(const std::vector<Figure>& figures) {
  work::Roofs roofs;
  for (const Figure& figure : figures) {
    if (figure.best_per_second <= 0) continue;
    if (figure.kind == RoofKind::kRead) {
      roofs.bandwidths.push_back({.level = figure.name,
                                  .capacity_bytes = figure.capacity_bytes,
                                  .threads = figure.threads,
                                  .bytes_per_second = figure.best_per_second});
    } else {
      roofs.peaks.push_back({.dtype = figure.name,
                             .threads = figure.threads,
                             .operations_per_second = figure.best_per_second});
    }
  }
  return roofs;
}

absl::StatusOr<work::Roofs> MeasureAll(const RoofJob& job, const std::string& artefact_path) {
  const Cpu& cpu = HostCpu();
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int64_t memory_bytes = MemoryBytes(cpu, threads);
  ASSIGN_OR_RETURN(Memory memory, Memory::Map(memory_bytes));
  ASSIGN_OR_RETURN(Bench bench, Bench::Make(artefact_path, threads, std::move(memory)));
  std::vector<Figure> figures = FiguresFor(cpu, 1, memory_bytes);
  if (threads > 1) {
    for (Figure& figure : FiguresFor(cpu, threads, memory_bytes)) figures.push_back(figure);
  }
  const absl::Duration until = SystemClock().Monotonic() + job.time_limit;
  for (int round = 0; round < kRounds; ++round) {
    for (Figure& figure : figures) {
      if (round > 0 && SystemClock().Monotonic() >= until) return ResultOf(figures);
      if (round > 0 && figure.best_per_second <= 0) continue;
      RETURN_IF_ERROR(bench.Measure(figure));
    }
  }
  return ResultOf(figures);
}

}  // namespace

absl::StatusOr<work::Roofs> CpuRoofMeter::Measure(const RoofJob& job) const {
  ASSIGN_OR_RETURN(const Artefact artefact, Compile(job));
  try {
    return MeasureAll(job, artefact.path);
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(absl::StrCat("starting threads: ", error.what()));
  }
}

}  // namespace burnish::backends::cpu
