// What a server or an agent shows over HTTP.
#pragma once

#include <string>

namespace burnish::e2e {

struct Page {
  int status = 0;  // of HTTP; 0 if nothing answers
  std::string text;
};

// `address` is host:port.
Page Get(const std::string& address, const std::string& path);

}  // namespace burnish::e2e
