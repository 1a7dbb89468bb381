// The rules of the wire contract, read from the .proto files: enums start at *_UNSPECIFIED = 0,
// every request of a team's service carries a namespace, every package is versioned.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace burnish {
namespace {

namespace fs = std::filesystem;

std::vector<std::pair<std::string, std::string>> ProtoFiles() {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : fs::directory_iterator(BURNISH_SOURCE_DIR "/proto/burnish/v1")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    files.emplace_back(entry.path().filename(), text.str());
  }
  return files;
}

// (name, body) of every `KEYWORD Name { body }` without nested braces.
std::vector<std::pair<std::string, std::string>> Blocks(const std::string& text,
                                                        const std::string& keyword) {
  const std::regex pattern("\\b" + keyword + R"(\s+(\w+)\s*\{([^{}]*(\{[^{}]*\}[^{}]*)*)\})");
  std::vector<std::pair<std::string, std::string>> blocks;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    blocks.emplace_back((*it)[1], (*it)[2]);
  }
  return blocks;
}

TEST(ProtoRulesTest, EveryEnumStartsWithUnspecifiedZero) {
  int seen = 0;
  static const std::regex first(R"(^\s*(//[^\n]*\s*)*([A-Z_]+_UNSPECIFIED)\s*=\s*0;)");
  for (const auto& [file, text] : ProtoFiles()) {
    for (const auto& [name, body] : Blocks(text, "enum")) {
      ++seen;
      EXPECT_TRUE(std::regex_search(body, first)) << file << ": enum " << name;
    }
  }
  EXPECT_GE(seen, 6);
}

TEST(ProtoRulesTest, EveryRequestOfTheJobServiceCarriesANamespace) {
  static const std::regex rpc(R"(rpc\s+\w+\((stream\s+)?(\w+)\))");
  int seen = 0;
  for (const auto& [file, text] : ProtoFiles()) {
    // An agent's is implied by its leases; devices and tokens belong to none.
    if (file == "agent_service.proto" || file == "fleet_service.proto" ||
        file == "token_service.proto") {
      continue;
    }
    std::set<std::string> requests;
    for (std::sregex_iterator it(text.begin(), text.end(), rpc), end; it != end; ++it) {
      requests.insert((*it)[2]);
    }
    for (const auto& [name, body] : Blocks(text, "message")) {
      if (!requests.contains(name)) continue;
      ++seen;
      EXPECT_NE(body.find("string namespace = 1;"), std::string::npos) << file << ": " << name;
    }
  }
  EXPECT_GE(seen, 8);
}

TEST(ProtoRulesTest, EveryFileIsProto3InTheVersionedPackage) {
  for (const auto& [file, text] : ProtoFiles()) {
    EXPECT_NE(text.find("syntax = \"proto3\";"), std::string::npos) << file;
    EXPECT_NE(text.find("package burnish.v1;"), std::string::npos) << file;
  }
}

// Big content is a Blob, so that it can be sent by hash. File names and small texts are strings.
TEST(ProtoRulesTest, BytesFieldsExistOnlyInBlobsAndTheirChunks) {
  static const std::regex bytes(R"(\bbytes\s+(\w+)\s*=)");
  for (const auto& [file, text] : ProtoFiles()) {
    for (std::sregex_iterator it(text.begin(), text.end(), bytes), end; it != end; ++it) {
      EXPECT_TRUE(
          (file == "blob.proto" && (*it)[1] == "inline") ||
          ((file == "blob_service.proto" || file == "agent_service.proto") && (*it)[1] == "data"))
          << file << ": bytes " << (*it)[1];
    }
  }
}

}  // namespace
}  // namespace burnish
