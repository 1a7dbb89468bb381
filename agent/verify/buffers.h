// Where a kernel's buffers lie in one stretch of memory, with guard zones before, between and
// behind them. Layouts are immutable; the memory belongs to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/spec/job_spec.h"

namespace burnish::verify {

class BufferLayout {
 public:
  // At least this much guards either side of a buffer.
  static constexpr size_t kGuardBytes = 4096;
  static constexpr size_t kAlignment = 64;

  explicit BufferLayout(std::vector<spec::Argument> arguments);

  const std::vector<spec::Argument>& arguments() const { return arguments_; }
  size_t total_bytes() const { return total_bytes_; }
  // Where argument i's buffer starts; 0 for scalars.
  size_t offset(size_t i) const { return regions_[i].offset; }
  // Argument i's buffer within `memory`; empty for scalars.
  std::span<std::byte> Buffer(std::span<std::byte> memory, size_t i) const {
    return memory.subspan(regions_[i].offset, regions_[i].bytes);
  }

  // Puts the pattern everywhere: on buffers and on the guard zones.
  void PoisonAll(std::span<std::byte> memory) const;
  // What was written outside the buffers: "wrote 4 bytes behind the end of 'c'".
  std::optional<std::string> FindDamage(std::span<const std::byte> memory) const;

 private:
  struct Region {
    size_t offset = 0;
    size_t bytes = 0;
  };
  std::vector<spec::Argument> arguments_;
  std::vector<Region> regions_;
  size_t total_bytes_ = 0;
};

}  // namespace burnish::verify
