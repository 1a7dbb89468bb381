#include "common/base/hash.h"

#include <gtest/gtest.h>

namespace burnish {
namespace {

TEST(Sha256Hex, AgreesWithFips180) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Hex, CountsEveryByte) {
  EXPECT_NE(Sha256Hex(std::string_view("a\0b", 3)), Sha256Hex("a"));
}

TEST(Sha256Hex, IsToldFromOtherText) {
  const std::string hash = Sha256Hex("abc");
  EXPECT_TRUE(IsSha256Hex(hash));
  EXPECT_FALSE(IsSha256Hex(hash.substr(1)));
  EXPECT_FALSE(IsSha256Hex("../" + hash.substr(3)));
  EXPECT_FALSE(IsSha256Hex("B" + hash.substr(1)));
}

}  // namespace
}  // namespace burnish
