#include "agent/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "common/base/diagnostic.h"

namespace burnish::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() {
    ::unsetenv("BURNISH_SERVER");
    ::unsetenv("XDG_STATE_HOME");
    ::setenv("HOME", "/home/someone", 1);
  }
  AgentConfig Parse(const std::vector<std::string>& arguments) {
    const auto parsed = ParseCommandLine(arguments);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    return parsed.ok() ? std::get<AgentConfig>(*parsed) : AgentConfig();
  }
  std::string ErrorOf(const std::vector<std::string>& arguments) {
    const auto parsed = ParseCommandLine(arguments);
    const auto diagnostic = DiagnosticOf(parsed.status());
    EXPECT_TRUE(diagnostic.has_value());
    return diagnostic ? diagnostic->message + " / " + diagnostic->hint : "";
  }
};

TEST_F(ConfigTest, DefaultsServeThisMachinesProcessor) {
  const AgentConfig config = Parse({"--server", "127.0.0.1:7400"});
  EXPECT_EQ(net::ToText(config.server), "127.0.0.1:7400");
  EXPECT_EQ(config.state_folder, "/home/someone/.local/state/burnish-agent");
  EXPECT_THAT(config.backends, ElementsAre("cpu"));
  EXPECT_EQ(config.prefetch, 4);
  EXPECT_EQ(config.control_interval, 20);
  EXPECT_EQ(config.measure_roofs, MeasureRoofs::kAuto);
  EXPECT_FALSE(config.agent_id.has_value());
  EXPECT_FALSE(config.until_stdin_closes);
}

TEST_F(ConfigTest, FlagsAreRead) {
  const AgentConfig config = Parse({"--server",
                                    "unix:/run/b.sock",
                                    "--state-dir",
                                    "/s",
                                    "--backend",
                                    "null,cpu",
                                    "--backend",
                                    "cpu",
                                    "--label",
                                    "rack=3",
                                    "--label",
                                    "note=a=b",
                                    "--agent-id",
                                    "bench-1",
                                    "--prefetch",
                                    "2",
                                    "--control-interval",
                                    "0",
                                    "--measure-roofs",
                                    "never",
                                    "--isolation",
                                    "process",
                                    "--isolation-ceiling",
                                    "namespace",
                                    "--until-stdin-closes",
                                    "--metrics",
                                    "127.0.0.1:9400",
                                    "--log-level",
                                    "error"});
  EXPECT_EQ(config.state_folder, "/s");
  EXPECT_THAT(config.backends, ElementsAre("null", "cpu"));
  EXPECT_THAT(config.labels, ElementsAre(Pair("note", "a=b"), Pair("rack", "3")));
  EXPECT_EQ(config.agent_id->value(), "bench-1");
  EXPECT_EQ(config.prefetch, 2);
  EXPECT_EQ(config.control_interval, 0);
  EXPECT_EQ(config.measure_roofs, MeasureRoofs::kNever);
  EXPECT_EQ(config.isolation, spec::IsolationLevel::kProcess);
  EXPECT_EQ(config.isolation_ceiling, spec::IsolationLevel::kNamespace);
  EXPECT_EQ(net::ToText(*config.metrics), "127.0.0.1:9400");
  EXPECT_EQ(config.log.level, LogLevel::kError);
  EXPECT_TRUE(config.until_stdin_closes);
}

TEST_F(ConfigTest, TheEnvironmentNamesServerAndStateHome) {
  ::setenv("BURNISH_SERVER", "localhost:1", 1);
  ::setenv("XDG_STATE_HOME", "/state", 1);
  const AgentConfig config = Parse({});
  EXPECT_EQ(net::ToText(config.server), "localhost:1");
  EXPECT_EQ(config.state_folder, "/state/burnish-agent");
}

TEST_F(ConfigTest, WhatCannotBeIsRefusedWithWhatWouldBeRight) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("--server HOST:PORT"));
  EXPECT_THAT(ErrorOf({"--server", "x:1", "--bakend", "cpu"}),
              HasSubstr("did you mean --backend?"));
  const auto with = [this](const std::string& flag, const std::string& value) {
    return ErrorOf({"--server", "localhost:1", flag, value});
  };
  EXPECT_THAT(with("--backend", "cpu,"), HasSubstr("an empty name"));
  EXPECT_THAT(with("--label", "rack"), HasSubstr("--label rack=3"));
  EXPECT_THAT(with("--isolation", "ful"), HasSubstr("did you mean 'full'?"));
  EXPECT_THAT(with("--agent-id", "a/b"), HasSubstr("not a name"));
  EXPECT_THAT(with("--prefetch", "0"), HasSubstr("write 1 to 64"));
  EXPECT_THAT(with("--control-interval", "-1"), HasSubstr("write 0 to 1000000"));
  EXPECT_THAT(with("--measure-roofs", "yes"), HasSubstr("write auto, always or never"));
  EXPECT_THAT(with("--metrics", "0.0.0.0:9400"), HasSubstr("--insecure"));
  EXPECT_THAT(with("--metrics", "unix:/socket"), HasSubstr("HOST:PORT"));
  EXPECT_THAT(with("--log-level", "loud"), HasSubstr("--log-level loud"));
  ::unsetenv("HOME");
  EXPECT_THAT(ErrorOf({"--server", "localhost:1"}), HasSubstr("--state-dir DIR"));
}

