#include <algorithm>

#include "common/base/hash.h"
#include "common/base/limits.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr size_t kChunk = limits::kBlobChunkBytes;
constexpr absl::Duration kGrace = absl::Hours(1);

// With bytes of every kind, so that none is lost on the way into the database and back.
std::string ContentOf(size_t bytes) {
  std::string content(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) content[i] = static_cast<char>(i * 7 + i / 251);
  return content;
}
BlobHash HashOf(const std::string& content) { return BlobHash(Sha256Hex(content)); }

NewBlobChunk ChunkOf(const std::string& content, size_t offset) {
  return {.blob = HashOf(content),
          .size_bytes = static_cast<int64_t>(content.size()),
          .offset = static_cast<int64_t>(offset),
          .data = content.substr(offset, kChunk)};
}

class BlobsTest : public StoreConformanceTest {
 protected:
  BlobState Append(const NewBlobChunk& chunk) {
    const auto state = store_->AppendBlobChunk(owner_, chunk);
    EXPECT_TRUE(state.ok()) << state.status();
    return state.value_or(BlobState());
  }
  BlobHash Upload(const std::string& content) {
    for (size_t offset = 0; offset < content.size(); offset += kChunk) {
      Append(ChunkOf(content, offset));
    }
    return HashOf(content);
  }
  NewJob JobNaming(const BlobHash& blob) {
    NewJob job = JobOf("");
    job.blobs["big.cpp"] = blob;
    return job;
  }
  bool IsThere(const BlobHash& blob) { return store_->ReadBlob(owner_, blob).ok(); }
  int64_t Collect() { return *store_->CollectBlobs(clock_.Now() - kGrace, 100); }

  const std::string big_ = ContentOf(2 * kChunk + 100);
};

TEST_P(BlobsTest, ABlobComesInChunksAndReadsBackAsItWas) {
  const BlobHash blob = HashOf(big_);
  EXPECT_EQ(store_->StatBlob(owner_, blob)->received_bytes, 0);
  EXPECT_EQ(Append(ChunkOf(big_, 0)).received_bytes, static_cast<int64_t>(kChunk));
  EXPECT_TRUE(absl::IsNotFound(store_->ReadBlob(owner_, blob).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->FetchBlobChunk(blob, 0).status()));
  const BlobState part = *store_->StatBlob(owner_, blob);
  EXPECT_EQ(part.received_bytes, static_cast<int64_t>(kChunk));
  EXPECT_FALSE(part.complete);
  Append(ChunkOf(big_, kChunk));
  EXPECT_TRUE(Append(ChunkOf(big_, 2 * kChunk)).complete);
  EXPECT_TRUE(store_->StatBlob(owner_, blob)->complete);
  EXPECT_TRUE(*store_->ReadBlob(owner_, blob) == big_);
}

TEST_P(BlobsTest, AChunkThatIsNotTheNextOneChangesNothing) {
  EXPECT_EQ(Append(ChunkOf(big_, kChunk)).received_bytes, 0);
  Append(ChunkOf(big_, 0));
  EXPECT_EQ(Append(ChunkOf(big_, 0)).received_bytes, static_cast<int64_t>(kChunk));
  EXPECT_EQ(Append(ChunkOf(big_, 2 * kChunk)).received_bytes, static_cast<int64_t>(kChunk));
  Append(ChunkOf(big_, kChunk));
  EXPECT_TRUE(Append(ChunkOf(big_, 2 * kChunk)).complete);
  EXPECT_TRUE(Append(ChunkOf(big_, 0)).complete);
  EXPECT_TRUE(*store_->ReadBlob(owner_, HashOf(big_)) == big_);
}

TEST_P(BlobsTest, ContentOfAnotherHashIsRefusedAndRemoved) {
  NewBlobChunk last = ChunkOf(big_, 2 * kChunk);
  last.data[7] ^= 1;
  Append(ChunkOf(big_, 0));
  Append(ChunkOf(big_, kChunk));
  const absl::Status refused = store_->AppendBlobChunk(owner_, last).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr(last.blob.value()));
  EXPECT_EQ(store_->StatBlob(owner_, last.blob)->received_bytes, 0);
  EXPECT_TRUE(IsThere(Upload(big_)));
}

TEST_P(BlobsTest, AnotherSizeStartsAnew) {
  NewBlobChunk wrong = ChunkOf(big_, 0);
  wrong.size_bytes = 3 * kChunk;
  Append(wrong);
  EXPECT_EQ(Append(ChunkOf(big_, kChunk)).received_bytes, 0);
  EXPECT_TRUE(IsThere(Upload(big_)));
}

