#include "client/cli/blob_upload.h"

#include <algorithm>
#include <vector>

#include "common/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kChunk = limits::kBlobChunkBytes;

class BlobUploadTest : public ::testing::Test {
 protected:
  absl::StatusOr<bool> Run() { return UploadBlob(calls_, "lab", "hash", content_); }
  // A server that keeps what comes next.
  v1::BlobState Take(const v1::UploadRequest& request) {
    offsets_.push_back(request.offset());
    if (request.offset() == static_cast<int64_t>(received_.size())) received_ += request.data();
    return State();
  }
  v1::BlobState State() const {
    v1::BlobState state;
    state.set_received_bytes(static_cast<int64_t>(received_.size()));
    state.set_complete(received_.size() == content_.size());
    return state;
  }

  const std::string content_ = std::string(2 * kChunk, 'a') + "end";
  std::string received_;
  std::vector<int64_t> offsets_;
  BlobCalls calls_{.stat = [this](const v1::StatRequest&) { return State(); },
                   .upload = [this](const v1::UploadRequest& request) { return Take(request); }};
};

TEST_F(BlobUploadTest, SendsChunkAfterChunk) {
  calls_.stat = [this](const v1::StatRequest& request) {
    EXPECT_EQ(request.namespace_(), "lab");
    EXPECT_EQ(request.sha256(), "hash");
    return State();
  };
  EXPECT_TRUE(*Run());
  EXPECT_TRUE(received_ == content_);
  EXPECT_THAT(offsets_, ElementsAre(0, kChunk, 2 * kChunk));
}

TEST_F(BlobUploadTest, SendsNothingThatTheServerHas) {
  received_ = content_;
  EXPECT_FALSE(*Run());
  EXPECT_THAT(offsets_, IsEmpty());
}

TEST_F(BlobUploadTest, GoesOnWhereAnEarlierUploadEnded) {
  received_ = content_.substr(0, kChunk);
  EXPECT_TRUE(*Run());
  EXPECT_TRUE(received_ == content_);
  EXPECT_THAT(offsets_, ElementsAre(kChunk, 2 * kChunk));
}

TEST_F(BlobUploadTest, FollowsAServerThatLostWhatItHad) {
  calls_.upload = [this](const v1::UploadRequest& request) {
    if (offsets_.size() == 1) received_.clear();
    return Take(request);
  };
  EXPECT_TRUE(*Run());
  EXPECT_TRUE(received_ == content_);
  EXPECT_THAT(offsets_, ElementsAre(0, kChunk, 0, kChunk, 2 * kChunk));
}

TEST_F(BlobUploadTest, GivesUpOnAServerThatTakesNothing) {
  calls_.upload = [this](const v1::UploadRequest&) { return State(); };
  EXPECT_TRUE(absl::IsAborted(Run().status()));
}

TEST_F(BlobUploadTest, EndsWithTheServersRefusal) {
  calls_.upload = [](const v1::UploadRequest&) -> absl::StatusOr<v1::BlobState> {
    return absl::InvalidArgumentError("another hash");
  };
  EXPECT_TRUE(absl::IsInvalidArgument(Run().status()));
}

}  // namespace
}  // namespace burnish::cli
