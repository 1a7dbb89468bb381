// Every method of every service has a row in the policy, and no handler answers without asking it.
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

std::vector<std::string> AllMethods() {
  std::vector<std::string> methods;
  for (const auto* file :
       {pb::SubmitRequest::descriptor()->file(), pb::AgentMessage::descriptor()->file(),
        pb::SetShareRequest::descriptor()->file()}) {
    for (int s = 0; s < file->service_count(); ++s) {
      const auto* service = file->service(s);
      for (int m = 0; m < service->method_count(); ++m) {
        methods.push_back("/" + service->full_name() + "/" + service->method(m)->name());
      }
    }
  }
  return methods;
}

// Calls a method of any kind with one empty message.
class AnyCall final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  AnyCall(RpcServer& server, const std::string& method) : stub_(server.channel()) {
    grpc::Slice empty;
    request_ = grpc::ByteBuffer(&empty, 1);
    stub_.PrepareBidiStreamingCall(&context_, method, {}, this);
    StartWriteLast(&request_, {});
    StartCall();
  }
  grpc::Status Wait() {
    done_.WaitForNotification();
    return status_;
  }

 private:
  void OnDone(const grpc::Status& status) override {
    status_ = status;
    done_.Notify();
  }
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::Status status_;
  absl::Notification done_;
};

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
    AnyCall call(server, method);
    const grpc::Status status = call.Wait();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED) << method;
    EXPECT_NE(status.error_message().find(method), std::string::npos) << status.error_message();
  }
}

}  // namespace
}  // namespace burnish::rpc
