// Every method of every service × every role × the own and another namespace, through a real
// server; and no handler answers without asking.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

using google::protobuf::DescriptorPool;

// Of all services of the wire contract, from its files.
std::vector<std::string> AllMethods() {
  std::vector<std::string> methods;
  for (const auto& entry :
       std::filesystem::directory_iterator(BURNISH_SOURCE_DIR "/proto/burnish/v1")) {
    const std::string name = entry.path().filename();
    if (name.find("_service.proto") == std::string::npos) continue;
    const auto* file = DescriptorPool::generated_pool()->FindFileByName("burnish/v1/" + name);
    EXPECT_NE(file, nullptr) << name << " is not part of the server";
    for (int s = 0; file != nullptr && s < file->service_count(); ++s) {
      const auto* service = file->service(s);
      for (int m = 0; m < service->method_count(); ++m) {
        methods.push_back("/" + service->full_name() + "/" + service->method(m)->name());
      }
    }
  }
  return methods;
}

// Calls a method of any kind with one message, which is empty but for its field 1, a text.
class AnyCall final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  AnyCall(RpcServer& server, const std::string& method, const std::string& first_field = "",
          const std::string& token = "")
      : stub_(server.channel()), context_(ContextWithDeadline(token)) {
    std::string message;
    if (!first_field.empty()) {
      message = std::string{'\x0a', static_cast<char>(first_field.size())} + first_field;
    }
    const grpc::Slice slice(message);
    request_ = grpc::ByteBuffer(&slice, 1);
    stub_.PrepareBidiStreamingCall(context_.get(), method, {}, this);
    StartRead(&reply_);
    StartWriteLast(&request_, {});
    StartCall();
  }
  grpc::Status Wait() {
    done_.WaitForNotification();
    return status_;
  }

 private:
  void OnReadDone(bool ok) override {
    if (ok) StartRead(&reply_);
  }
  void OnDone(const grpc::Status& status) override {
    status_ = status;
    done_.Notify();
  }
  grpc::GenericStub stub_;
  const std::unique_ptr<grpc::ClientContext> context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer reply_;
  grpc::Status status_;
  absl::Notification done_;
};

// Columns: no token, viewer, submitter, agent, admin; each for its own and for another namespace.
// `+` let in, `-` PERMISSION_DENIED, `?` UNAUTHENTICATED. An admin's token is for all namespaces;
// an agent's stream, devices and tokens are in none.
const std::map<std::string, std::string>& Matrix() {
  static const auto& matrix = *new std::map<std::string, std::string>{
      {"/burnish.v1.AgentService/Attach", "?? -- -- ++ ++"},
      {"/burnish.v1.AgentService/Fetch", "?? -- -- ++ ++"},
      {"/burnish.v1.BlobService/Stat", "?? -- +- -- ++"},
      {"/burnish.v1.BlobService/Upload", "?? -- +- -- ++"},
      {"/burnish.v1.FleetService/SetStanding", "?? -- -- -- ++"},
      {"/burnish.v1.FleetService/Shares", "?? -- -- -- ++"},
      {"/burnish.v1.FleetService/SetShare", "?? -- -- -- ++"},
      {"/burnish.v1.ImportService/Import", "?? -- +- -- ++"},
      {"/burnish.v1.ImportService/List", "?? +- +- -- ++"},
      {"/burnish.v1.ImportService/Remove", "?? -- +- -- ++"},
      {"/burnish.v1.JobService/Submit", "?? -- +- -- ++"},
      {"/burnish.v1.JobService/Get", "?? +- +- -- ++"},
      {"/burnish.v1.JobService/List", "?? +- +- -- ++"},
      {"/burnish.v1.JobService/Watch", "?? +- +- -- ++"},
      {"/burnish.v1.JobService/Records", "?? +- +- -- ++"},
      {"/burnish.v1.JobService/Source", "?? +- +- -- ++"},
      {"/burnish.v1.JobService/Cancel", "?? -- +- -- ++"},
      {"/burnish.v1.JobService/Pause", "?? -- +- -- ++"},
      {"/burnish.v1.JobService/Finish", "?? -- +- -- ++"},
      {"/burnish.v1.JobService/Resume", "?? -- +- -- ++"},
      {"/burnish.v1.JobService/Devices", "?? ++ ++ -- ++"},
      {"/burnish.v1.JobService/Hold", "?? -- +- -- ++"},
      {"/burnish.v1.TokenService/Create", "?? -- -- -- ++"},
      {"/burnish.v1.TokenService/List", "?? -- -- -- ++"},
      {"/burnish.v1.TokenService/Revoke", "?? -- -- -- ++"},
  };
  return matrix;
}

