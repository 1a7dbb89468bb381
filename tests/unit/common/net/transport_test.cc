#include "common/net/transport.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::net {
namespace {

using ::testing::HasSubstr;

ServerAddress Address(const char* text) { return *ParseServerAddress(text); }

TEST(Transport, IsPlainTextHereAndTlsElsewhere) {
  for (const char* here : {"127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/s"}) {
    EXPECT_FALSE(SpeaksTls(Address(here), {})) << here;
    EXPECT_TRUE(SpeaksTls(Address(here), {.tls = {.ca = "ca.pem"}})) << here;
  }
  EXPECT_TRUE(SpeaksTls(Address("lab:1"), {}));
  EXPECT_FALSE(SpeaksTls(Address("lab:1"), {.insecure = true}));
}

TEST(Transport, CannotBeBoth) {
  EXPECT_TRUE(CheckTlsPossible(Address("lab:1"), /*insecure=*/false).ok());
  EXPECT_THAT(CheckTlsPossible(Address("lab:1"), /*insecure=*/true).message(),
              HasSubstr("--insecure"));
  EXPECT_THAT(CheckTlsPossible(Address("unix:/s"), /*insecure=*/false).message(),
              HasSubstr("unix:/s"));
}

TEST(Transport, CarriesATokenOnlyWhereNobodyListens) {
  EXPECT_TRUE(CheckTokenMayTravel(Address("127.0.0.1:1"), {}, "x").ok());
  EXPECT_TRUE(CheckTokenMayTravel(Address("lab:1"), {}, "x").ok());
  EXPECT_TRUE(CheckTokenMayTravel(Address("127.0.0.1:1"), {.insecure = true}, "x").ok());
  const absl::Status refused =
      CheckTokenMayTravel(Address("lab:1"), {.insecure = true}, "BURNISH_TOKEN");
  EXPECT_THAT(refused.message(), HasSubstr("the token from BURNISH_TOKEN would go to lab:1"));
}

}  // namespace
}  // namespace burnish::net
