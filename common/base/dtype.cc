#include "common/base/dtype.h"

#include <iterator>

#include "common/base/check.h"

namespace burnish {
namespace {

struct DtypeFacts {
  Dtype dtype;
  const char* name;
  size_t bytes;
};

constexpr DtypeFacts kDtypes[] = {
    {Dtype::kF64, "f64", 8}, {Dtype::kF32, "f32", 4}, {Dtype::kF16, "f16", 2},
    {Dtype::kI64, "i64", 8}, {Dtype::kI32, "i32", 4}, {Dtype::kI16, "i16", 2},
    {Dtype::kI8, "i8", 1},   {Dtype::kU64, "u64", 8}, {Dtype::kU32, "u32", 4},
    {Dtype::kU16, "u16", 2}, {Dtype::kU8, "u8", 1},   {Dtype::kBf16, "bf16", 2},
};

const DtypeFacts& FactsOf(Dtype dtype) {
  const size_t index = static_cast<size_t>(dtype);
  CHECK(index < std::size(kDtypes) && kDtypes[index].dtype == dtype) << "dtype " << index;
  return kDtypes[index];
}

}  // namespace

const char* DtypeName(Dtype dtype) { return FactsOf(dtype).name; }

std::optional<Dtype> ParseDtype(std::string_view name) {
  for (const DtypeFacts& facts : kDtypes) {
    if (name == facts.name) return facts.dtype;
  }
  return std::nullopt;
}

std::vector<std::string> DtypeNames() {
  std::vector<std::string> names;
  for (const DtypeFacts& facts : kDtypes) names.emplace_back(facts.name);
  return names;
}

size_t DtypeBytes(Dtype dtype) { return FactsOf(dtype).bytes; }

bool IsFloating(Dtype dtype) {
  return dtype == Dtype::kF64 || dtype == Dtype::kF32 || dtype == Dtype::kF16 ||
         dtype == Dtype::kBf16;
}

}  // namespace burnish
