// Evaluates a Program for one binding of its names. Allocates only to describe an error.
#pragma once

#include <span>
#include <string>

#include "common/expr/program.h"

namespace burnish::expr {

class Evaluator {
 public:
  // Both must outlive the evaluator and what it returns; `values` stand in the order of names.
  Evaluator(const Program& program, std::span<const Value> values)
      : program_(program), values_(values) {}

  // A fault if evaluation failed; error_column() and error() then say where and why.
  Operand Evaluate(NodeIndex index) {
    const Node& node = program_.nodes[index];
    if (node.kind == NodeKind::kConstant) return View(program_.constants[node.first]);
    if (node.kind == NodeKind::kName) return View(values_[node.first]);
    return EvaluateInner(node);
  }

  int error_column() const { return error_column_; }
  const std::string& error() const { return error_; }

 private:
  Operand EvaluateInner(const Node& node);
  Operand EvaluateUnary(const Node& node);
  Operand EvaluateChain(const Node& node);
  Operand EvaluateCompare(const Node& node);
  Operand EvaluateJunction(const Node& node);
  Operand EvaluateConditional(const Node& node);
  Operand EvaluateMembership(const Operand& a, const Link& link);
  Operand Fail(const Operand& fault, const Link& link, const Operand& a, const Operand& b);

  const Program& program_;
  std::span<const Value> values_;
  int error_column_ = 0;
  std::string error_;
};

}  // namespace burnish::expr
