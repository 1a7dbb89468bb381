// What a template is tried on: an operator, a target whose code this host can run, and one
// configuration of the space that both come to. Drawn from a seed, so that each can be repeated
// alone. Pure but for what the host is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/op/einsum.h"
#include "common/work/task_definition.h"
#include "server/templates/target.h"

namespace burnish::templates {

struct RunnableTarget {
  std::string name;
  Target target;
  std::vector<std::string> flags;  // behind the template's own, for reduced instruction sets
};

struct Pair {
  std::string label;   // "pair 17"
  std::string repeat;  // the environment that repeats it alone
  op::EinsumOptions options;
  const RunnableTarget* target = nullptr;
  op::Operator op;
  work::TaskDefinition task;
  space::Configuration configuration;
};

// All that a test has to have seen; drawn among by random pairs.
const std::vector<RunnableTarget>& RunnableTargets();
const std::vector<std::string>& Expressions();
const std::vector<std::vector<std::string>>& Constants();
struct Dtypes {
  Dtype a, b, output;
};
const std::vector<Dtypes>& AllDtypes();

// A fixed set of shapes with 1, primes, tails and powers of two, over which the other choices are
// laid; pairs 2 i and 2 i + 1 are shape i with its default and with a random configuration.
size_t FixedPairCount();
Pair FixedPair(uint64_t seed, size_t index);
Pair RandomPair(uint64_t seed, size_t index);

// All of a pair, over several lines.
std::string Describe(const Pair& pair);
std::string DtypesOf(const op::EinsumOptions& options);  // "u8 x i8 -> i32"

}  // namespace burnish::templates
