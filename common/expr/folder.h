// Replaces names by constants and computes what became constant.
#pragma once

#include <optional>
#include <vector>

#include "common/expr/program.h"

namespace burnish::expr {

struct FoldedProgram {
  Program program;
  std::vector<uint32_t> names;  // which of the old names are left, ascending
};

// `constants` holds a value for each name that is to be replaced. What fails to compute stays.
FoldedProgram Fold(const Program& program, const std::vector<std::optional<Value>>& constants);

}  // namespace burnish::expr
