#include "server/config/config.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::server {
namespace {

using ::testing::HasSubstr;

ServerConfig Parsed(const std::vector<std::string>& arguments) {
  const auto parsed = ParseCommandLine(arguments);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? std::get<ServerConfig>(*parsed) : ServerConfig();
}

std::string Refusal(const std::vector<std::string>& arguments) {
  const auto parsed = ParseCommandLine(arguments);
  EXPECT_FALSE(parsed.ok());
  const auto diagnostic = DiagnosticOf(parsed.status());
  EXPECT_TRUE(diagnostic.has_value());
  return diagnostic.has_value() ? diagnostic->message + " | " + diagnostic->hint : "";
}

TEST(ServerCommandLine, HasSafeDefaults) {
  const ServerConfig config = Parsed({});
  EXPECT_EQ(net::ToText(config.listen), "127.0.0.1:7400");
  EXPECT_FALSE(config.http.has_value());
  EXPECT_EQ(config.sqlite_path, "burnish.db");
  EXPECT_FALSE(config.insecure);
  EXPECT_FALSE(config.is_private());
  EXPECT_EQ(config.heartbeat_interval, absl::Seconds(5));
  EXPECT_EQ(config.lease, absl::Seconds(30));
  EXPECT_EQ(config.drain_grace, absl::Seconds(5));
  EXPECT_FALSE(config.enable_reflection);
  EXPECT_FALSE(config.log.format.has_value());
}

TEST(ServerCommandLine, TakesEveryFlag) {
  const ServerConfig config =
      Parsed({"--listen", "0.0.0.0:0", "--http", "0.0.0.0:7480", "--database", "sqlite:/d/b.db",
              "--insecure", "--heartbeat-interval", "0.25", "--lease=1.5", "--drain-grace", "0",
              "--enable-reflection", "--log-format", "json", "--log-level", "debug"});
  EXPECT_EQ(net::ToText(config.listen), "0.0.0.0:0");
  EXPECT_EQ(net::ToText(*config.http), "0.0.0.0:7480");
  EXPECT_EQ(config.sqlite_path, "/d/b.db");
  EXPECT_TRUE(config.insecure);
  EXPECT_EQ(config.heartbeat_interval, absl::Milliseconds(250));
  EXPECT_EQ(config.lease, absl::Milliseconds(1500));
  EXPECT_EQ(config.drain_grace, absl::ZeroDuration());
  EXPECT_TRUE(config.enable_reflection);
  EXPECT_EQ(config.log.format, LogFormat::kJson);
  EXPECT_EQ(config.log.level, LogLevel::kDebug);
}

TEST(ServerCommandLine, KeepsAPrivateServersDatabaseInItsFolder) {
  const ServerConfig config = Parsed({"--private", "/data", "--listen", "unix:/run/x/socket"});
  EXPECT_TRUE(config.is_private());
  EXPECT_EQ(config.sqlite_path, "/data/burnish.db");
  EXPECT_EQ(config.hold_linger, absl::Seconds(1));
  EXPECT_EQ(config.first_hold, absl::Seconds(10));
  EXPECT_EQ(config.log.format, LogFormat::kText);
}

TEST(ServerCommandLine, RefusesWhatCannotBe) {
  EXPECT_THAT(Refusal({"--listen", "0.0.0.0:7400"}), HasSubstr("--tls-certificate"));
  EXPECT_THAT(Refusal({"--listen", "0.0.0.0:7400"}), HasSubstr("--insecure"));
  EXPECT_THAT(Refusal({"--http", "0.0.0.0:7480"}), HasSubstr("--insecure"));
  EXPECT_THAT(Refusal({"--http", "unix:/socket"}), HasSubstr("HOST:PORT"));
  EXPECT_THAT(Refusal({"--listen"}), HasSubstr("--help"));
  EXPECT_THAT(Refusal({"--lissten", "x"}), HasSubstr("did you mean --listen?"));
  EXPECT_THAT(Refusal({"surplus"}), HasSubstr("'surplus'"));
  EXPECT_THAT(Refusal({"--database", "mysql://db"}), HasSubstr("postgresql://"));
  EXPECT_THAT(Refusal({"migrate", "--database", "sqlite:a.db"}), HasSubstr("for PostgreSQL"));
  EXPECT_THAT(Refusal({"--database", "sqlite:"}), HasSubstr("sqlite:FILE"));
  EXPECT_THAT(Refusal({"--lease", "soon"}), HasSubstr("--lease soon"));
  EXPECT_THAT(Refusal({"--lease", "0"}), HasSubstr("above 0"));
  EXPECT_THAT(Refusal({"--lease", "6"}), HasSubstr("two heartbeat intervals"));
  EXPECT_THAT(Refusal({"--drain-grace", "-1"}), HasSubstr("--drain-grace -1"));
  EXPECT_THAT(Refusal({"--log-format", "xml"}), HasSubstr("json or text"));
  EXPECT_THAT(Refusal({"--private", "/data"}), HasSubstr("unix:PATH"));
  EXPECT_THAT(Refusal({"--private", "/data", "--listen", "unix:/s", "--http", "[::1]:1"}),
              HasSubstr("--http"));
}

TEST(ServerCommandLine, TakesTlsFilesAndThenAnyAddress) {
  const ServerConfig config =
      Parsed({"--listen", "0.0.0.0:7400", "--tls-certificate", "s.pem", "--tls-key", "s.key",
              "--tls-client-ca", "c.pem", "--tls-reload", "10", "--token-cache", "2"});
  EXPECT_EQ(config.tls.certificate, "s.pem");
  EXPECT_EQ(config.tls.key, "s.key");
  EXPECT_EQ(config.tls.ca, "c.pem");
  EXPECT_EQ(config.tls_reload, absl::Seconds(10));
  EXPECT_EQ(config.token_cache, absl::Seconds(2));
  EXPECT_EQ(Parsed({}).token_cache, absl::Seconds(5));
  EXPECT_THAT(Refusal({"--tls-certificate", "s.pem"}), HasSubstr("--tls-key FILE"));
  EXPECT_THAT(Refusal({"--tls-client-ca", "c.pem"}), HasSubstr("--tls-certificate FILE"));
  EXPECT_THAT(Refusal({"--insecure", "--tls-certificate", "s.pem", "--tls-key", "s.key"}),
              HasSubstr("--insecure"));
  EXPECT_THAT(Refusal({"--listen", "unix:/s", "--tls-certificate", "s.pem", "--tls-key", "s.key"}),
              HasSubstr("unix:/s"));
  EXPECT_THAT(Refusal({"--token-cache", "0"}), HasSubstr("--token-cache 0"));
}

TEST(ServerCommandLine, TellsItsFlagsWithAnExample) {
  const auto help = ParseCommandLine({"--help"});
  ASSERT_TRUE(help.ok());
  EXPECT_THAT(std::get<InformationText>(*help).text, HasSubstr("Example:"));
  const auto version = ParseCommandLine({"--version"});
  ASSERT_TRUE(version.ok());
  EXPECT_THAT(std::get<InformationText>(*version).text, HasSubstr("burnish-server 0."));
}

}  // namespace
}  // namespace burnish::server
