// A server with TLS and tokens, through the real programs: the first admin token, a job tuned with
// a submitter's and an agent's token, an agent's token revoked in mid-stream, and no token in any
// log.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"
#include "tests/support/certificates.h"

namespace burnish::e2e {
namespace {

using ::testing::HasSubstr;

class TokenTest : public ::testing::Test {
 protected:
  void StartServer(std::vector<std::string> extra = {}) {
    const tests::CertificateFiles own = authority_.Issue("server", "IP:127.0.0.1,DNS:localhost");
    std::vector<std::string> flags = {"--tls-certificate", own.certificate, "--tls-key", own.key};
    flags.insert(flags.end(), extra.begin(), extra.end());
    farm_.StartServer(flags);
  }
  CommandResult Run(std::vector<std::string> arguments, const std::string& token = "") {
    arguments.insert(arguments.end(), {"--server", farm_.address(), "--ca", authority_.path()});
    std::vector<std::string> environment;
    if (!token.empty()) environment.push_back("BURNISH_TOKEN=" + token);
    CommandResult result = Burnish(arguments, environment);
    said_ += result.err;
    return result;
  }
  // The text of a new token.
  std::string Create(const std::vector<std::string>& arguments, const std::string& admin = "") {
    std::vector<std::string> all = {"token", "create", "--json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const CommandResult created = Run(all, admin);
    EXPECT_EQ(created.exit_code, 0) << created.err;
    const std::string token = created.Json().value("token", "");
    secrets_.push_back(token);
    return token;
  }
  void StartAgent(const std::string& token) {
    const std::string file = folder_.Write("agent.token", token + "\n");
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    farm_.StartAgent({"--ca", authority_.path(), "--token-file", file});
  }
  // Every log of the run, and what commands said on standard error.
  std::string AllLogs() const {
    std::stringstream all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".log") all << std::ifstream(entry.path()).rdbuf();
    }
    return all.str() + said_;
  }

  TemporaryFolder folder_;
  const tests::CertificateAuthority authority_{folder_.path()};
  Farm farm_{folder_};
  std::vector<std::string> secrets_;
  std::string said_;
};

TEST_F(TokenTest, ATeamTunesWithTokensAndARevokedAgentIsOut) {
  StartServer({"--log-level", "debug"});
  ASSERT_FALSE(HasFatalFailure());
  const std::string admin = Create({"--name", "ops", "--role", "admin"});
  const std::string team = Create(
      {"--name", "ci", "--role", "submitter", "--namespaces", "vision", "--expires", "2h"}, admin);
  StartAgent(Create({"--name", "rack-3", "--role", "agent"}, admin));
  ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();

  const std::string job = WriteSmallJob(folder_, {.trials = 4});
  EXPECT_EQ(Run({"tune", job}).exit_code, 4) << "without a token";
  const CommandResult elsewhere = Run({"tune", job, "--namespace", "audio"}, team);
  EXPECT_EQ(elsewhere.exit_code, 4);
  EXPECT_THAT(elsewhere.err, HasSubstr("not for namespace 'audio'"));
  const CommandResult tuned = Run({"tune", job, "--namespace", "vision", "--json"}, team);
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err << farm_.server().Log() << farm_.agent().Log();
  EXPECT_EQ(tuned.Json()["state"], "done");
  EXPECT_EQ(Run({"list", "--namespace", "vision", "--json"}, admin).Json()["jobs"].size(), 1u);

  const absl::Duration revoked = SystemClock().Monotonic();
  ASSERT_EQ(Run({"token", "revoke", "rack-3"}, admin).exit_code, 0);
  const auto refused = farm_.agent().WaitForLine("\"event\":\"server_refuses\"", absl::Seconds(10));
  ASSERT_TRUE(refused.has_value()) << farm_.agent().Log();
  EXPECT_THAT(*refused, HasSubstr("token 'rack-3' (t3) was revoked"));
  EXPECT_LT(SystemClock().Monotonic() - revoked, absl::Seconds(8));
  EXPECT_TRUE(farm_.agent().running()) << "it waits for a token that is in force";
  // The new one needs no restart.
  const std::string again = Create({"--name", "rack-3b", "--role", "agent"}, admin);
  const size_t attached = farm_.agent().Log().rfind("\"event\":\"attached\"");
  std::ofstream(folder_.path() + "/agent.token") << again;
  EXPECT_TRUE(
      WaitUntil([&] { return farm_.agent().Log().rfind("\"event\":\"attached\"") > attached; },
                absl::Seconds(10)));

  EXPECT_THAT(farm_.server().Log(), HasSubstr("\"actor\":\"ci (t2, submitter)\""));
  const std::string logs = AllLogs();
  for (const std::string& secret : secrets_) {
    ASSERT_EQ(secret.size(), 72u);
    // Its visible digits may stand anywhere.
    EXPECT_EQ(logs.find(secret.substr(16)), std::string::npos);
  }
}

TEST_F(TokenTest, AWrongTokenIsNotAllowedAndTooManyHaveToWait) {
  StartServer();
  ASSERT_FALSE(HasFatalFailure());
  const std::string admin = Create({"--name", "ops", "--role", "admin"});
  const std::string wrong = "burnish_" + std::string(64, '0');
  for (int i = 0; i < 10; ++i) {
    const CommandResult refused = Run({"list"}, wrong);
    ASSERT_EQ(refused.exit_code, 4) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("none of this server's"));
  }
  EXPECT_THAT(Run({"list"}, wrong).err, HasSubstr("too many wrong tokens"));
  EXPECT_EQ(Run({"list"}, admin).exit_code, 0);
}

