#include "agent/config/token_file.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::agent {
namespace {

using ::testing::HasSubstr;

class TokenFileTest : public ::testing::Test {
 protected:
  TokenFileTest() {
    std::string folder = ::testing::TempDir() + "token_file_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    path_ = folder + "/token";
  }
  ~TokenFileTest() override {
    std::filesystem::remove_all(std::filesystem::path(path_).parent_path());
  }
  void Write(const std::string& content, mode_t mode = 0600) {
    std::ofstream(path_) << content;
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  std::string Refusal() {
    const auto diagnostic = DiagnosticOf(ReadTokenFile(path_).status());
    EXPECT_TRUE(diagnostic.has_value());
    return diagnostic ? diagnostic->message + " / " + diagnostic->hint : "";
  }

  std::string path_;
};

TEST_F(TokenFileTest, HoldsOneWord) {
  Write("burnish_abc\n");
  EXPECT_EQ(*ReadTokenFile(path_), "burnish_abc");
  for (const char* content : {"", "\n", "two words", "line\nline", "\x01"}) {
    Write(content);
    EXPECT_THAT(Refusal(), HasSubstr(path_ + ": holds no token")) << content;
  }
}

TEST_F(TokenFileTest, IsForItsOwnersEyesAlone) {
  for (const mode_t mode : {0640, 0604, 0620, 0601}) {
    Write("burnish_abc", mode);
    EXPECT_THAT(Refusal(), HasSubstr("chmod 600 " + path_)) << mode;
  }
  Write("burnish_abc", 0400);
  EXPECT_TRUE(ReadTokenFile(path_).ok());
}

TEST_F(TokenFileTest, HasToBeThere) { EXPECT_THAT(Refusal(), HasSubstr(path_)); }

}  // namespace
}  // namespace burnish::agent
