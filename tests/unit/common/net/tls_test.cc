#include "common/net/tls.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "common/base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/certificates.h"

namespace burnish::net {
namespace {

using ::testing::HasSubstr;

class TlsFilesTest : public testing::Test {
 protected:
  TlsFilesTest() : folder_(MakeFolder()), authority_(folder_) {}
  ~TlsFilesTest() override { std::filesystem::remove_all(folder_); }

  static std::string MakeFolder() {
    std::string pattern = testing::TempDir() + "tls_XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    return pattern;
  }
  std::string Write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ + "/" + name) << content;
    return folder_ + "/" + name;
  }
  // What a server and a client say to the same files.
  std::string Refusal(const TlsFiles& files) {
    const absl::Status server = TlsServerCredentials(files, absl::Minutes(1)).status();
    const absl::Status client = TlsChannelCredentials(files).status();
    EXPECT_TRUE(DiagnosticOf(server).has_value()) << server;
    EXPECT_EQ(server, client);
    return std::string(server.message());
  }

  const std::string folder_;
  const tests::CertificateAuthority authority_;
  const tests::CertificateFiles own_ = authority_.Issue("own", "DNS:localhost");
};

TEST_F(TlsFilesTest, FitTogether) {
  const TlsFiles files{.certificate = own_.certificate, .key = own_.key, .ca = authority_.path()};
  EXPECT_TRUE(TlsServerCredentials(files, absl::Minutes(1)).ok());
  EXPECT_TRUE(TlsChannelCredentials(files).ok());
  EXPECT_TRUE(TlsChannelCredentials({.ca = authority_.path()}).ok());
}

TEST_F(TlsFilesTest, ThatAreMissingOrNoPemAreNamed) {
  const std::string none = folder_ + "/none.pem";
  const std::string text = Write("text.pem", "no certificate\n");
  EXPECT_THAT(Refusal({.certificate = none, .key = own_.key}), HasSubstr(none));
  EXPECT_THAT(Refusal({.certificate = own_.certificate, .key = none}), HasSubstr(none));
  EXPECT_THAT(Refusal({.certificate = own_.certificate, .key = own_.key, .ca = none}),
              HasSubstr(none));
  EXPECT_THAT(Refusal({.certificate = text, .key = own_.key}),
              HasSubstr(text + ": holds no certificate"));
  EXPECT_THAT(Refusal({.certificate = own_.certificate, .key = text}),
              HasSubstr(text + ": holds no private key"));
  EXPECT_THAT(Refusal({.certificate = own_.certificate, .key = own_.key, .ca = text}),
              HasSubstr(text + ": holds no certificate"));
  EXPECT_THAT(Refusal({.certificate = own_.certificate, .key = folder_}), HasSubstr(folder_));
}

TEST_F(TlsFilesTest, OfDifferentPairsAreBothNamed) {
  const tests::CertificateFiles other = authority_.Issue("other", "DNS:other");
  EXPECT_THAT(Refusal({.certificate = own_.certificate, .key = other.key}),
              HasSubstr(other.key + ": is not the key of the certificate in " + own_.certificate));
}

TEST_F(TlsFilesTest, OfACertificateNeedItsKey) {
  EXPECT_THAT(TlsChannelCredentials({.certificate = own_.certificate, .ca = authority_.path()})
                  .status()
                  .message(),
              HasSubstr("belong together"));
}

}  // namespace
}  // namespace burnish::net
