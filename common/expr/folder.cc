#include "common/expr/folder.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/expr/evaluator.h"

namespace burnish::expr {
namespace {

class Folder {
 public:
  Folder(const Program& source, const std::vector<std::optional<Value>>& constants)
      : source_(source), constants_(constants) {}

  FoldedProgram Run() {
    result_.program.root = Copy(source_.root);
    RenumberNames();
    return std::move(result_);
  }

 private:
  Program& target() { return result_.program; }
  const Node& NodeAt(NodeIndex index) const { return result_.program.nodes[index]; }
  bool IsConstant(NodeIndex index) const { return NodeAt(index).kind == NodeKind::kConstant; }
  const Value& ConstantAt(NodeIndex index) const {
    return result_.program.constants[NodeAt(index).first];
  }
  bool AreConstant(const std::vector<Link>& links) const {
    return std::all_of(links.begin(), links.end(),
                       [this](const Link& link) { return IsConstant(link.node); });
  }
  const Link& SourceLink(const Node& node, uint32_t i) const {
    return source_.links[node.first + i];
  }

  // Copies a node of the source, folded, into the target.
  NodeIndex Copy(NodeIndex index) {
    const Node& node = source_.nodes[index];
    switch (node.kind) {
      case NodeKind::kConstant:
        return target().AddConstant(source_.constants[node.first], node.column);
      case NodeKind::kName:
        if (!constants_[node.first].has_value()) return target().AddName(node.first, node.column);
        return target().AddConstant(*constants_[node.first], node.column);
      case NodeKind::kAnd:
      case NodeKind::kOr:
        return CopyJunction(node);
      case NodeKind::kConditional:
        return CopyConditional(node);
      case NodeKind::kList:
        return CopyList(node);
      default:
        return CopyComputation(node);
    }
  }

  NodeIndex CopyConditional(const Node& node) {
    const NodeIndex condition = Copy(SourceLink(node, 0).node);
    if (IsConstant(condition)) {
      return Copy(SourceLink(node, Truth(View(ConstantAt(condition))) ? 1 : 2).node);
    }
    const NodeIndex chosen = Copy(SourceLink(node, 1).node);
    const NodeIndex otherwise = Copy(SourceLink(node, 2).node);
    return target().Add(node.kind, node.column, {{condition}, {chosen}, {otherwise}});
  }

  // A constant child either ends the junction or, unless it is the last, says nothing.
  NodeIndex CopyJunction(const Node& node) {
    const bool decisive = node.kind == NodeKind::kOr;
    std::vector<Link> links;
    for (uint32_t i = 0; i < node.count; ++i) {
      const NodeIndex child = Copy(SourceLink(node, i).node);
      const bool is_last = i + 1 == node.count;
      if (!IsConstant(child) || is_last) {
        links.push_back({child});
      } else if (Truth(View(ConstantAt(child))) == decisive) {
        links.push_back({child});
        break;
      }
    }
    return links.size() == 1 ? links[0].node : target().Add(node.kind, node.column, links);
  }

  NodeIndex CopyList(const Node& node) {
    const std::vector<Link> links = CopyLinks(node);
    if (!AreConstant(links)) return target().Add(node.kind, node.column, links);
    std::vector<Value> elements;
    for (const Link& link : links) elements.push_back(ConstantAt(link.node));
    return target().AddConstant(std::make_shared<const std::vector<Value>>(std::move(elements)),
                                node.column);
  }

  NodeIndex CopyComputation(const Node& node) {
    std::vector<Link> links = CopyLinks(node);
    if (node.kind == NodeKind::kChain) FoldBeginning(links);
    if (links.size() == 1 && node.kind == NodeKind::kChain) return links[0].node;
    const NodeIndex copy = target().Add(node.kind, node.column, links);
    if (!AreConstant(links)) return copy;
    const Operand result = Evaluator(target(), {}).Evaluate(copy);
    return result.failed() ? copy : target().AddConstant(ToValue(result), node.column);
  }

  std::vector<Link> CopyLinks(const Node& node) {
    std::vector<Link> links;
    for (uint32_t i = 0; i < node.count; ++i) {
      Link link = SourceLink(node, i);
      link.node = Copy(link.node);
      links.push_back(link);
    }
    return links;
  }

  // 4 * n * BLOCK with a known n becomes one product.
  void FoldBeginning(std::vector<Link>& links) {
    while (links.size() > 1 && IsConstant(links[0].node) && IsConstant(links[1].node)) {
      const Operand result = ApplyBinary(links[1].op, View(ConstantAt(links[0].node)),
                                         View(ConstantAt(links[1].node)));
      if (result.failed()) return;
      links[1].node = target().AddConstant(ToValue(result), links[1].column);
      links.erase(links.begin());
    }
  }

  // Nodes that folding left behind are not reachable from the root; names count only where they
  // are.
  void CollectNames(NodeIndex index, std::vector<Node*>& uses) {
    Node& node = target().nodes[index];
    if (node.kind == NodeKind::kConstant) return;
    if (node.kind == NodeKind::kName) {
      uses.push_back(&node);
      return;
    }
    for (uint32_t i = 0; i < node.count; ++i) {
      CollectNames(target().links[node.first + i].node, uses);
    }
  }

  void RenumberNames() {
    std::vector<Node*> uses;
    CollectNames(target().root, uses);
    std::vector<uint32_t>& names = result_.names;
    for (const Node* use : uses) names.push_back(use->first);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (Node* use : uses) {
      const auto place = std::lower_bound(names.begin(), names.end(), use->first);
      use->first = static_cast<uint32_t>(place - names.begin());
    }
    for (const uint32_t name : names) {
      target().name_columns.push_back(source_.name_columns[name]);
    }
  }

  const Program& source_;
  const std::vector<std::optional<Value>>& constants_;
  FoldedProgram result_;
};

}  // namespace

FoldedProgram Fold(const Program& program, const std::vector<std::optional<Value>>& constants) {
  return Folder(program, constants).Run();
}

}  // namespace burnish::expr
