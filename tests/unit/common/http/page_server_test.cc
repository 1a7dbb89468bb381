#include "common/http/page_server.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "httplib.h"

namespace burnish::http {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<PageServer>> Listen(const std::string& address) {
  return PageServer::Listen(*net::ParseServerAddress(address),
                            {{"/up", [] { return Answer{.content = "ok\n"}; }},
                             {"/down", [] { return Answer{.status = 503, .content = "why\n"}; }}});
}

TEST(PageServer, AnswersItsPagesAndNothingElse) {
  const auto server = Listen("127.0.0.1:0");
  ASSERT_TRUE(server.ok()) << server.status();
  httplib::Client client("127.0.0.1", (*server)->address().port);
  const auto up = client.Get("/up");
  ASSERT_TRUE(up);
  EXPECT_EQ(up->status, 200);
  EXPECT_EQ(up->body, "ok\n");
  const auto down = client.Get("/down");
  ASSERT_TRUE(down);
  EXPECT_EQ(down->status, 503);
  EXPECT_EQ(down->body, "why\n");
  const auto other = client.Get("/");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->status, 404);
}

TEST(PageServer, RefusesAPortThatIsTaken) {
  const auto first = Listen("127.0.0.1:0");
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Listen(net::ToText((*first)->address()));
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(DiagnosticOf(second.status())->hint, HasSubstr("port is taken"));
}

TEST(PageServer, AnswersWhileSilentConnectionsAreOpen) {
  const auto server = Listen("127.0.0.1:0");
  ASSERT_TRUE(server.ok()) << server.status();
  std::vector<std::unique_ptr<httplib::Client>> clients;
  for (int i = 0; i < 16; ++i) {
    auto& client = clients.emplace_back(
        std::make_unique<httplib::Client>("127.0.0.1", (*server)->address().port));
    client->set_keep_alive(true);
    client->set_read_timeout(1);  // an idle connection that kept its thread would take longer
    ASSERT_TRUE(client->Get("/up"));
  }
}

TEST(PageServer, StopsAtOnceEvenIfNobodyEverCalled) {
  const auto server = Listen("127.0.0.1:0");
  EXPECT_TRUE(server.ok()) << server.status();
}

}  // namespace
}  // namespace burnish::http
