// TLS between real channels and a real endpoint on loopback.
#include <stdlib.h>

#include <filesystem>

#include "common/net/channel.h"
#include "gtest/gtest.h"
#include "server/rpc/endpoint.h"
#include "tests/support/certificates.h"
#include "tests/unit/server/rpc/rpc_fixture.h"

namespace burnish::rpc {
namespace {

class EndpointTlsTest : public testing::Test {
 protected:
  EndpointTlsTest() : folder_(MakeFolder()), authority_(folder_) {}
  ~EndpointTlsTest() override {
    endpoint_.reset();
    std::filesystem::remove_all(folder_);
  }
  static std::string MakeFolder() {
    std::string pattern = testing::TempDir() + "endpoint_tls_XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    return pattern;
  }

  // On 127.0.0.1, with a certificate for `names`.
  void Listen(const std::string& names, bool asks_for_certificates = false) {
    const tests::CertificateFiles own = authority_.Issue("server", names);
    net::TlsFiles tls{.certificate = own.certificate, .key = own.key};
    if (asks_for_certificates) tls.ca = authority_.path();
    endpoint_ = *Endpoint::Listen(*net::ParseServerAddress("127.0.0.1:0"), {&service_},
                                  {.tls = tls, .tls_reload = absl::Seconds(1)});
  }
  // UNIMPLEMENTED, once a call has reached the service.
  grpc::Status Call(const net::DialOptions& dial, const std::string& host = "127.0.0.1") {
    net::ServerAddress address = endpoint_->address();
    address.host = host;
    const auto channel = net::DialServer(address, dial);
    EXPECT_TRUE(channel.ok()) << channel.status();
    pb::DevicesReply reply;
    return pb::JobService::NewStub(*channel)->Devices(ContextWithDeadline().get(), {}, &reply);
  }
  static bool Reached(const grpc::Status& status) {
    return status.error_code() == grpc::StatusCode::UNIMPLEMENTED;
  }

  const std::string folder_;
  const tests::CertificateAuthority authority_;
  pb::JobService::CallbackService service_;
  std::unique_ptr<Endpoint> endpoint_;
};

TEST_F(EndpointTlsTest, IsReachedByWhoTrustsItsAuthorityAndByNobodyElse) {
  Listen("IP:127.0.0.1,DNS:localhost");
  const tests::CertificateAuthority stranger(folder_, "stranger");
  EXPECT_TRUE(Reached(Call({.tls = {.ca = authority_.path()}})));
  EXPECT_TRUE(Reached(Call({.tls = {.ca = authority_.path()}}, "localhost")));
  const grpc::Status untrusted = Call({.tls = {.ca = stranger.path()}});
  EXPECT_EQ(untrusted.error_code(), grpc::StatusCode::UNAVAILABLE) << untrusted.error_message();
  const grpc::Status plain = Call({});
  EXPECT_EQ(plain.error_code(), grpc::StatusCode::UNAVAILABLE) << plain.error_message();
}

TEST_F(EndpointTlsTest, IsNotTakenForAnotherHost) {
  Listen("DNS:lab.example");
  const grpc::Status other = Call({.tls = {.ca = authority_.path()}});
  EXPECT_EQ(other.error_code(), grpc::StatusCode::UNAVAILABLE) << other.error_message();
}

TEST_F(EndpointTlsTest, AsksCallersForACertificateOfItsClientAuthority) {
  Listen("IP:127.0.0.1", /*asks_for_certificates=*/true);
  const tests::CertificateFiles own = authority_.Issue("client", "DNS:client");
  EXPECT_TRUE(Reached(Call({.tls = {own.certificate, own.key, authority_.path()}})));
  EXPECT_EQ(Call({.tls = {.ca = authority_.path()}}).error_code(), grpc::StatusCode::UNAVAILABLE);
  const tests::CertificateAuthority stranger(folder_, "stranger");
  const tests::CertificateFiles foreign = stranger.Issue("foreign", "DNS:client");
  EXPECT_EQ(Call({.tls = {foreign.certificate, foreign.key, authority_.path()}}).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

TEST_F(EndpointTlsTest, TakesUpARenewedCertificateWhileItRuns) {
  Listen("DNS:lab.example");
  const net::DialOptions dial{.tls = {.ca = authority_.path()}};
  ASSERT_FALSE(Reached(Call(dial)));
  authority_.Issue("server", "IP:127.0.0.1");  // over the old one
  const absl::Duration give_up = SystemClock().Monotonic() + absl::Seconds(20);
  bool reached = false;
  while (!reached && SystemClock().Monotonic() < give_up) reached = Reached(Call(dial));
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace burnish::rpc
