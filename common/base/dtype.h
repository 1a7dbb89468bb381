// Element types of buffers and scalars.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace burnish {

enum class Dtype { kF64, kF32, kF16, kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8, kBf16 };

const char* DtypeName(Dtype dtype);  // "f32"
std::optional<Dtype> ParseDtype(std::string_view name);
std::vector<std::string> DtypeNames();
size_t DtypeBytes(Dtype dtype);
bool IsFloating(Dtype dtype);

}  // namespace burnish
