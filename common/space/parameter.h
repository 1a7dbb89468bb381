// A tunable value and its domain.
#pragma once

#include <string>
#include <vector>

#include "common/expr/value.h"

namespace burnish::space {

struct Parameter {
  std::string name;
  std::vector<expr::Value> values;  // distinct, none of them a list
};

}  // namespace burnish::space
