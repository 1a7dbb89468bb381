#include "server/auth/authorizer.h"

#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "tests/unit/server/auth/token_fixture.h"

namespace burnish::auth {
namespace {

using ::testing::HasSubstr;

constexpr char kSubmit[] = "/burnish.v1.JobService/Submit";
constexpr char kGet[] = "/burnish.v1.JobService/Get";
constexpr char kCreate[] = "/burnish.v1.TokenService/Create";
constexpr char kHere[] = "ipv4:127.0.0.1:4000";
constexpr char kRemote[] = "ipv4:10.0.0.7:41234";

class AuthorizerTest : public TokenFixture {
 protected:
  Authorizer With(const AuthorizerOptions& options) {
    return Authorizer(DefaultPolicy(), *store_, clock_, options);
  }
  // As `text` would be let in, from another machine, into the namespace `own`.
  absl::Status Try(const std::string& text, const char* method = kGet,
                   const std::string& peer = kRemote) {
    return authorizer_.Authorize({.method = method, .peer = peer, .token = text, .owner = "own"})
        .status();
  }
  absl::Status TryWithout(Authorizer& authorizer, const char* method, const char* peer) {
    return authorizer.Authorize({.method = method, .peer = peer, .owner = "own"}).status();
  }

  Authorizer authorizer_ = With({});
};

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

TEST_F(AuthorizerTest, LetsInThisMachineAndNobodyElseWhileThereIsNoToken) {
  EXPECT_TRUE(TryWithout(authorizer_, kSubmit, kHere).ok());
  EXPECT_TRUE(Try("anything", kSubmit, kHere).ok());
  const absl::Status refused = TryWithout(authorizer_, kSubmit, kRemote);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(refused.message(), HasSubstr(kSubmit));
  EXPECT_THAT(DiagnosticOf(refused)->hint, HasSubstr("burnish token create"));
}

TEST_F(AuthorizerTest, LetsEverybodyInWhenTheOperatorSaysSoButNotToTheTokens) {
  Authorizer insecure = With({.insecure = true});
  EXPECT_TRUE(TryWithout(insecure, kSubmit, kRemote).ok());
  EXPECT_TRUE(TryWithout(insecure, kCreate, kHere).ok());
  EXPECT_EQ(TryWithout(insecure, kCreate, kRemote).code(), absl::StatusCode::kUnauthenticated);
}

TEST_F(AuthorizerTest, AsksEverybodyForATokenOnceThereIsOne) {
  Make(store::Role::kAdmin);
  Authorizer insecure = With({.insecure = true});
  for (Authorizer* authorizer : {&authorizer_, &insecure}) {
    for (const char* peer : {kHere, kRemote, "unix:"}) {
      EXPECT_EQ(TryWithout(*authorizer, kGet, peer).code(), absl::StatusCode::kUnauthenticated);
    }
  }
}

TEST_F(AuthorizerTest, AsksNobodyOnAPrivateServer) {
  Make(store::Role::kAdmin);
  Authorizer own = With({.is_private = true});
  EXPECT_TRUE(TryWithout(own, kSubmit, "unix:").ok());
}

TEST_F(AuthorizerTest, RefusesAMethodWithoutARowToEverybody) {
  Authorizer own = With({.is_private = true});
  const char* const method = "/burnish.v1.JobService/Purge";
  EXPECT_EQ(TryWithout(own, method, "unix:").code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Try(Make(store::Role::kAdmin), method).code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(AuthorizerTest, TellsWhoCallsAndWithWhatRole) {
  const std::string admin = Make(store::Role::kAdmin);
  const auto principal =
      authorizer_.Authorize({.method = kGet, .peer = kRemote, .token = admin, .owner = "any"});
  ASSERT_TRUE(principal.ok()) << principal.status();
  EXPECT_EQ(principal->Actor(), "admin (t1, admin)");
  EXPECT_EQ(Principal().Actor(), "anonymous");
}

TEST_F(AuthorizerTest, KeepsATokenToItsRoleAndItsNamespaces) {
  Make(store::Role::kAdmin);
  const std::string viewer = Make(store::Role::kViewer);
  EXPECT_TRUE(Try(viewer, kGet).ok());
  const absl::Status role = Try(viewer, kSubmit);
  EXPECT_EQ(role.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(role.message(), HasSubstr("has the role viewer"));
  const absl::Status other =
      authorizer_.Authorize({.method = kGet, .peer = kHere, .token = viewer, .owner = "other"})
          .status();
  EXPECT_EQ(other.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(other.message(), HasSubstr("not for namespace 'other'"));
}

TEST_F(AuthorizerTest, RefusesARevokedTokenAfterTheCachesTimeAndSaysSo) {
  Make(store::Role::kAdmin);
  const std::string viewer = Make(store::Role::kViewer);
  ASSERT_TRUE(Try(viewer).ok());
  Revoke(viewer);
  clock_.Advance(absl::Seconds(5));
  EXPECT_TRUE(Try(viewer).ok()) << "another server has revoked it: not known yet";
  clock_.Advance(absl::Milliseconds(1));
  const absl::Status refused = Try(viewer);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(refused.message(), HasSubstr("was revoked"));
}

TEST_F(AuthorizerTest, RefusesARevokedTokenAtOnceOnTheServerThatRevokedIt) {
  Make(store::Role::kAdmin);
  const std::string viewer = Make(store::Role::kViewer);
  ASSERT_TRUE(Try(viewer).ok());
  Revoke(viewer);
  authorizer_.TokensChanged();
  EXPECT_EQ(Try(viewer).code(), absl::StatusCode::kUnauthenticated);
}

TEST_F(AuthorizerTest, RefusesATokenFromTheInstantItExpires) {
  const std::string admin = Make(store::Role::kAdmin, absl::Seconds(2));
  ASSERT_TRUE(Try(admin).ok());
  clock_.Advance(absl::Seconds(2));
  const absl::Status refused = Try(admin);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(refused.message(), HasSubstr("expired on 2027-01-15"));
}

TEST_F(AuthorizerTest, LetsAPeerWithTenWrongTokensWait) {
  const std::string admin = Make(store::Role::kAdmin);
  for (int i = 0; i < limits::kFailedTriesPerMinute; ++i) {
    EXPECT_EQ(Try(NewTokenText()).code(), absl::StatusCode::kUnauthenticated);
  }
  const absl::Status waits = Try(NewTokenText());
  EXPECT_EQ(waits.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(DiagnosticOf(waits)->hint, HasSubstr("in a minute"));
  EXPECT_EQ(Try("no token at all", kGet, "ipv4:10.0.0.7:5").code(),
            absl::StatusCode::kResourceExhausted)
      << "another port is no other peer";
  EXPECT_EQ(Try(NewTokenText(), kGet, "ipv4:10.0.0.8:1").code(),
            absl::StatusCode::kUnauthenticated);
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(Try(NewTokenText()).code(), absl::StatusCode::kUnauthenticated);
}

TEST_F(AuthorizerTest, LetsARightTokenInBesideAPeersWrongOnes) {
  const std::string admin = Make(store::Role::kAdmin);
  ASSERT_TRUE(Try(admin).ok());
  for (int i = 0; i < 2 * limits::kFailedTriesPerMinute; ++i) Try(NewTokenText()).IgnoreError();
  clock_.Advance(absl::Seconds(30));  // looked up anew
  EXPECT_TRUE(Try(admin).ok());
  const std::string newcomer = Make(store::Role::kViewer);
  EXPECT_TRUE(Try(newcomer).ok());
  EXPECT_EQ(Try(Make(store::Role::kViewer)).code(), absl::StatusCode::kResourceExhausted)
      << "one new token a second";
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(Try(Make(store::Role::kViewer)).ok());
}

TEST_F(AuthorizerTest, EndsWhatLastsWithTheTokenItBeganWith) {
  Make(store::Role::kAdmin);
  const std::string agent = Make(store::Role::kAgent);
  const auto principal = authorizer_.Authorize(
      {.method = "/burnish.v1.AgentService/Attach", .peer = kRemote, .token = agent});
  ASSERT_TRUE(principal.ok()) << principal.status();
  EXPECT_TRUE(authorizer_.StillIn(*principal).ok());
  Revoke(agent);
  clock_.Advance(absl::Seconds(3));
  EXPECT_TRUE(authorizer_.StillIn(*principal).ok());
  clock_.Advance(absl::Seconds(1));  // the last look before five seconds have passed
  const absl::Status out = authorizer_.StillIn(*principal);
  EXPECT_EQ(out.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(out.message(), HasSubstr("was revoked"));
}

TEST_F(AuthorizerTest, EndsWhatLastsWithoutATokenOnceThereIsOne) {
  const auto principal = authorizer_.Authorize({.method = kGet, .peer = kHere, .owner = "own"});
  ASSERT_TRUE(principal.ok());
  EXPECT_TRUE(authorizer_.StillIn(*principal).ok());
  Make(store::Role::kAdmin);
  authorizer_.TokensChanged();
  EXPECT_EQ(authorizer_.StillIn(*principal).code(), absl::StatusCode::kUnauthenticated);
}

}  // namespace
}  // namespace burnish::auth
