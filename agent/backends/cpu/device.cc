#include "agent/backends/cpu/device.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/backends/cpu/compiler.h"
#include "agent/backends/cpu/toolchain.h"
#include "common/base/file.h"
#include "common/base/numbers.h"

namespace burnish::backends::cpu {
namespace {

constexpr size_t kSystemFileBytes = 4 << 20;

// Instruction sets that matter to kernels, as the Linux kernel names them.
constexpr std::string_view kKnownIsa[] = {
    "sse4_2",      "avx",         "avx2",        "fma",      "f16c",     "avx512f",
    "avx512bw",    "avx512dq",    "avx512vl",    "avx_vnni", "amx_tile", "amx_int8",
    "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16", "asimd",    "asimdhp",
    "asimddp",     "i8mm",        "bf16",        "sve",      "sve2",     "neon"};

std::string ContentOf(const std::string& path) {
  const auto content = ReadFile(path, kSystemFileBytes);
  return content.ok() ? std::string(absl::StripAsciiWhitespace(*content)) : "";
}

// "32K" or "1M", as sysfs writes sizes.
int64_t ParseSize(const std::string& text) {
  if (text.empty()) return 0;
  const int64_t unit = text.back() == 'K' ? 1 << 10 : text.back() == 'M' ? 1 << 20 : 1;
  const std::string_view digits(text.data(), text.size() - (unit == 1 ? 0 : 1));
  return ParseInteger(digits).value_or(0) * unit;
}

void ReadCaches(Cpu& cpu) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder = absl::StrCat("/sys/devices/system/cpu/cpu0/cache/index", index, "/");
    const std::string level = ContentOf(folder + "level");
    if (level.empty()) return;
    if (ContentOf(folder + "type") == "Instruction") continue;
    const Cache cache{.bytes = ParseSize(ContentOf(folder + "size")),
                      .sharing = CountCpuList(ContentOf(folder + "shared_cpu_list"))};
    if (level == "1") cpu.l1d = cache;
    if (level == "2") cpu.l2 = cache;
    if (level == "3") cpu.l3 = cache;
  }
}

std::string Architecture() {
  utsname names;
  return ::uname(&names) == 0 ? names.machine : "unknown";
}

// The value of NAME="value" in /etc/os-release.
std::string OperatingSystem() {
  const std::vector<std::string> lines = absl::StrSplit(ContentOf("/etc/os-release"), '\n');
  for (std::string_view line : lines) {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    if (line.size() >= 2 && line.front() == '"') line = line.substr(1, line.size() - 2);
    return std::string(line);
  }
  return "";
}

}  // namespace

Cpu ParseCpuInfo(std::string_view cpuinfo, std::string_view arch) {
  Cpu cpu;
  cpu.arch = std::string(arch);
  std::map<std::string, std::string> first;  // of each key
  const std::vector<std::string> lines = absl::StrSplit(std::string(cpuinfo), '\n');
  for (const std::string& line : lines) {
    const std::vector<std::string> pair = absl::StrSplit(line, absl::MaxSplits(':', 1));
    if (pair.size() != 2) continue;
    const std::string key(absl::StripAsciiWhitespace(pair[0]));
    if (key == "processor") ++cpu.cores;
    first.emplace(key, absl::StripAsciiWhitespace(pair[1]));
  }
  const bool x86 = first.contains("vendor_id");
  cpu.vendor = first[x86 ? "vendor_id" : "CPU implementer"];
  cpu.family = x86 ? absl::StrCat("family ", first["cpu family"], " model ", first["model"])
                   : absl::StrCat("part ", first["CPU part"], " variant ", first["CPU variant"]);
  cpu.model = x86 ? first["model name"] : absl::StrCat(cpu.arch, " ", cpu.family);
  const std::vector<std::string> flags =
      absl::StrSplit(first[x86 ? "flags" : "Features"], ' ', absl::SkipEmpty());
  for (const std::string_view known : kKnownIsa) {
    if (std::ranges::find(flags, known) != flags.end()) cpu.isa.emplace_back(known);
  }
  // 64-bit ARM calls NEON "asimd"; people look for the name they know.
  if (std::ranges::find(cpu.isa, "asimd") != cpu.isa.end()) cpu.isa.emplace_back("neon");
  return cpu;
}

std::string Cpu::DeviceClass() const {
  return absl::StrFormat("%s %s %s (%s) %d cores L1d %dK L2 %dK L3 %dK", arch, vendor, family,
                         model, cores, l1d.bytes >> 10, l2.bytes >> 10, l3.bytes >> 10);
}

int64_t Cpu::LastLevelCacheBytes() const { return std::max({l1d.bytes, l2.bytes, l3.bytes}); }

int CountCpuList(std::string_view list) {
  int count = 0;
  const std::vector<std::string> ranges = absl::StrSplit(std::string(list), ',');
  for (const std::string& range : ranges) {
    const std::vector<std::string> ends = absl::StrSplit(range, '-');
    const int64_t first = ParseInteger(ends.front()).value_or(0);
    count += static_cast<int>(ParseInteger(ends.back()).value_or(first) - first + 1);
  }
  return std::max(count, 1);
}

int64_t HostMemoryBytes() {
  return static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

const Cpu& HostCpu() {
  static const auto* const cpu = [] {
    auto* host = new Cpu(ParseCpuInfo(ContentOf("/proc/cpuinfo"), Architecture()));
    ReadCaches(*host);
    return host;
  }();
  return *cpu;
}

work::DeviceInfo HostDevice() {
  const Cpu& cpu = HostCpu();
  work::DeviceInfo device;
  device.backend = "cpu";
  device.name = cpu.model;
  device.device_class = cpu.DeviceClass();
  device.vendor = cpu.vendor;
  device.arch = cpu.arch;
  device.cores = cpu.cores;
  device.memory_bytes = HostMemoryBytes();
  device.caches = {.l1d_bytes = cpu.l1d.bytes, .l2_bytes = cpu.l2.bytes, .l3_bytes = cpu.l3.bytes};
  device.isa = cpu.isa;
  device.exclusion_group = "cpu";

  utsname names;
  if (::uname(&names) == 0) device.environment["kernel"] = names.release;
  device.environment["os"] = OperatingSystem();
  const std::string governor = ContentOf("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!governor.empty()) device.environment["governor"] = governor;
  if (const auto& toolchain = HostToolchain(); toolchain.ok()) {
    device.languages = {"cpp"};
    device.metrics = {spec::Metric::kLatency, spec::Metric::kThroughput, spec::Metric::kMemory,
                      spec::Metric::kError};
    device.environment["compiler"] = toolchain->version;
    device.environment["flags"] = absl::StrJoin(DefaultFlags(), " ");
  } else {
    device.unavailable_reason = std::string(toolchain.status().message());
  }
  return device;
}

}  // namespace burnish::backends::cpu
