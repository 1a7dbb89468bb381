// The silicon that a schedule is made for: what templates need to know of a device. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/work/device.h"

namespace burnish::templates {

struct Target {
  std::string language;          // that templates shall write: "cpp"
  std::vector<std::string> isa;  // "avx2", "avx512f", "neon"
  int64_t cores = 1;
  int64_t l1d_bytes = 0;
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;

  bool Has(std::string_view instructions) const;
  // Of the widest vectors that arithmetic on floats takes: 64, 32 or 16 bytes.
  int64_t VectorBytes() const;
  // Vector registers.
  int64_t Registers() const;
};

// With `threads` above 0 no more cores than that.
Target TargetOf(const work::DeviceInfo& device, int64_t threads = 0);

}  // namespace burnish::templates