TEST_F(TokenTest, TokensAreListedAndTheLastAdminsStays) {
  StartServer();
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_THAT(Run({"token", "list"}).out, HasSubstr("no tokens"));
  EXPECT_EQ(Run({"token", "create", "--name", "x", "--role", "agent"}).exit_code, 2);
  const CommandResult printed = Run({"token", "create", "--name", "ops", "--role", "admin"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const std::string admin = printed.out.substr(0, printed.out.find('\n'));
  EXPECT_EQ(printed.out, admin + "\n") << "nothing else stands on standard output";
  Create({"--name", "ci", "--role", "viewer", "--all-namespaces"}, admin);
  const nlohmann::json listed = Run({"token", "list", "--json"}, admin).Json()["tokens"];
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0]["name"], "ops");
  EXPECT_EQ(listed[0]["state"], "in force");
  EXPECT_FALSE(listed[0]["last_used_unix_ms"].is_null());
  EXPECT_TRUE(listed[1]["namespaces"].is_null());
  EXPECT_FALSE(listed[1].contains("token"));
  const CommandResult last = Run({"token", "revoke", "ops"}, admin);
  EXPECT_EQ(last.exit_code, 2);
  EXPECT_THAT(last.err, HasSubstr("last admin token"));
  EXPECT_EQ(Run({"token", "revoke", "t2"}, admin).exit_code, 0);
  EXPECT_EQ(Run({"token", "list", "--json"}, admin).Json()["tokens"][1]["state"], "revoked");
}

TEST_F(TokenTest, BadTlsFilesEndTheServerByName) {
  const tests::CertificateFiles own = authority_.Issue("server", "IP:127.0.0.1");
  const tests::CertificateFiles other = authority_.Issue("other", "IP:127.0.0.1");
  const std::string none = folder_.path() + "/none.pem";
  for (const auto& [certificate, key, named] :
       {std::tuple(none, own.key, none), {own.certificate, other.key, other.key}}) {
    const std::string log = absl::StrCat(folder_.path(), "/bad-", named.size(), ".log");
    Program server("burnish-server",
                   {"--listen", "127.0.0.1:0", "--database", "sqlite::memory:", "--tls-certificate",
                    certificate, "--tls-key", key},
                   log);
    const auto ended = server.Wait(absl::Seconds(20));
    ASSERT_TRUE(ended.has_value());
    EXPECT_EQ(ended->code, 2);
    EXPECT_THAT(server.Log(), HasSubstr(named));
  }
}

TEST_F(TokenTest, WhoDoesNotTrustTheServerIsToldWhy) {
  StartServer();
  ASSERT_FALSE(HasFatalFailure());
  const tests::CertificateAuthority stranger(folder_.path(), "stranger");
  const CommandResult untrusted = Burnish(
      {"list", "--server", farm_.address(), "--ca", stranger.path(), "--connect-timeout", "2"});
  EXPECT_EQ(untrusted.exit_code, 3);
  EXPECT_THAT(untrusted.err, HasSubstr("--ca"));
  EXPECT_THAT(untrusted.err, HasSubstr("certificate verify failed"));
  EXPECT_TRUE(untrusted.err.starts_with("error: ")) << "nothing of the library's own";
  const CommandResult missing =
      Burnish({"list", "--server", farm_.address(), "--ca", folder_.path() + "/none.pem"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.pem"));
}

}  // namespace
}  // namespace burnish::e2e