TEST_P(BlobsTest, AFetchGoesOnFromAnyOffsetToTheEndOfAChunk) {
  const BlobHash blob = Upload(big_);
  std::string fetched;
  for (size_t offset = 0; offset < big_.size(); offset = fetched.size()) {
    const auto chunk = store_->FetchBlobChunk(blob, static_cast<int64_t>(offset));
    ASSERT_TRUE(chunk.ok()) << chunk.status();
    EXPECT_EQ(chunk->size_bytes, static_cast<int64_t>(big_.size()));
    fetched += chunk->data;
  }
  EXPECT_TRUE(fetched == big_);
  EXPECT_TRUE(store_->FetchBlobChunk(blob, kChunk + 5)->data ==
              big_.substr(kChunk + 5, kChunk - 5));
  EXPECT_TRUE(
      absl::IsOutOfRange(store_->FetchBlobChunk(blob, static_cast<int64_t>(big_.size())).status()));
}

TEST_P(BlobsTest, ABlobBelongsToItsNamespace) {
  const BlobHash blob = Upload("shared");
  const Namespace other("others");
  EXPECT_FALSE(store_->StatBlob(other, blob)->complete);
  EXPECT_TRUE(absl::IsNotFound(store_->ReadBlob(other, blob).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->CreateJob(other, JobNaming(blob)).status()));
  EXPECT_TRUE(store_->AppendBlobChunk(other, ChunkOf("shared", 0))->complete);
  EXPECT_EQ(*store_->ReadBlob(other, blob), "shared");
  // To agents it is the same, whose ever it is.
  EXPECT_EQ(store_->FetchBlobChunk(blob, 0)->data, "shared");
}

TEST_P(BlobsTest, AJobMayNameBlobsInPlaceOfFiles) {
  const BlobHash blob = Upload(big_);
  const auto job = store_->CreateJob(owner_, JobNaming(blob));
  ASSERT_TRUE(job.ok()) << job.status();
  const auto source = store_->GetJobSource(owner_, job->first);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ(source->files.size(), 3u);
  EXPECT_EQ(source->files.at("conv.cpp"), "int x;\n");
  EXPECT_TRUE(source->files.at("big.cpp") == big_);
  EXPECT_EQ(source->blobs, (std::map<std::string, BlobHash>{{"big.cpp", blob}}));
}

TEST_P(BlobsTest, AJobWhoseBlobIsNotWholeIsRefusedByTheFilesName) {
  Append(ChunkOf(big_, 0));
  const absl::Status refused = store_->CreateJob(owner_, JobNaming(HashOf(big_))).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("'big.cpp'"), HasSubstr(HashOf(big_).value())));
  EXPECT_EQ(*store_->CountActiveJobs(owner_), 0);
}

TEST_P(BlobsTest, WhatNoJobNamesIsCollectedAfterAWhile) {
  const BlobHash named = Upload("named");
  const BlobHash unnamed = Upload("unnamed");
  ASSERT_TRUE(store_->CreateJob(owner_, JobNaming(named)).ok());
  ASSERT_TRUE(store_->AppendBlobChunk(Namespace("others"), ChunkOf("named", 0)).ok());
  Append(ChunkOf(big_, 0));  // abandoned
  clock_.Advance(kGrace);
  EXPECT_EQ(Collect(), 0);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Collect(), 3);  // of the others' too, whose job does not name it
  EXPECT_TRUE(IsThere(named));
  EXPECT_FALSE(IsThere(unnamed));
  EXPECT_EQ(store_->StatBlob(owner_, HashOf(big_))->received_bytes, 0);
  EXPECT_EQ(Collect(), 0);
}

TEST_P(BlobsTest, AskingForABlobKeepsItForAWhile) {
  const BlobHash blob = Upload("content");
  clock_.Advance(2 * kGrace);
  EXPECT_TRUE(store_->StatBlob(owner_, blob)->complete);
  EXPECT_EQ(Collect(), 0);
  EXPECT_TRUE(store_->CreateJob(owner_, JobNaming(blob)).ok());
}

TEST_P(BlobsTest, ACollectionRemovesNoMoreThanItMay) {
  for (const char* content : {"a", "b", "c"}) Upload(content);
  EXPECT_EQ(*store_->CollectBlobs(clock_.Now() + kGrace, 2), 2);
  EXPECT_EQ(*store_->CollectBlobs(clock_.Now() + kGrace, 2), 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, BlobsTest, testing::ValuesIn(StoreFactories()), FactoryName);

}  // namespace
}  // namespace burnish::store
