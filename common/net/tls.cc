#include "common/net/tls.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"

namespace burnish::net {
namespace {

using grpc::experimental::FileWatcherCertificateProvider;

constexpr size_t kPemBytes = 4 << 20;  // the system's certificates are a few hundred KiB
constexpr absl::Duration kClientReload = absl::Minutes(1);
// Where distributions keep the certificates that the system trusts.
constexpr const char* kSystemCertificates[] = {"/etc/ssl/certs/ca-certificates.crt",
                                               "/etc/pki/tls/certs/ca-bundle.crt",
                                               "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

template <auto Free>
struct Deleter {
  void operator()(auto* object) const { Free(object); }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

// For a key that asks for a password: there is nobody to ask.
int NoPassword(char*, int, int, void*) { return 0; }

absl::StatusOr<Bio> Open(const std::string& path, std::string& content) {
  absl::StatusOr<std::string> read = ReadFile(path, kPemBytes);
  if (!read.ok()) return InvalidInput(std::string(read.status().message()));
  content = *std::move(read);
  return Bio(BIO_new_mem_buf(content.data(), static_cast<int>(content.size())));
}

absl::StatusOr<Certificate> ReadCertificate(const std::string& path) {
  std::string content;
  ASSIGN_OR_RETURN(const Bio bio, Open(path, content));
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
  if (certificate != nullptr) return certificate;
  return InvalidInput(absl::StrCat(path, ": holds no certificate in PEM form"),
                      "it begins with -----BEGIN CERTIFICATE-----");
}

absl::StatusOr<Key> ReadKey(const std::string& path) {
  std::string content;
  ASSIGN_OR_RETURN(const Bio bio, Open(path, content));
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (key != nullptr) return key;
  return InvalidInput(absl::StrCat(path, ": holds no private key in PEM form"),
                      "it begins with -----BEGIN PRIVATE KEY----- and has no password");
}

absl::Status Check(const TlsFiles& files) {
  if (files.certificate.empty() != files.key.empty()) {
    return InvalidInput("a certificate and its key belong together",
                        "add --tls-certificate FILE and --tls-key FILE");
  }
  if (!files.ca.empty()) RETURN_IF_ERROR(ReadCertificate(files.ca).status());
  if (files.certificate.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Certificate certificate, ReadCertificate(files.certificate));
  ASSIGN_OR_RETURN(const Key key, ReadKey(files.key));
  if (X509_check_private_key(certificate.get(), key.get()) == 1) return absl::OkStatus();
  return InvalidInput(
      absl::StrCat(files.key, ": is not the key of the certificate in ", files.certificate),
      "the server's own certificate comes first in its file");
}

std::shared_ptr<FileWatcherCertificateProvider> Watch(const TlsFiles& files,
                                                      absl::Duration reload) {
  const double seconds = std::max(1.0, std::ceil(absl::ToDoubleSeconds(reload)));
  return std::make_shared<FileWatcherCertificateProvider>(files.key, files.certificate, files.ca,
                                                          static_cast<unsigned>(seconds));
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> TlsServerCredentials(
    const TlsFiles& files, absl::Duration reload) {
  RETURN_IF_ERROR(Check(files));
  grpc::experimental::TlsServerCredentialsOptions options(Watch(files, reload));
  options.watch_identity_key_cert_pairs();
  if (!files.ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> TlsChannelCredentials(TlsFiles files) {
  if (files.ca.empty()) {
    const auto* found = std::ranges::find_if(
        kSystemCertificates, [](const char* path) { return ::access(path, R_OK) == 0; });
    if (found == std::end(kSystemCertificates)) {
      return InvalidInput("this system has no file of trusted certificates",
                          "name one with --ca FILE");
    }
    files.ca = *found;
  }
  RETURN_IF_ERROR(Check(files));
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(Watch(files, kClientReload));
  options.watch_root_certs();
  if (!files.certificate.empty()) options.watch_identity_key_cert_pairs();
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace burnish::net
