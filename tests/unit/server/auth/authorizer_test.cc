#include "server/auth/authorizer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::auth {
namespace {

using ::testing::HasSubstr;

constexpr char kSubmit[] = "/burnish.v1.JobService/Submit";
constexpr char kRemote[] = "ipv4:10.0.0.7:41234";

TEST(LocalPeer, IsLoopbackOrAUnixSocket) {
  for (const char* peer : {"unix:", "unix:/run/socket", "ipv4:127.0.0.1:4000", "ipv6:[::1]:4000",
                           "ipv6:%5B::1%5D:4000", "ipv6:[::ffff:127.0.0.1]:4000"}) {
    EXPECT_TRUE(IsLocalPeer(peer)) << peer;
  }
  for (const char* peer : {"", kRemote, "ipv4:12.7.0.0:1", "ipv6:[::10]:4000",
                           "ipv6:[::ffff:10.0.0.1]:4000", "dns:127.0.0.1"}) {
    EXPECT_FALSE(IsLocalPeer(peer)) << peer;
  }
}

TEST(Authorizer, LetsInThisMachineAndNobodyElse) {
  const Authorizer authorizer(DefaultPolicy(), /*insecure=*/false);
  EXPECT_TRUE(authorizer.Authorize(kSubmit, "ipv4:127.0.0.1:4000").ok());
  const absl::Status refused = authorizer.Authorize(kSubmit, kRemote);
  EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(refused.message(), HasSubstr(kSubmit));
}

TEST(Authorizer, LetsEverybodyInWhenTheOperatorSaysSo) {
  EXPECT_TRUE(Authorizer(DefaultPolicy(), /*insecure=*/true).Authorize(kSubmit, kRemote).ok());
}

TEST(Authorizer, RefusesAMethodWithoutARowToEverybody) {
  const Authorizer authorizer(DefaultPolicy(), /*insecure=*/true);
  EXPECT_EQ(authorizer.Authorize("/burnish.v1.JobService/Purge", "unix:").code(),
            absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace burnish::auth
