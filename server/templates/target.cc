#include "server/templates/target.h"

#include <algorithm>

namespace burnish::templates {

bool Target::Has(std::string_view instructions) const {
  return std::ranges::find(isa, instructions) != isa.end();
}

int64_t Target::VectorBytes() const { return Has("avx512f") ? 64 : Has("avx2") ? 32 : 16; }

int64_t Target::Registers() const { return Has("avx512f") || Has("neon") ? 32 : 16; }

}  // namespace burnish::templates