char Cell(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAUTHENTICATED:
      return '?';
    case grpc::StatusCode::PERMISSION_DENIED:
      return '-';
    // What handlers answer to these requests; anything else would be no answer of theirs.
    case grpc::StatusCode::OK:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
      return '+';
    default:
      ADD_FAILURE() << status.error_code() << " " << status.error_message();
      return '!';
  }
}

// One row of the matrix, as the server has it.
std::string RowOf(RpcServer& server, const std::vector<std::string>& tokens,
                  const std::string& method) {
  // Its message's first field is another message.
  const bool names_none = method == "/burnish.v1.AgentService/Attach";
  std::string row;
  for (const std::string& token : tokens) {
    if (!row.empty()) row += ' ';
    for (const char* owner : {"own", "other"}) {
      row += Cell(AnyCall(server, method, names_none ? "" : owner, token).Wait());
    }
  }
  return row;
}

TEST(Admission, LetsEachRoleCallWhatItMayAndNothingElse) {
  RpcServer server;
  const std::string admin = server.MakeToken(store::Role::kAdmin);
  const std::vector<std::string> tokens = {"", server.MakeToken(store::Role::kViewer),
                                           server.MakeToken(store::Role::kSubmitter),
                                           server.MakeToken(store::Role::kAgent), admin};
  const std::vector<std::string> methods = AllMethods();
  EXPECT_EQ(methods.size(), Matrix().size());
  for (const std::string& method : methods) {
    const auto expected = Matrix().find(method);
    ASSERT_NE(expected, Matrix().end()) << method << " has no row in the matrix of this test";
    EXPECT_EQ(RowOf(server, tokens, method), expected->second) << method;
  }
}

TEST(Admission, LetsEverybodyHereCallEverythingWhileThereIsNoToken) {
  RpcServer server;
  for (const std::string& method : AllMethods()) {
    EXPECT_EQ(RowOf(server, {""}, method), "++") << method;
  }
}

TEST(Policy, HasARowForEveryMethodAndNoOther) {
  const std::vector<std::string> methods = AllMethods();
  EXPECT_EQ(methods.size(), auth::DefaultPolicy().size());
  for (const std::string& method : methods) {
    EXPECT_TRUE(auth::DefaultPolicy().contains(method)) << method;
  }
}

TEST(Admission, IsAskedByEveryHandler) {
  RpcServer server(auth::PolicyTable{});
  for (const std::string& method : AllMethods()) {
    const grpc::Status status = AnyCall(server, method).Wait();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED) << method;
    EXPECT_NE(status.error_message().find(method), std::string::npos) << status.error_message();
  }
}

TEST(Admission, RevealsNothingOfAnotherNamespacesJobs) {
  RpcServer server;
  const std::string admin = server.MakeToken(store::Role::kAdmin);
  const std::string viewer = server.MakeToken(store::Role::kViewer);
  FakeAgent agent(server, admin);  // a job needs a device
  ASSERT_TRUE(agent.Send(FakeAgent::Hello()));
  ASSERT_TRUE(agent.Receive().has_value());
  pb::SubmitRequest job = ToyJob();
  job.set_namespace_("other");
  pb::SubmitReply submitted;
  const auto stub = server.NewJobStub();
  ASSERT_TRUE(stub->Submit(ContextWithDeadline(admin).get(), job, &submitted).ok());
  const auto get = [&](const std::string& owner, const std::string& id) {
    pb::GetRequest request;
    request.set_namespace_(owner);
    request.set_job_id(id);
    pb::JobSnapshot reply;
    return stub->Get(ContextWithDeadline(viewer).get(), request, &reply);
  };
  EXPECT_EQ(get("own", submitted.job_id()).error_code(), grpc::StatusCode::NOT_FOUND);
  const grpc::Status there = get("other", submitted.job_id());
  const grpc::Status nowhere = get("other", "j99");
  EXPECT_EQ(there.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(there.error_message(), nowhere.error_message());
}

TEST(Admission, TakesATokenOnlyFromABearersHeader) {
  RpcServer server;
  const std::string admin = server.MakeToken(store::Role::kAdmin);
  for (const auto& [header, code] :
       {std::pair("Bearer " + admin, grpc::StatusCode::OK),
        {"bearer " + admin, grpc::StatusCode::OK},
        {"Basic " + admin, grpc::StatusCode::UNAUTHENTICATED},
        {admin, grpc::StatusCode::UNAUTHENTICATED},
        {"Bearer " + admin + "0", grpc::StatusCode::UNAUTHENTICATED}}) {
    const auto context = ContextWithDeadline();
    context->AddMetadata("authorization", header);
    pb::DevicesReply reply;
    EXPECT_EQ(server.NewJobStub()->Devices(context.get(), {}, &reply).error_code(), code);
  }
}

}  // namespace
}  // namespace burnish::rpc
