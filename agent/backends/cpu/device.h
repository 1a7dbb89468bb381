// What this machine's processor is, from /proc/cpuinfo and sysfs. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/work/device.h"

namespace burnish::backends::cpu {

struct Cache {
  int64_t bytes = 0;
  int sharing = 1;  // hardware threads that share one

  // Of all that so many threads have.
  int64_t BytesOf(int threads) const { return bytes * ((threads + sharing - 1) / sharing); }
};

struct Cpu {
  std::string arch;
  std::string vendor;
  std::string model;   // for people; what tells chips apart where the processor has no name
  std::string family;  // family, model and stepping in the vendor's numbers
  int64_t cores = 0;
  std::vector<std::string> isa;
  Cache l1d;
  Cache l2;
  Cache l3;

  // The silicon in one line: processors of equal performance have equal text.
  std::string DeviceClass() const;
  int64_t LastLevelCacheBytes() const;
};

// `cpuinfo` is the content of /proc/cpuinfo, in the x86 or the ARM form.
Cpu ParseCpuInfo(std::string_view cpuinfo, std::string_view arch);

// How many numbers a list like "0-3,8" of sysfs has; at least 1.
int CountCpuList(std::string_view list);

const Cpu& HostCpu();  // read once per process
int64_t HostMemoryBytes();
work::DeviceInfo HostDevice();

}  // namespace burnish::backends::cpu
