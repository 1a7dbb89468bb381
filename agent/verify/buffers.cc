#include "agent/verify/buffers.h"

#include "absl/strings/str_cat.h"
#include "agent/verify/poison.h"
#include "common/base/check.h"

namespace burnish::verify {
namespace {

// Buffers start at different places within their pages: all at the same one would make their
// elements fight for the same cache sets, which buffers of a real program do not.
constexpr size_t kStagger = 5 * BufferLayout::kAlignment;

size_t RoundUp(size_t bytes, size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

BufferLayout::BufferLayout(std::vector<spec::Argument> arguments)
    : arguments_(std::move(arguments)), regions_(arguments_.size()) {
  static_assert(kStagger % kAlignment == 0 && kGuardBytes % kAlignment == 0);
  size_t end = 0;
  size_t stagger = 0;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!arguments_[i].is_buffer) continue;
    const size_t bytes = arguments_[i].ElementCount() * DtypeBytes(arguments_[i].dtype);
    regions_[i] = {.offset = RoundUp(end, kGuardBytes) + kGuardBytes + stagger, .bytes = bytes};
    end = regions_[i].offset + bytes;
    stagger = (stagger + kStagger) % kGuardBytes;
  }
  total_bytes_ = RoundUp(end, kGuardBytes) + kGuardBytes;
}

void BufferLayout::PoisonAll(std::span<std::byte> memory) const {
  CHECK(memory.size() == total_bytes_);
  Poison(memory);
}

std::optional<std::string> BufferLayout::FindDamage(std::span<const std::byte> memory) const {
  CHECK(memory.size() == total_bytes_);
  const spec::Argument* previous = nullptr;
  size_t previous_end = 0;
  for (size_t i = 0; i <= arguments_.size(); ++i) {
    const spec::Argument* next = i < arguments_.size() ? &arguments_[i] : nullptr;
    if (next != nullptr && !next->is_buffer) continue;
    const size_t begin = next != nullptr ? regions_[i].offset : total_bytes_;
    const auto zone = memory.subspan(previous_end, begin - previous_end);
    if (const size_t damage = FirstUnpoisoned(zone, previous_end); damage < zone.size()) {
      const bool nearer_previous = next == nullptr || damage < zone.size() - damage;
      return previous != nullptr && nearer_previous
                 ? absl::StrCat("wrote outside its buffers: byte ", damage + 1,
                                " after the end of '", previous->name, "'")
                 : absl::StrCat("wrote outside its buffers: byte ", zone.size() - damage,
                                " before the start of '", next->name, "'");
    }
    if (next != nullptr) {
      previous = next;
      previous_end = begin + regions_[i].bytes;
    }
  }
  return std::nullopt;
}

}  // namespace burnish::verify
