// The parts of a C++ source that all templates for contractions on CPUs share: what is known of
// the problem, vectors, the epilogue, threads, and the functions that are called from outside.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/op/operator.h"
#include "server/templates/contraction.h"

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

// NotFound for combinations that the templates do not serve.
absl::StatusOr<ElementTypes> TypesOf(const op::Operator& op, const Contraction& contraction);

struct ContractionSource {
  const op::Operator& op;
  const Contraction& contraction;
  const ElementTypes& types;
  std::string title;       // of the first line
  std::string_view loops;  // the template's own text: defines Work() and Prepare()
  int64_t workspace_bytes = 0;
};

// The name of the function that does it all: the operator's, as far as C++ allows.
std::string EntryOf(const op::Operator& op);

std::string WriteSource(const ContractionSource& source);

}  // namespace burnish::templates
