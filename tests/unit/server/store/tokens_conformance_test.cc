#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

constexpr absl::Duration kLifetime = absl::Hours(1);

NewToken TokenOf(const std::string& hash, Role role = Role::kAdmin) {
  return {.name = "name of " + hash,
          .hash = hash,
          .prefix = "1a2b3c4d",
          .role = role,
          .lifetime = kLifetime};
}

TEST_P(StoreConformanceTest, ATokenIsFoundByItsHashWithAllThatItWasMadeWith) {
  EXPECT_FALSE(*store_->AnyToken());
  ASSERT_TRUE(store_->CreateToken(TokenOf("a")).ok());
  EXPECT_TRUE(*store_->AnyToken());
  NewToken made = TokenOf("b", Role::kSubmitter);
  made.namespaces = {Namespace("vision"), Namespace("it's \"odd\" ü")};
  const Token created = *store_->CreateToken(made);
  const Token found = **store_->FindToken("b");
  EXPECT_EQ(found.id, created.id);
  EXPECT_EQ(found.what.name, "name of b");
  EXPECT_EQ(found.what.hash, "b");
  EXPECT_EQ(found.what.prefix, "1a2b3c4d");
  EXPECT_EQ(found.what.role, Role::kSubmitter);
  EXPECT_THAT(found.what.namespaces,
              Optional(ElementsAre(Namespace("vision"), Namespace("it's \"odd\" ü"))));
  EXPECT_EQ(found.created, clock_.Now());
  EXPECT_EQ(found.expires, clock_.Now() + kLifetime);
  EXPECT_EQ(found.last_used, std::nullopt);
  EXPECT_EQ(found.revoked, std::nullopt);
  EXPECT_EQ((*store_->FindToken("a"))->what.namespaces, std::nullopt);
  EXPECT_EQ(*store_->FindToken("c"), std::nullopt);
  EXPECT_THAT(*store_->Tokens(), SizeIs(2));
}

TEST_P(StoreConformanceTest, TheFirstTokenIsAnAdmins) {
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->CreateToken(TokenOf("a", Role::kAgent)).status()));
  EXPECT_THAT(*store_->Tokens(), IsEmpty());
  ASSERT_TRUE(store_->CreateToken(TokenOf("b")).ok());
  EXPECT_TRUE(store_->CreateToken(TokenOf("a", Role::kAgent)).ok());
}

TEST_P(StoreConformanceTest, ARepeatedCreationMakesOneToken) {
  const Token first = *store_->CreateToken(TokenOf("a"));
  clock_.Advance(absl::Seconds(1));
  const Token again = *store_->CreateToken(TokenOf("a"));
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.created, first.created);
}

TEST_P(StoreConformanceTest, ARevokedTokenStaysRevokedSinceTheFirstTime) {
  ASSERT_TRUE(store_->CreateToken(TokenOf("admin")).ok());
  const Token token = *store_->CreateToken(TokenOf("a", Role::kViewer));
  const absl::Time revoked = clock_.Now();
  EXPECT_EQ(store_->RevokeToken(token.id)->revoked, revoked);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(store_->RevokeToken(token.id)->revoked, revoked);
  EXPECT_EQ((*store_->FindToken("a"))->revoked, revoked);
  EXPECT_TRUE(absl::IsNotFound(store_->RevokeToken(TokenId(99)).status()));
}

TEST_P(StoreConformanceTest, TheLastAdminTokenInForceCannotBeRevoked) {
  const Token old = *store_->CreateToken(TokenOf("old"));
  clock_.Advance(kLifetime);  // and is out of force
  const Token first = *store_->CreateToken(TokenOf("first"));
  ASSERT_TRUE(store_->CreateToken(TokenOf("viewer", Role::kViewer)).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->RevokeToken(first.id).status()));
  EXPECT_TRUE(store_->RevokeToken(old.id).ok());
  const Token second = *store_->CreateToken(TokenOf("second"));
  EXPECT_TRUE(store_->RevokeToken(first.id).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->RevokeToken(second.id).status()));
}

TEST_P(StoreConformanceTest, UsesAreKeptAMinuteApart) {
  const Token token = *store_->CreateToken(TokenOf("a"));
  const absl::Time first = clock_.Now();
  ASSERT_TRUE(store_->TouchToken(token.id).ok());
  EXPECT_EQ((*store_->FindToken("a"))->last_used, first);
  clock_.Advance(absl::Seconds(59));
  ASSERT_TRUE(store_->TouchToken(token.id).ok());
  EXPECT_EQ((*store_->FindToken("a"))->last_used, first);
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(store_->TouchToken(token.id).ok());
  EXPECT_EQ((*store_->FindToken("a"))->last_used, clock_.Now());
}

}  // namespace
}  // namespace burnish::store
