#include "server/rpc/blob_service.h"

#include <map>
#include <string>

#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr size_t kChunk = limits::kBlobChunkBytes;

// C++ of that many bytes.
std::string SourceOf(size_t bytes) {
  std::string source = "extern \"C\" void toy(float* c) { (void)c; }\n";
  source.resize(bytes, '\n');
  return source;
}

pb::UploadRequest ChunkOf(const std::string& content, size_t offset) {
  pb::UploadRequest request;
  request.set_sha256(Sha256Hex(content));
  request.set_size_bytes(static_cast<int64_t>(content.size()));
  request.set_offset(static_cast<int64_t>(offset));
  request.set_data(content.substr(offset, kChunk));
  return request;
}

class BlobServiceTest : public ::testing::Test {
 protected:
  absl::StatusOr<pb::BlobState> Upload(const pb::UploadRequest& request) {
    pb::BlobState reply;
    const auto context = ContextWithDeadline();
    const absl::Status status = net::ToAbslStatus(blobs_->Upload(context.get(), request, &reply));
    if (!status.ok()) return status;
    return reply;
  }
  pb::BlobState Stat(const std::string& content) {
    pb::StatRequest request;
    request.set_sha256(Sha256Hex(content));
    pb::BlobState reply;
    const auto context = ContextWithDeadline();
    EXPECT_TRUE(blobs_->Stat(context.get(), request, &reply).ok());
    return reply;
  }
  absl::StatusOr<std::string> Submit(const pb::SubmitRequest& request) {
    pb::SubmitReply reply;
    const auto context = ContextWithDeadline();
    const absl::Status status =
        net::ToAbslStatus(server_.NewJobStub()->Submit(context.get(), request, &reply));
    if (!status.ok()) return status;
    return reply.job_id();
  }
  absl::StatusOr<pb::FetchReply> Fetch(const std::string& sha256, int64_t offset) {
    pb::FetchRequest request;
    request.set_sha256(sha256);
    request.set_offset(offset);
    pb::FetchReply reply;
    const auto context = ContextWithDeadline();
    const absl::Status status = net::ToAbslStatus(agents_->Fetch(context.get(), request, &reply));
    if (!status.ok()) return status;
    return reply;
  }
  static pb::SubmitRequest JobWith(const std::string& content) {
    pb::SubmitRequest job = ToyJob();
    job.mutable_files(0)->mutable_content()->set_sha256(Sha256Hex(content));
    return job;
  }
  // What InvalidArgument says, with its hint.
  static std::string Refusal(const absl::Status& status) {
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    const auto diagnostic = DiagnosticOf(status);
    return std::string(status.message()) + "; " + (diagnostic ? diagnostic->hint : "");
  }

  RpcServer server_;
  const std::unique_ptr<pb::BlobService::Stub> blobs_ = pb::BlobService::NewStub(server_.channel());
  const std::unique_ptr<pb::AgentService::Stub> agents_ =
      pb::AgentService::NewStub(server_.channel());
};

TEST_F(BlobServiceTest, AnUploadGoesOnWhereTheServerIs) {
  const std::string content = SourceOf(kChunk + 10);
  EXPECT_EQ(Stat(content).received_bytes(), 0);
  EXPECT_EQ(Upload(ChunkOf(content, kChunk))->received_bytes(), 0);
  EXPECT_EQ(Upload(ChunkOf(content, 0))->received_bytes(), static_cast<int64_t>(kChunk));
  EXPECT_EQ(Stat(content).received_bytes(), static_cast<int64_t>(kChunk));
  EXPECT_TRUE(Upload(ChunkOf(content, kChunk))->complete());
  EXPECT_TRUE(Stat(content).complete());
}

TEST_F(BlobServiceTest, AChunkOutOfPlaceIsRefused) {
  const std::string content = SourceOf(kChunk + 10);
  pb::UploadRequest odd = ChunkOf(content, 0);
  odd.set_offset(5);
  EXPECT_THAT(Refusal(Upload(odd).status()), HasSubstr("multiple of 1048576"));
  pb::UploadRequest behind = ChunkOf(content, 0);
  behind.set_offset(2 * kChunk);
  EXPECT_THAT(Refusal(Upload(behind).status()), HasSubstr("below size_bytes"));
  pb::UploadRequest short_one = ChunkOf(content, 0);
  short_one.mutable_data()->pop_back();
  EXPECT_THAT(Refusal(Upload(short_one).status()), HasSubstr("the chunk at 0 has 1048576 bytes"));
  pb::UploadRequest nameless = ChunkOf(content, 0);
  nameless.set_sha256("../../etc/passwd");
  EXPECT_THAT(Refusal(Upload(nameless).status()), HasSubstr("64 hexadecimal digits"));
  EXPECT_EQ(Stat(content).received_bytes(), 0);
}

