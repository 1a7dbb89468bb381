// An authorizer over a store in memory and a clock that the test moves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/auth/authorizer.h"
#include "server/auth/token_text.h"
#include "server/store/sqlite/sqlite_store.h"

namespace burnish::auth {

class TokenFixture : public testing::Test {
 protected:
  // The token's text. A viewer's and a submitter's is for the namespace `own`.
  std::string Make(store::Role role, absl::Duration lifetime = absl::Hours(1)) {
    const std::string text = NewTokenText();
    store::NewToken token{.name = store::RoleName(role),
                          .hash = HashOfToken(text),
                          .prefix = VisiblePrefix(text),
                          .role = role,
                          .lifetime = lifetime};
    if (role == store::Role::kViewer || role == store::Role::kSubmitter) {
      token.namespaces = {Namespace("own")};
    }
    EXPECT_TRUE(store_->CreateToken(token).ok());
    return text;
  }
  void Revoke(const std::string& text) {
    const store::Token token = **store_->FindToken(HashOfToken(text));
    EXPECT_TRUE(store_->RevokeToken(token.id).ok());
  }

  SimulatedClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<store::Store> store_ = *store::OpenSqliteStore(":memory:", clock_);
};

}  // namespace burnish::auth
