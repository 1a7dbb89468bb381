// A parsed expression as a flat tree: nodes and their child links stand in two arrays, so that
// evaluation walks compact memory. Repetition (a + b + c, a < b < c, a and b and c) is one node
// with many children; only nesting, which the parser bounds, makes the tree deeper.
#pragma once

#include <cstdint>
#include <vector>

#include "common/expr/operator.h"
#include "common/expr/value.h"

namespace burnish::expr {

using NodeIndex = uint32_t;

enum class NodeKind : uint8_t {
  kConstant,     // constants[first]
  kName,         // names()[first]
  kUnary,        // op of the one child
  kChain,        // from left to right: each child after the first is applied by its op
  kCompare,      // neighbours compared by the right one's op; every child evaluated at most once
  kAnd,          // the first false child, else the last
  kOr,           // the first true child, else the last
  kConditional,  // children: condition, value if true, value if false
  kList,         // occurs as a child of kCompare only, right of an `in`
};

struct Node {
  NodeKind kind;
  int32_t column;      // from 1
  uint32_t first = 0;  // the first of its links, or see kConstant and kName
  uint32_t count = 0;  // of links
};

struct Link {
  NodeIndex node;
  Operator op = Operator::kNone;
  int32_t column = 0;  // of `op`
};

struct Program {
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Value> constants;
  std::vector<int> name_columns;  // of each name's first use
  NodeIndex root = 0;

  NodeIndex Add(NodeKind kind, int column, const std::vector<Link>& children);
  NodeIndex AddConstant(Value value, int column);
  NodeIndex AddName(uint32_t name, int column);
};

}  // namespace burnish::expr
