#include "tests/support/certificates.h"

#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/environment.h"
#include "common/base/subprocess.h"

namespace burnish::tests {
namespace {

void OpenSsl(std::vector<std::string> arguments) {
  static const std::string* const program = new std::string(FindProgram("openssl").value_or(""));
  CHECK(!program->empty()) << "the package openssl is missing";
  SpawnOptions options;
  options.arguments = std::move(arguments);
  options.arguments.insert(options.arguments.begin(), *program);
  const auto run = RunCaptured(options, absl::Seconds(30), 1 << 16);
  CHECK_OK(run.status());
  CHECK(run->status.ok()) << run->output;
}

}  // namespace

CertificateAuthority::CertificateAuthority(std::string folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)) {
  OpenSsl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
           "-days", "2", "-subj", "/CN=test authority " + name_, "-keyout",
           folder_ + "/" + name_ + ".key", "-out", path()});
}

CertificateFiles CertificateAuthority::Issue(const std::string& name,
                                             const std::string& names) const {
  const std::string base = absl::StrCat(folder_, "/", name);
  std::ofstream(base + ".ext") << "subjectAltName=" << names << "\n";
  OpenSsl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
           "/CN=" + name, "-keyout", base + ".key", "-out", base + ".csr"});
  OpenSsl({"x509", "-req", "-in", base + ".csr", "-CA", path(), "-CAkey",
           folder_ + "/" + name_ + ".key", "-CAcreateserial", "-days", "2", "-extfile",
           base + ".ext", "-out", base + ".pem"});
  return {base + ".pem", base + ".key"};
}

}  // namespace burnish::tests
