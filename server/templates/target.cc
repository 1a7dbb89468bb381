#include "server/templates/target.h"

#include <algorithm>

namespace burnish::templates {

bool Target::Has(std::string_view instructions) const {
  return std::ranges::find(isa, instructions) != isa.end();
}

int64_t Target::VectorBytes() const { return Has("avx512f") ? 64 : Has("avx2") ? 32 : 16; }

int64_t Target::Registers() const { return Has("avx512f") || Has("neon") ? 32 : 16; }

Target TargetOf(const work::DeviceInfo& device, int64_t threads) {
  Target target;
  if (!device.languages.empty()) target.language = device.languages.front();
  target.isa = device.isa;
  target.cores = threads > 0 ? std::min(threads, device.cores) : device.cores;
  target.l1d_bytes = device.caches.l1d_bytes;
  target.l2_bytes = device.caches.l2_bytes;
  target.l3_bytes = device.caches.l3_bytes;
  return target;
}

}  // namespace burnish::templates
