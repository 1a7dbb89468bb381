#include "agent/session/blob_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "common/base/hash.h"
#include "tests/unit/agent/session/temporary_journal.h"

namespace burnish::agent {
namespace {

namespace fs = std::filesystem;

class BlobCacheTest : public ::testing::Test {
 protected:
  static BlobHash HashOf(const std::string& content) { return BlobHash(Sha256Hex(content)); }
  std::string PathOf(const std::string& content) const {
    return folder_.folder() + "/" + HashOf(content).value();
  }
  // Used so many hours ago.
  void Keep(const std::string& content, int hours_ago) {
    EXPECT_TRUE(cache_.Append(HashOf(content), content).ok());
    EXPECT_TRUE(cache_.Complete(HashOf(content)).ok());
    if (!fs::exists(PathOf(content))) return;
    fs::last_write_time(PathOf(content),
                        fs::last_write_time(PathOf(content)) - std::chrono::hours(hours_ago));
  }
  bool Has(const std::string& content) { return fs::exists(PathOf(content)); }

  TemporaryJournal folder_;
  BlobCache cache_{folder_.folder(), /*max_bytes=*/20};
};

TEST_F(BlobCacheTest, ContentThatCameInPartsIsFoundInTheNextLifeToo) {
  const BlobHash blob = HashOf("content");
  EXPECT_EQ(cache_.Find(blob), std::nullopt);
  EXPECT_EQ(cache_.ReceivedBytes(blob), 0);
  EXPECT_TRUE(cache_.Append(blob, "con").ok());
  BlobCache next(folder_.folder());
  EXPECT_EQ(next.ReceivedBytes(blob), 3);
  EXPECT_EQ(next.Find(blob), std::nullopt);
  EXPECT_TRUE(next.Append(blob, "tent").ok());
  EXPECT_EQ(*next.Complete(blob), "content");
  EXPECT_EQ(BlobCache(folder_.folder()).Find(blob), "content");
  EXPECT_EQ(next.ReceivedBytes(blob), 0);
}

TEST_F(BlobCacheTest, ContentOfAnotherHashStartsAnew) {
  const BlobHash blob = HashOf("content");
  EXPECT_TRUE(cache_.Append(blob, "damaged").ok());
  EXPECT_TRUE(absl::IsDataLoss(cache_.Complete(blob).status()));
  EXPECT_EQ(cache_.ReceivedBytes(blob), 0);
  EXPECT_EQ(cache_.Find(blob), std::nullopt);
}

TEST_F(BlobCacheTest, ADamagedFileIsAsGoodAsNone) {
  Keep("content", 0);
  std::ofstream(PathOf("content")) << "damaged";
  EXPECT_EQ(cache_.Find(HashOf("content")), std::nullopt);
  EXPECT_FALSE(Has("content"));
}

TEST_F(BlobCacheTest, WhatWasUsedLongestAgoMakesRoom) {
  Keep("the first", 3);
  Keep("a second", 2);
  EXPECT_EQ(cache_.Find(HashOf("the first")), "the first");  // used now
  Keep("third", 0);
  EXPECT_TRUE(Has("the first"));
  EXPECT_FALSE(Has("a second"));
  EXPECT_TRUE(Has("third"));
}

TEST_F(BlobCacheTest, ContentThatIsTooBigIsStillGivenAndKeptAlone) {
  Keep("small", 1);
  Keep("longer than all that may stay", 0);
  EXPECT_FALSE(Has("small"));
  EXPECT_TRUE(Has("longer than all that may stay"));
}

TEST_F(BlobCacheTest, ADiskThatTakesNoMoreIsAnError) {
  const FullDisk full(4);
  EXPECT_FALSE(cache_.Append(HashOf("content"), "content").ok());
  // What it took is the beginning of the content.
  EXPECT_EQ(cache_.ReceivedBytes(HashOf("content")), 4);
}

}  // namespace
}  // namespace burnish::agent
