#include "server/http/http_server.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "httplib.h"

namespace burnish::http {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<HttpServer>> Listen(const std::string& address) {
  return HttpServer::Listen(*net::ParseServerAddress(address));
}

TEST(HttpServer, AnswersThatItIsAliveAndNothingElse) {
  const auto server = Listen("127.0.0.1:0");
  ASSERT_TRUE(server.ok()) << server.status();
  httplib::Client client("127.0.0.1", (*server)->address().port);
  const auto alive = client.Get("/livez");
  ASSERT_TRUE(alive);
  EXPECT_EQ(alive->status, 200);
  EXPECT_EQ(alive->body, "ok\n");
  const auto other = client.Get("/");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->status, 404);
}

TEST(HttpServer, RefusesAPortThatIsTaken) {
  const auto first = Listen("127.0.0.1:0");
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Listen(net::ToText((*first)->address()));
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(DiagnosticOf(second.status())->hint, HasSubstr("port is taken"));
}

TEST(HttpServer, StopsAtOnceEvenIfNobodyEverCalled) {
  const auto server = Listen("127.0.0.1:0");
  EXPECT_TRUE(server.ok()) << server.status();
}

}  // namespace
}  // namespace burnish::http
