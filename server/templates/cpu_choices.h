// Choices that all templates for CPUs offer under the same names. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/templates/cpu_source.h"
#include "server/templates/target.h"

namespace burnish::templates {

// Work below which waking other threads costs more than they give.
inline constexpr double kFlopsWorthThreads = 4e5;

inline const std::vector<int64_t> kUnrolls = {1, 2, 4};
inline const std::vector<int64_t> kPrefetches = {0, 8, 32};  // steps of k ahead

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

// VECTOR: sums in a vector, the widest first.
std::vector<int64_t> VectorLanes(const Target& target, const ElementTypes& types);
// THREADS: one, powers of two, all cores.
std::vector<int64_t> ThreadCounts(const Target& target);
// DIVIDE: what threads can share.
std::vector<std::string> Divisions(int64_t batches);

}  // namespace burnish::templates
