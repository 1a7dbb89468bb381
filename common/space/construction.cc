#include "common/space/construction.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/space/binding_order.h"
#include "common/space/depth_first.h"

namespace burnish::space {
namespace {

using Goal = DepthFirst::Goal;
using Outcome = DepthFirst::Outcome;

std::string ConstraintPath(size_t index) { return absl::StrCat("constraints[", index, "]"); }

// The constraint after which, in listed order, nothing is left. All together leave nothing, and
// every further constraint can only remove.
size_t FirstThatEmpties(const std::vector<Parameter>& parameters,
                        const std::vector<expr::Expression>& constraints, const RowLayout& layout) {
  size_t some_left = 0;  // with this many constraints something is left, as far as known
  size_t none_left = constraints.size();
  while (some_left + 1 < none_left) {
    const size_t count = some_left + (none_left - some_left) / 2;
    const std::span<const expr::Expression> listed(constraints.data(), count);
    const Outcome outcome = DepthFirst(parameters, listed, layout, Goal::kFirst).Run();
    (outcome == Outcome::kExhausted ? none_left : some_left) = count;
  }
  return none_left - 1;
}

absl::Status EmptySpaceError(const std::vector<Parameter>& parameters,
                             const std::vector<expr::Expression>& constraints,
                             const RowLayout& layout) {
  const size_t last = FirstThatEmpties(parameters, constraints, layout);
  Diagnostic diagnostic;
  diagnostic.path = ConstraintPath(last);
  diagnostic.message = absl::StrCat("the search space is empty: ", diagnostic.path,
                                    " removes the last configuration");
  diagnostic.hint = last == 0 ? "loosen it, or add values to its parameters"
                              : "loosen it or a constraint before it, or add parameter values";
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

// Names the first constraint that cannot be evaluated for the configuration in `row`.
absl::Status EvaluationError(const std::vector<Parameter>& parameters,
                             const std::vector<expr::Expression>& constraints,
                             const RowLayout& layout, const std::vector<uint64_t>& row) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    std::vector<expr::Value> arguments;
    std::vector<std::string> bindings;
    for (const size_t parameter : ParametersOf(constraints[i], parameters)) {
      arguments.push_back(parameters[parameter].values[layout.Get(row.data(), parameter)]);
      bindings.push_back(
          absl::StrCat(parameters[parameter].name, " = ", expr::FormatValue(arguments.back())));
    }
    const absl::Status status = constraints[i].Test(arguments).status();
    if (status.ok()) continue;
    Diagnostic diagnostic = DiagnosticOf(status).value_or(Diagnostic{});
    diagnostic.path = ConstraintPath(i);
    if (!bindings.empty()) {
      absl::StrAppend(&diagnostic.message, " where ", absl::StrJoin(bindings, ", "));
    }
    return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
  }
  CHECK(false) << "all constraints can be evaluated";
  return absl::OkStatus();
}

absl::Status TooLargeError(std::string_view message, std::string_view hint) {
  Diagnostic diagnostic;
  diagnostic.message = message;
  diagnostic.hint = hint;
  return DiagnosticStatus(absl::StatusCode::kResourceExhausted, diagnostic);
}

void SortWideRows(std::vector<uint64_t>& rows, size_t words) {
  std::vector<size_t> order(rows.size() / words);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto row = [&](size_t index) {
    return rows.begin() + static_cast<ptrdiff_t>(index * words);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::lexicographical_compare(row(a), row(a) + words, row(b), row(b) + words);
  });
  std::vector<uint64_t> sorted;
  sorted.reserve(rows.size());
  for (const size_t index : order) sorted.insert(sorted.end(), row(index), row(index) + words);
  rows = std::move(sorted);
}

}  // namespace

absl::StatusOr<std::vector<uint64_t>> ConstructRows(
    const std::vector<Parameter>& parameters, const std::vector<expr::Expression>& constraints,
    const RowLayout& layout) {
  DepthFirst search(parameters, constraints, layout, Goal::kAll);
  const Outcome outcome = search.Run();
  if (outcome == Outcome::kNotEvaluated) {
    return EvaluationError(parameters, constraints, layout, search.row());
  }
  if (outcome == Outcome::kTooMany) {
    return TooLargeError(absl::StrCat("the search space has more than ",
                                      limits::kSpaceConfigurations, " valid configurations"),
                         "add constraints, or remove parameters or values");
  }
  if (outcome == Outcome::kTooLong) {
    return TooLargeError(absl::StrCat("the search space was not constructed within ",
                                      limits::kSpaceConstructionSteps, " steps"),
                         "constraints over fewer parameters remove configurations earlier");
  }
  std::vector<uint64_t> rows = search.TakeRows();
  if (rows.empty()) return EmptySpaceError(parameters, constraints, layout);
  if (layout.words() == 1) {
    if (!std::is_sorted(rows.begin(), rows.end())) std::sort(rows.begin(), rows.end());
  } else {
    SortWideRows(rows, layout.words());
  }
  rows.shrink_to_fit();
  return rows;
}

}  // namespace burnish::space
