// What this machine's processor is, from /proc/cpuinfo and sysfs. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/work/device.h"

namespace burnish::backends::cpu {

struct Cpu {
  std::string arch;
  std::string vendor;
  std::string model;   // for people; what tells chips apart where the processor has no name
  std::string family;  // family, model and stepping in the vendor's numbers
  int64_t cores = 0;
  std::vector<std::string> isa;
  int64_t l1d_bytes = 0;
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;

  // The silicon in one line: processors of equal performance have equal text.
  std::string DeviceClass() const;
  int64_t LastLevelCacheBytes() const;
};

// `cpuinfo` is the content of /proc/cpuinfo, in the x86 or the ARM form.
Cpu ParseCpuInfo(std::string_view cpuinfo, std::string_view arch);

const Cpu& HostCpu();  // read once per process
work::DeviceInfo HostDevice();

}  // namespace burnish::backends::cpu
