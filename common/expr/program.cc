#include "common/expr/program.h"

#include <utility>

namespace burnish::expr {

NodeIndex Program::Add(NodeKind kind, int column, const std::vector<Link>& children) {
  nodes.push_back(
      {kind, column, static_cast<uint32_t>(links.size()), static_cast<uint32_t>(children.size())});
  links.insert(links.end(), children.begin(), children.end());
  return static_cast<NodeIndex>(nodes.size() - 1);
}

NodeIndex Program::AddConstant(Value value, int column) {
  nodes.push_back({NodeKind::kConstant, column, static_cast<uint32_t>(constants.size())});
  constants.push_back(std::move(value));
  return static_cast<NodeIndex>(nodes.size() - 1);
}

NodeIndex Program::AddName(uint32_t name, int column) {
  nodes.push_back({NodeKind::kName, column, name});
  return static_cast<NodeIndex>(nodes.size() - 1);
}

}  // namespace burnish::expr
