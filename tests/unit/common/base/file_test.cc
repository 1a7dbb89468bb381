#include "common/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace burnish {
namespace {

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string pattern = testing::TempDir() + "burnish_file_test_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  size_t FileCount() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

  std::string folder_;
};

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string content("a\0b\n\xff", 5);
  for (const bool durable : {false, true}) {
    ASSERT_TRUE(WriteFileAtomically(Path("f"), content, durable).ok());
    EXPECT_EQ(*ReadFile(Path("f"), 5), content);
  }
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(FileTest, ReplacesTheOldContent) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "a long content", false).ok());
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "", true).ok());
  EXPECT_EQ(*ReadFile(Path("f"), 100), "");
}

TEST_F(FileTest, ReadsFilesOfManyPieces) {
  const std::string content(300'000, 'x');
  ASSERT_TRUE(WriteFileAtomically(Path("f"), content, false).ok());
  EXPECT_EQ(*ReadFile(Path("f"), content.size()), content);
}

TEST_F(FileTest, NamesThePathOfAMissingFile) {
  const absl::Status status = ReadFile(Path("missing"), 10).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(std::string(status.message()),
            Path("missing") + ": cannot read: No such file or directory");
}

TEST_F(FileTest, RefusesToReadAFolder) {
  const absl::Status status = ReadFile(folder_, 10).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()), folder_ + ": is a folder, not a file");
}

TEST_F(FileTest, RefusesToReadMoreThanTheLimit) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "12345", false).ok());
  EXPECT_EQ(ReadFile(Path("f"), 4).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReadFile("/dev/zero", 1000).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(FileTest, LeavesNoTemporaryFileWhenWritingFails) {
  ASSERT_TRUE(MakeFolders(Path("f/inside")).ok());  // a folder cannot be replaced by a file
  EXPECT_FALSE(WriteFileAtomically(Path("f"), "x", true).ok());
  EXPECT_EQ(FileCount(), 1u);
  EXPECT_EQ(WriteFileAtomically(Path("no/f"), "x", false).code(), absl::StatusCode::kNotFound);
}

TEST_F(FileTest, MakesFoldersThatOnlyTheirOwnerEnters) {
  ASSERT_TRUE(MakeFolders(Path("a/b//c/")).ok());
  ASSERT_TRUE(MakeFolders(Path("a/b/c")).ok());
  struct stat info;
  for (const char* name : {"a", "a/b", "a/b/c"}) {
    ASSERT_EQ(::stat(Path(name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
  }
}

TEST_F(FileTest, MakesNoFolderWhereAFileIs) {
  ASSERT_TRUE(WriteFileAtomically(Path("f"), "x", false).ok());
  const absl::Status status = MakeFolders(Path("f/a"));
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_NE(std::string(status.message()).find(Path("f")), std::string::npos);
}

}  // namespace
}  // namespace burnish
