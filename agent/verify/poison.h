// What outputs and workspace hold before a run, and what lies around every buffer: bytes that are
// NaN in every floating dtype and no natural number in any integer one. Whoever reads them spoils
// its result; whoever leaves them in an output has not written it.
#pragma once

#include <cstddef>
#include <span>

namespace burnish::verify {

// The pattern has a period of eight bytes, counted from the start of the span.
void Poison(std::span<std::byte> bytes);
// The first byte that is not what Poison() leaves there, where `bytes` starts `phase` bytes after
// what was poisoned; bytes.size() if all are.
size_t FirstUnpoisoned(std::span<const std::byte> bytes, size_t phase = 0);

}  // namespace burnish::verify
