// What the pairs of a test had in them. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/conformance/templates/pair.h"

namespace burnish::templates {

class Coverage {
 public:
  Coverage();  // all that has to be seen, so far not at all
  void Count(const Pair& pair);
  std::vector<std::string> Missing() const;
  std::string Histogram() const;

 private:
  std::map<std::string, int> counts_;
};

}  // namespace burnish::templates
