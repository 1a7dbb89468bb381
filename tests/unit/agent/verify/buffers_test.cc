#include "agent/verify/buffers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "agent/verify/poison.h"
#include "common/base/elements.h"

namespace burnish::verify {
namespace {

spec::Argument Buffer(std::string name, int64_t elements) {
  spec::Argument argument;
  argument.name = std::move(name);
  argument.is_buffer = true;
  argument.shape = {elements};
  return argument;
}

class BuffersTest : public ::testing::Test {
 protected:
  BuffersTest()
      : layout_({Buffer("a", 1001), spec::Argument{.name = "n"}, Buffer("c", 3)}),
        memory_(layout_.total_bytes()) {
    layout_.PoisonAll(memory_);
  }
  std::string DamageAt(size_t offset) {
    memory_[offset] = std::byte{0};
    const auto damage = layout_.FindDamage(memory_);
    layout_.PoisonAll(memory_);
    return damage.value_or("");
  }

  const BufferLayout layout_;
  std::vector<std::byte> memory_;
};

TEST_F(BuffersTest, BuffersAreAlignedAndApart) {
  EXPECT_EQ(layout_.Buffer(memory_, 0).size(), 4004u);
  EXPECT_TRUE(layout_.Buffer(memory_, 1).empty());
  EXPECT_EQ(layout_.offset(0) % BufferLayout::kAlignment, 0u);
  EXPECT_EQ(layout_.offset(2) % BufferLayout::kAlignment, 0u);
  EXPECT_NE(layout_.offset(0) % 4096, layout_.offset(2) % 4096);
  EXPECT_GE(layout_.offset(0), BufferLayout::kGuardBytes);
  EXPECT_GE(layout_.offset(2), layout_.offset(0) + 4004 + BufferLayout::kGuardBytes);
  EXPECT_GE(memory_.size(), layout_.offset(2) + 12 + BufferLayout::kGuardBytes);
}

TEST_F(BuffersTest, WritingBuffersIsNoDamage) {
  for (const size_t i : {0, 2}) {
    for (std::byte& byte : layout_.Buffer(memory_, i)) byte = std::byte{1};
  }
  EXPECT_EQ(layout_.FindDamage(memory_), std::nullopt);
}

TEST_F(BuffersTest, FindsDamageOnEverySideOfEveryBuffer) {
  const size_t a = layout_.offset(0);
  const size_t c = layout_.offset(2);
  EXPECT_EQ(DamageAt(a - 1), "wrote outside its buffers: byte 1 before the start of 'a'");
  EXPECT_EQ(DamageAt(0),
            "wrote outside its buffers: byte " + std::to_string(a) + " before the start of 'a'");
  EXPECT_EQ(DamageAt(a + 4004), "wrote outside its buffers: byte 1 after the end of 'a'");
  EXPECT_EQ(DamageAt(a + 4013), "wrote outside its buffers: byte 10 after the end of 'a'");
  EXPECT_EQ(DamageAt(c - 8), "wrote outside its buffers: byte 8 before the start of 'c'");
  EXPECT_EQ(DamageAt(c + 12), "wrote outside its buffers: byte 1 after the end of 'c'");
  EXPECT_NE(DamageAt(memory_.size() - 1), "");
}

TEST(PoisonTest, IsNanInEveryFloatingType) {
  std::byte bytes[24];
  Poison(bytes);
  for (size_t i = 0; i < sizeof(bytes); i += 8) {
    double value;
    std::memcpy(&value, bytes + i, sizeof(value));
    EXPECT_TRUE(std::isnan(value));
  }
  for (size_t i = 0; i < sizeof(bytes); i += 4) {
    float value;
    std::memcpy(&value, bytes + i, sizeof(value));
    EXPECT_TRUE(std::isnan(value));
  }
  for (size_t i = 0; i < sizeof(bytes); i += 2) {
    Half value;
    std::memcpy(&value, bytes + i, sizeof(value));
    EXPECT_TRUE(std::isnan(value.ToDouble()));
    EXPECT_TRUE(std::isnan(BFloat16{value.bits}.ToDouble()));
  }
}

TEST(PoisonTest, FindsTheFirstOtherByteAtAnyPhase) {
  std::vector<std::byte> bytes(100);
  Poison(bytes);
  EXPECT_EQ(FirstUnpoisoned(bytes), 100u);
  for (size_t phase = 0; phase < 9; ++phase) {
    const auto rest = std::span(bytes).subspan(phase);
    EXPECT_EQ(FirstUnpoisoned(rest, phase), rest.size());
  }
  bytes[61] = std::byte{7};
  EXPECT_EQ(FirstUnpoisoned(std::span(bytes).subspan(3), 3), 58u);
}

}  // namespace
}  // namespace burnish::verify
