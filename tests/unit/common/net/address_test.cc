#include "common/net/address.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::net {
namespace {

using ::testing::HasSubstr;

TEST(ServerAddressText, ReadsBackAsItWasWritten) {
  for (const char* text : {"127.0.0.1:7400", "lab-server:0", "[::1]:7400", "unix:/run/x/socket"}) {
    const auto address = ParseServerAddress(text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(ToText(*address), text);
  }
}

TEST(ServerAddressText, SaysWhatIsWrongAndWhatWouldBeRight) {
  const struct {
    const char* text;
    const char* message;
    const char* hint;
  } cases[] = {
      {"localhost", "no port", "HOST:PORT"},
      {":7400", "no host", "HOST:PORT"},
      {"host:", "port", "HOST:PORT"},
      {"host:65536", "0 to 65535", "HOST:PORT"},
      {"host:-1", "0 to 65535", "HOST:PORT"},
      {"host:74oo", "0 to 65535", "HOST:PORT"},
      {"http://host:80", "URL", "HOST:PORT"},
      {"::1:7400", "brackets", "[ADDRESS]:PORT"},
      {"unix:socket", "not absolute", "unix:/"},
      {"unix:", "not absolute", "unix:/"},
  };
  for (const auto& bad : cases) {
    const auto address = ParseServerAddress(bad.text);
    ASSERT_FALSE(address.ok()) << bad.text;
    const auto diagnostic = DiagnosticOf(address.status());
    ASSERT_TRUE(diagnostic.has_value()) << bad.text;
    EXPECT_THAT(diagnostic->message, HasSubstr(bad.message));
    EXPECT_THAT(diagnostic->hint, HasSubstr(bad.hint));
  }
  EXPECT_FALSE(ParseServerAddress("unix:/" + std::string(107, 'a')).ok());
}

TEST(PlainText, StaysOnThisMachineUnlessTheUserSaysSo) {
  for (const char* local : {"127.0.0.1:1", "127.8.9.1:1", "localhost:1", "[::1]:1", "unix:/s"}) {
    EXPECT_TRUE(CheckPlainTextAllowed(*ParseServerAddress(local), false).ok()) << local;
  }
  for (const char* remote : {"0.0.0.0:1", "10.0.0.1:1", "[::]:1", "127.example.org:1"}) {
    const auto address = *ParseServerAddress(remote);
    const absl::Status refused = CheckPlainTextAllowed(address, false);
    ASSERT_FALSE(refused.ok()) << remote;
    EXPECT_THAT(DiagnosticOf(refused)->hint, HasSubstr("--insecure"));
    EXPECT_TRUE(CheckPlainTextAllowed(address, true).ok());
  }
}

}  // namespace
}  // namespace burnish::net
