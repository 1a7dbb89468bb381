// The C++ text whose machine code measures what a processor can do at most. It is compiled like a
// kernel, for the real instruction set of this host, and called by roofs.cc.
#pragma once

namespace burnish::backends::cpu {

// Defines `burnish_roof(data, offset, bytes, kind, repeats, done)`, which says in *done how many
// operations it did, or bytes it read: 0 for a kind that this processor has no instruction for.
extern const char kRoofSource[];
inline constexpr char kRoofEntry[] = "burnish_roof";

enum class RoofKind { kRead, kF32, kF64, kI8, kBf16 };

}  // namespace burnish::backends::cpu
