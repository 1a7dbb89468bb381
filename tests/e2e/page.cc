#include "tests/e2e/page.h"

#include "httplib.h"

namespace burnish::e2e {

Page Get(const std::string& address, const std::string& path) {
  httplib::Client client("http://" + address);
  const auto response = client.Get(path);
  return response ? Page{response->status, response->body} : Page{};
}

}  // namespace burnish::e2e
