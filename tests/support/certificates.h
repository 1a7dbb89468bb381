// A certificate authority of a test's own, in a folder of the test's: made with the openssl
// program. Not thread-safe.
#pragma once

#include <string>

namespace burnish::tests {

struct CertificateFiles {
  std::string certificate;
  std::string key;
};

class CertificateAuthority {
 public:
  // Writes into `folder`, which exists; the test fails if that does not work.
  explicit CertificateAuthority(std::string folder, std::string name = "ca");
  // PEM file of the authority's certificate.
  std::string path() const { return folder_ + "/" + name_ + ".pem"; }
  // A certificate signed by it, as NAME.pem and NAME.key. `names` as in
  // "DNS:localhost,IP:127.0.0.1".
  CertificateFiles Issue(const std::string& name, const std::string& names) const;

 private:
  const std::string folder_;
  const std::string name_;
};

}  // namespace burnish::tests
