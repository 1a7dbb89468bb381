// The parts of a C++ source that all templates for contractions on CPUs share: what is known of
// the problem, vectors, the epilogue, threads, and the functions that are called from outside.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/op/operator.h"
#include "server/templates/contraction.h"
#include "server/templates/schedule_template.h"

namespace burnish::templates {

// Element types and what follows from them.
struct ElementTypes {
  Dtype a;
  Dtype b;
  Dtype c;
  Dtype sum;

  int64_t SumBytes() const { return static_cast<int64_t>(DtypeBytes(sum)); }
  // Elements of b, side by side in k, in the place of one sum: 4 bytes, 2 of bf16, else 1.
  int64_t Group() const;
  bool OutputIsSum() const { return c == sum; }
};

// An operator as these templates see it.
struct CpuProblem {
  const op::Operator& op;
  Contraction contraction;
  ElementTypes types;
};

// NotFound with the reason for what is no contraction, or has dtypes that are not served.
absl::StatusOr<CpuProblem> AsCpuProblem(const op::Operator& op);

// Fills in source and entry. `loops` is the template's own text, which defines Work() and
// Prepare(); `variant.workspace_bytes` is set.
void AddSource(const ScheduleTemplate& author, const CpuProblem& problem, std::string_view loops,
               Variant& variant);

}  // namespace burnish::templates