TEST_F(BlobServiceTest, ABlobAboveTheLimitIsRefusedWithWhatToDo) {
  pb::UploadRequest first = ChunkOf(SourceOf(kChunk), 0);
  first.set_size_bytes(limits::kBlobBytes);
  EXPECT_TRUE(Upload(first).ok());
  first.set_size_bytes(limits::kBlobBytes + 1);
  EXPECT_THAT(Refusal(Upload(first).status()),
              AllOf(HasSubstr("67108865"), HasSubstr("may have 67108864"), HasSubstr("smaller")));
}

TEST_F(BlobServiceTest, WhatIsSentWithAJobHasToBeSmall) {
  pb::SubmitRequest job = ToyJob();
  std::string& content = *job.mutable_files(0)->mutable_content()->mutable_inline_();
  content = SourceOf(limits::kInlineBlobBytes);
  EXPECT_THAT(Refusal(Submit(job).status()),
              AllOf(HasSubstr("'toy.cpp' has 65536 bytes"), HasSubstr("upload it as a blob")));
  // No device yet: that is how far a job gets whose files are in order.
  content.pop_back();
  EXPECT_THAT(std::string(Submit(job).status().message()), HasSubstr("device"));
}

TEST_F(BlobServiceTest, AJobWhoseBlobIsNotThereIsRefusedByTheFilesName) {
  const absl::Status status = Submit(JobWith("never uploaded")).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("'toy.cpp'"));
  EXPECT_THAT(DiagnosticOf(status)->hint, HasSubstr("upload it"));
}

TEST_F(BlobServiceTest, AJobsSourcesAreBoundedTogether) {
  pb::SubmitRequest job = ToyJob();
  // Nine times what is allowed of one file is more than all may have.
  for (int i = 0; i < 9; ++i) {
    const std::string content = SourceOf(limits::kSourceFileBytes - i);
    for (size_t offset = 0; offset < content.size(); offset += kChunk) {
      ASSERT_TRUE(Upload(ChunkOf(content, offset)).ok());
    }
    pb::SourceFile& file = *job.add_files();
    file.set_name(std::to_string(i));
    file.mutable_content()->set_sha256(Sha256Hex(content));
  }
  EXPECT_THAT(Refusal(Submit(job).status()), HasSubstr("may have 33554432"));
}

TEST_F(BlobServiceTest, AnAgentGetsAHashAndFetchesTheContent) {
  const std::string content = SourceOf(kChunk + 10);
  Upload(ChunkOf(content, 0)).IgnoreError();
  ASSERT_TRUE(Upload(ChunkOf(content, kChunk))->complete());
  FakeAgent agent(server_);
  ASSERT_TRUE(agent.Send(FakeAgent::Hello()));
  ASSERT_TRUE(agent.Receive().has_value());
  ASSERT_TRUE(Submit(JobWith(content)).ok());
  server_.Advance();
  const auto message = agent.Receive();
  ASSERT_TRUE(message.has_value() && message->has_task());
  const pb::TaskDefinition& task = message->task().definition();
  const std::string sha256 = task.stages(0).source().text().sha256();
  EXPECT_EQ(sha256, Sha256Hex(content));
  EXPECT_EQ(task.reference().function().source().text().sha256(), sha256);

  const auto first = Fetch(sha256, 0);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->size_bytes(), static_cast<int64_t>(content.size()));
  EXPECT_EQ(first->data().size(), kChunk);
  EXPECT_TRUE(first->data() + Fetch(sha256, kChunk)->data() == content);
  EXPECT_TRUE(absl::IsOutOfRange(Fetch(sha256, static_cast<int64_t>(content.size())).status()));
  EXPECT_TRUE(absl::IsNotFound(Fetch(Sha256Hex("other"), 0).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Fetch("..", 0).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Fetch(sha256, -1).status()));
  EXPECT_THAT(server_.metrics().Text(),
              AllOf(HasSubstr("\nburnish_blob_bytes_received_total 1048586\n"),
                    HasSubstr("\nburnish_blob_bytes_sent_total 1048586\n")));
}

}  // namespace
}  // namespace burnish::rpc
