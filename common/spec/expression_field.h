// Expressions written in a job file: parsed, their names checked, and their errors placed in the
// file, down to the column inside the expression where it stands on one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/expr/expression.h"
#include "common/expr/value.h"
#include "common/spec/document.h"
#include "common/spec/job_spec.h"

namespace burnish::spec {

std::optional<expr::Value> FindConstant(const JobSpec& spec, std::string_view name);

absl::StatusOr<expr::Expression> ParseExpression(const Node& node);
// `error` (from parsing or evaluating the expression at `node`) with its place in the file.
absl::Status PlaceError(const Node& node, const absl::Status& error);

// Which names an expression may use. "shapes may use constants only".
enum class NameScope { kConstants, kConstantsAndParameters };
absl::Status CheckNames(const Node& node, const expr::Expression& expression, const JobSpec& spec,
                        NameScope scope);
// An error at the first use of names()[index] within the expression at `node`.
absl::Status ErrorAtName(const Node& node, const expr::Expression& expression, size_t index,
                         std::string_view message, std::string_view hint);

// Evaluates an expression over the constants.
absl::StatusOr<expr::Value> EvaluateConstant(const Node& node, const JobSpec& spec);
absl::StatusOr<int64_t> EvaluateConstantInteger(const Node& node, const JobSpec& spec);
absl::StatusOr<double> EvaluateConstantReal(const Node& node, const JobSpec& spec);

}  // namespace burnish::spec
