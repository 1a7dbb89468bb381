#include "server/rpc/import_service.h"

#include "common/base/hash.h"
#include "common/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using ::testing::HasSubstr;

class ImportServiceTest : public ::testing::Test {
 protected:
  // Records of two of the toy job's configurations, of others that it has not.
  static std::string Records(int others) {
    pb::RecordTable table;
    pb::RecordParameter& parameter = *table.add_parameters();
    parameter.set_name("A");
    for (int i = 0; i < 2 + others; ++i) {
      parameter.add_values()->set_integer(i < 2 ? i + 1 : i + 1'000'000);
      table.add_value_indices(static_cast<uint32_t>(i));
      table.add_latency_seconds(0.5);
    }
    return table.SerializeAsString();
  }
  static pb::ImportRequest Request(const std::string& records) {
    const pb::SubmitRequest job = ToyJob();
    pb::ImportRequest request;
    request.set_job_file_name(job.file_name());
    request.set_job_text(job.text());
    *request.mutable_job_files() = job.files();
    request.set_file_name("toy.json");
    request.set_device_class("A100");
    if (records.size() < limits::kInlineBlobBytes) {
      request.mutable_records()->set_inline_(records);
    } else {
      request.mutable_records()->set_sha256(Sha256Hex(records));
    }
    return request;
  }
  absl::StatusOr<pb::ImportReply> Import(const pb::ImportRequest& request) {
    pb::ImportReply reply;
    const auto context = ContextWithDeadline();
    const absl::Status status = net::ToAbslStatus(stub_->Import(context.get(), request, &reply));
    if (!status.ok()) return status;
    return reply;
  }
  pb::ListImportsReply List() {
    pb::ListImportsReply reply;
    EXPECT_TRUE(stub_->List(ContextWithDeadline().get(), {}, &reply).ok());
    return reply;
  }

  RpcServer server_;
  const std::unique_ptr<pb::ImportService::Stub> stub_ =
      pb::ImportService::NewStub(server_.channel());
};

TEST_F(ImportServiceTest, RecordsAreStoredListedAndRemoved) {
  const auto imported = Import(Request(Records(1)));
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->set().import_id(), "i1");
  EXPECT_EQ(imported->set().records(), 2);
  EXPECT_EQ(imported->outside(), 1);
  EXPECT_THAT(imported->outside_example(), HasSubstr("1000002"));
  EXPECT_EQ(Import(Request(Records(1)))->replaced(), 2);
  ASSERT_EQ(List().sets_size(), 1);
  EXPECT_EQ(List().sets(0).SerializeAsString(), imported->set().SerializeAsString());

  pb::RemoveImportRequest request;
  request.set_import_id("i1");
  pb::RemoveImportReply reply;
  EXPECT_TRUE(stub_->Remove(ContextWithDeadline().get(), request, &reply).ok());
  EXPECT_EQ(List().sets_size(), 0);
  EXPECT_EQ(stub_->Remove(ContextWithDeadline().get(), request, &reply).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(ImportServiceTest, ManyRecordsComeAsABlob) {
  const std::string records = Records(10'000);
  ASSERT_GE(records.size(), limits::kInlineBlobBytes);
  const absl::Status missing = Import(Request(records)).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(missing)) << missing;
  EXPECT_THAT(std::string(missing.message()), HasSubstr("'toy.json'"));
  ASSERT_TRUE(server_.store()
                  .AppendBlobChunk(Namespace(kDefaultNamespace),
                                   {.blob = BlobHash(Sha256Hex(records)),
                                    .size_bytes = static_cast<int64_t>(records.size()),
                                    .offset = 0,
                                    .data = records})
                  .ok());
  const auto imported = Import(Request(records));
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->outside(), 10'000);
}

TEST_F(ImportServiceTest, WhatIsNoTableIsRefused) {
  EXPECT_THAT(std::string(Import(Request("\x0f nonsense")).status().message()),
              HasSubstr("records: not a table of records"));
  pb::ImportRequest without = Request("");
  without.clear_records();
  EXPECT_THAT(std::string(Import(without).status().message()), HasSubstr("records: missing"));
}

}  // namespace
}  // namespace burnish::rpc