TEST_F(ConfigTest, TlsIsSpokenToOtherMachinesAndATokenGoesNowhereElse) {
  const AgentConfig config = Parse({"--server", "lab.example:7400", "--token-file", "t", "--ca",
                                    "ca.pem", "--tls-certificate", "a.pem", "--tls-key", "a.key"});
  EXPECT_EQ(config.token_file, "t");
  EXPECT_EQ(config.dial.tls.ca, "ca.pem");
  EXPECT_EQ(config.dial.tls.certificate, "a.pem");
  EXPECT_EQ(config.dial.tls.key, "a.key");
  EXPECT_TRUE(Parse({"--server", "lab.example:7400", "--insecure"}).dial.insecure);
  EXPECT_THAT(ErrorOf({"--server", "lab.example:7400", "--insecure", "--token-file", "t"}),
              HasSubstr("plain text"));
  EXPECT_THAT(ErrorOf({"--server", "lab.example:7400", "--insecure", "--ca", "ca.pem"}),
              HasSubstr("leave either out"));
}

TEST_F(ConfigTest, ReplayNeedsFilesAndFilesNeedReplay) {
  const AgentConfig config =
      Parse({"--server", "localhost:1", "--backend", "replay", "--replay-records", "a.json",
             "--replay-records", "b.json", "--replay-noise"});
  EXPECT_THAT(config.replay_records, ElementsAre("a.json", "b.json"));
  EXPECT_TRUE(config.replay_noise);
  EXPECT_THAT(ErrorOf({"--server", "localhost:1", "--backend", "replay"}),
              HasSubstr("add --replay-records FILE"));
  EXPECT_THAT(ErrorOf({"--server", "localhost:1", "--replay-records", "a.json"}),
              HasSubstr("add --backend replay"));
  EXPECT_THAT(ErrorOf({"--server", "localhost:1", "--replay-noise"}),
              HasSubstr("add --backend replay"));
}

TEST_F(ConfigTest, SensorsAreAListOfKindsNamesAndPrograms) {
  EXPECT_THAT(Parse({"--server", "localhost:1"}).sensors, ElementsAre("auto"));
  EXPECT_THAT(Parse({"--server", "localhost:1", "--sensor", "rapl,ina3221:VDD_IN", "--sensor",
                     "command:meter --of 1,2"})
                  .sensors,
              ElementsAre("rapl", "ina3221:VDD_IN", "command:meter --of 1,2"));
  EXPECT_THAT(ErrorOf({"--server", "localhost:1", "--sensor", "rappl"}), HasSubstr("'rapl'"));
  EXPECT_THAT(ErrorOf({"--server", "localhost:1", "--sustained-seconds", "0"}),
              ::testing::HasSubstr("--sustained-seconds 0: no such time"));
  EXPECT_THAT(ErrorOf({"--server", "localhost:1", "--energy-seconds", "0"}),
              HasSubstr("0.05 to 60"));
  EXPECT_THAT(ErrorOf({"--server", "localhost:1", "--lock-clocks", "fast"}), HasSubstr("MHz"));
  EXPECT_EQ(Parse({"--server", "localhost:1", "--lock-clocks", "1200"}).lock_clocks_mhz, 1200);
}

TEST_F(ConfigTest, HelpHasAnExample) {
  const auto parsed = ParseCommandLine({"--help"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(std::get<InformationText>(*parsed).text, HasSubstr("burnish-agent --server"));
}

TEST_F(ConfigTest, WorkersAreReachedThroughACommandIfOneIsNamed) {
  const std::string server = "127.0.0.1:7400";
  EXPECT_TRUE(Parse({"--server", server}).worker_prefix.empty());
  const AgentConfig board = Parse({"--server", server, "--worker-prefix", "ssh -T 'my board'"});
  EXPECT_THAT(board.worker_prefix, ElementsAre("ssh", "-T", "my board"));
  EXPECT_EQ(board.worker_folder, "/var/tmp/burnish");
  EXPECT_THAT(ErrorOf({"--server", server, "--worker-prefix", "ssh 'board"}),
              HasSubstr("--worker-prefix ssh 'board: a ' without its end"));
  EXPECT_THAT(ErrorOf({"--server", server, "--worker-prefix", " "}), HasSubstr("no command"));
  EXPECT_THAT(ErrorOf({"--server", server, "--worker-folder", "/b"}),
              HasSubstr("add --worker-prefix"));
  EXPECT_THAT(ErrorOf({"--server", server, "--worker-prefix", "ssh board", "--worker-folder", "b"}),
              HasSubstr("--worker-folder b: not a full path"));
  EXPECT_THAT(
      ErrorOf({"--server", server, "--worker-prefix", "ssh board", "--lock-clocks", "1000"}),
      HasSubstr("cannot lock the clocks of a board"));
}

}  // namespace
}  // namespace burnish::agent
