#include "client/cli/context.h"

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;

ContextFile TwoContexts(const std::string& current) {
  return {.current = current,
          .contexts = {{.name = "lab", .server = "lab:7400", .owner = "vision", .insecure = true},
                       {.name = "desk", .server = "127.0.0.1:7400", .token_file = "/t"}}};
}

TEST(ChoosePlaceTest, NothingSaidIsThePrivateServer) {
  const Place place = *ChoosePlace({});
  EXPECT_EQ(place.server, "");
  EXPECT_EQ(place.owner, "default");
  EXPECT_EQ(DescribePlace(place), "this machine's private server · namespace default");
}

TEST(ChoosePlaceTest, TheFirstThatNamesAServerDecides) {
  PlaceSources sources{.contexts = TwoContexts("lab")};
  Place place = *ChoosePlace(sources);
  EXPECT_EQ(place.server, "lab:7400");
  EXPECT_EQ(place.owner, "vision");
  EXPECT_EQ(place.owner_from, "context lab");
  EXPECT_TRUE(place.dial.insecure);

  sources.project = ProjectFile{.path = "/p/.burnish.yaml", .context = "desk"};
  place = *ChoosePlace(sources);
  EXPECT_EQ(place.server, "127.0.0.1:7400");
  EXPECT_EQ(place.server_from, "/p/.burnish.yaml");
  EXPECT_EQ(place.owner, "default");

  sources.environment_server = "ci:7400";
  place = *ChoosePlace(sources);
  EXPECT_EQ(place.server, "ci:7400");
  EXPECT_EQ(place.server_from, "BURNISH_SERVER");
  EXPECT_EQ(place.context, "");

  sources.flags.context = "lab";
  place = *ChoosePlace(sources);
  EXPECT_EQ(place.server, "lab:7400");
  EXPECT_EQ(DescribePlace(place), "lab (lab:7400) · namespace vision");

  sources.flags.context = "local";
  EXPECT_EQ(ChoosePlace(sources)->server, "");
}

TEST(ChoosePlaceTest, TheNamespaceFollowsTheSameOrder) {
  PlaceSources sources{.project = ProjectFile{.path = "/p/.burnish.yaml", .owner = "robots"},
                       .contexts = TwoContexts("lab")};
  EXPECT_EQ(ChoosePlace(sources)->owner, "robots");
  EXPECT_EQ(ChoosePlace(sources)->server, "lab:7400");
  sources.environment_owner = "audio";
  EXPECT_EQ(ChoosePlace(sources)->owner_from, "BURNISH_NAMESPACE");
  sources.flags.owner = "text";
  EXPECT_EQ(ChoosePlace(sources)->owner, "text");
}

TEST(ChoosePlaceTest, AServerAndAContextTogetherAreRefused) {
  const absl::Status status = ChoosePlace({.flags = {.server = "a:1", .context = "lab"}}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("both --server and --context"));
}

TEST(ChoosePlaceTest, AnUnknownContextNamesTheNearest) {
  const absl::Status status =
      ChoosePlace({.flags = {.context = "labb"}, .contexts = TwoContexts("")}).status();
  EXPECT_EQ(DiagnosticOf(status)->hint, "did you mean 'lab'?");
}

TEST(ChoosePlaceTest, ATokenOfTheEnvironmentDoesNotFollowAProjectFile) {
  PlaceSources sources{.environment_token = "secret"};
  EXPECT_EQ(ChoosePlace(sources)->token, "") << "the private server needs none";
  sources.project = ProjectFile{.path = "/p/.burnish.yaml", .server = "elsewhere:7400"};
  EXPECT_EQ(ChoosePlace(sources)->token, "");
  sources.environment_server = "ci:7400";
  EXPECT_EQ(ChoosePlace(sources)->token, "secret");
  EXPECT_EQ(ChoosePlace(sources)->token_from, "BURNISH_TOKEN");
}

TEST(ContextFileTest, WhatIsWrittenReadsBack) {
  ContextFile file = TwoContexts("desk");
  file.contexts[0].token_command = "pass show \"burnish: lab\" # no comment";
  file.contexts[0].ca = "/etc/ca.pem";
  const ContextFile read = *ParseContexts("config.yaml", FormatContexts(file));
  EXPECT_EQ(read.current, "desk");
  ASSERT_EQ(read.contexts.size(), 2u);
  EXPECT_EQ(read.contexts[0].name, "lab");
  EXPECT_EQ(read.contexts[0].token_command, file.contexts[0].token_command);
  EXPECT_EQ(read.contexts[0].ca, "/etc/ca.pem");
  EXPECT_TRUE(read.contexts[0].insecure);
  EXPECT_EQ(read.contexts[1].token_file, "/t");
  EXPECT_EQ(FormatContexts(read), FormatContexts(file));
  EXPECT_TRUE(ParseContexts("config.yaml", FormatContexts({}))->contexts.empty());
}

TEST(ContextFileTest, MistakesAreToldWithTheirLine) {
  const absl::Status status =
      ParseContexts("config.yaml", "contexts:\n  lab:\n    sever: a:1\n    server: a:1\n").status();
  EXPECT_EQ(DiagnosticOf(status)->line, 3);
  EXPECT_THAT(DiagnosticOf(status)->hint, HasSubstr("server"));
}

TEST(ProjectFileTest, GivesNoTokenAndNoPermission) {
  EXPECT_FALSE(ParseProjectFile("p", "server: a:1\ntoken_command: echo x\n").ok());
  EXPECT_FALSE(ParseProjectFile("p", "server: a:1\ninsecure: true\n").ok());
  EXPECT_EQ(ParseProjectFile("p", "context: lab\nnamespace: vision\n")->owner, "vision");
}

}  // namespace
}  // namespace burnish::cli
