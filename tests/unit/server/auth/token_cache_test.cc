#include "server/auth/token_cache.h"

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "tests/unit/server/auth/token_fixture.h"

namespace burnish::auth {
namespace {

constexpr absl::Duration kLifetime = absl::Seconds(5);

class TokenCacheTest : public TokenFixture {
 protected:
  std::optional<absl::Time> LastUsed(const std::string& hash) {
    return (*store_->FindToken(hash))->last_used;
  }
  TokenCache cache_{*store_, clock_, kLifetime};
};

TEST_F(TokenCacheTest, BelievesALookUpForAsLongAsItsLifetime) {
  const std::string hash = HashOfToken(Make(store::Role::kAdmin));
  EXPECT_FALSE(cache_.Find(hash, kLifetime).has_value());
  ASSERT_TRUE(cache_.LookUp(hash)->has_value());
  clock_.Advance(kLifetime);
  EXPECT_TRUE(cache_.Find(hash, kLifetime).has_value());
  EXPECT_FALSE(cache_.Find(hash, kLifetime / 2).has_value());
  clock_.Advance(absl::Nanoseconds(1));
  EXPECT_FALSE(cache_.Find(hash, kLifetime).has_value());
  cache_.Forget();
  EXPECT_FALSE(cache_.Find(hash, absl::InfiniteDuration()).has_value());
}

TEST_F(TokenCacheTest, RemembersWhatIsNoToken) {
  EXPECT_EQ(*cache_.LookUp("none"), std::nullopt);
  ASSERT_TRUE(cache_.Find("none", kLifetime).has_value());
  EXPECT_EQ(cache_.Find("none", kLifetime)->token, std::nullopt);
}

TEST_F(TokenCacheTest, WritesDownAUseOnceAMinuteAndOnlyOfATokenInForce) {
  const std::string hash = HashOfToken(Make(store::Role::kAdmin, absl::Minutes(2)));
  const absl::Time first = clock_.Now();
  ASSERT_TRUE(cache_.LookUp(hash).ok());
  EXPECT_EQ(LastUsed(hash), first);
  clock_.Advance(absl::Seconds(30));
  ASSERT_TRUE(cache_.LookUp(hash).ok());
  EXPECT_EQ(LastUsed(hash), first);
  clock_.Advance(absl::Seconds(30));
  ASSERT_TRUE(cache_.LookUp(hash).ok());
  EXPECT_EQ(LastUsed(hash), clock_.Now());
  const absl::Time last = clock_.Now();
  clock_.Advance(absl::Minutes(1));  // expired
  ASSERT_TRUE(cache_.LookUp(hash).ok());
  EXPECT_EQ(LastUsed(hash), last);
}

TEST_F(TokenCacheTest, AsksForTheFirstTokenNowAndThen) {
  EXPECT_FALSE(*cache_.AnyToken());
  Make(store::Role::kAdmin);
  EXPECT_FALSE(*cache_.AnyToken()) << "believed for a while";
  clock_.Advance(kLifetime + absl::Seconds(1));
  EXPECT_TRUE(*cache_.AnyToken());
}

TEST_F(TokenCacheTest, LearnsOfATokenMadeHereAtOnce) {
  EXPECT_FALSE(*cache_.AnyToken());
  Make(store::Role::kAdmin);
  cache_.Forget();
  EXPECT_TRUE(*cache_.AnyToken());
}

TEST_F(TokenCacheTest, IsBounded) {
  for (size_t i = 0; i <= limits::kCachedTokens; ++i) {
    ASSERT_TRUE(cache_.LookUp(absl::StrCat("x", i)).ok());
  }
  EXPECT_FALSE(cache_.Find("x0", kLifetime).has_value());
  EXPECT_TRUE(cache_.Find(absl::StrCat("x", limits::kCachedTokens), kLifetime).has_value());
}

}  // namespace
}  // namespace burnish::auth
