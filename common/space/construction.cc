#include "common/space/construction.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "common/space/binding_order.h"
#include "common/space/component_search.h"

namespace burnish::space {
namespace {

using End = ComponentSearch::Rows::End;

std::string ConstraintPath(size_t index) { return absl::StrCat("constraints[", index, "]"); }

// Whether the constraints leave something, as far as can be told.
bool LeaveSomething(const std::vector<Parameter>& parameters,
                    std::span<const expr::Expression> constraints) {
  Reduction reduction = Reduce(parameters, constraints);
  if (reduction.is_empty) return false;
  const RowLayout layout(parameters, reduction.components);
  return std::ranges::all_of(reduction.components, [&](const std::vector<size_t>& component) {
    const auto first = ComponentSearch(parameters, reduction, component, layout).First();
    return first.row.has_value() || !first.is_known;
  });
}

// The constraint after which, in listed order, nothing is left. All together leave nothing, and
// every further constraint can only remove.
size_t FirstThatEmpties(const std::vector<Parameter>& parameters,
                        const std::vector<expr::Expression>& constraints) {
  size_t some_left = 0;  // with this many constraints something is left, as far as known
  size_t none_left = constraints.size();
  while (some_left + 1 < none_left) {
    const size_t count = some_left + (none_left - some_left) / 2;
    const std::span<const expr::Expression> listed(constraints.data(), count);
    (LeaveSomething(parameters, listed) ? some_left : none_left) = count;
  }
  return none_left - 1;
}

absl::Status EmptySpaceError(const Construction& parts) {
  const size_t last = FirstThatEmpties(parts.parameters, parts.constraints);
  Diagnostic diagnostic;
  diagnostic.path = ConstraintPath(last);
  diagnostic.message = absl::StrCat("the search space is empty: ", diagnostic.path,
                                    " removes the last configuration");
  diagnostic.hint = last == 0 ? "loosen it, or add values to its parameters"
                              : "loosen it or a constraint before it, or add parameter values";
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

// Names the first constraint that cannot be evaluated for the configuration in `row`.
absl::Status EvaluationError(const Construction& parts, const Row& row) {
  for (size_t i = 0; i < parts.constraints.size(); ++i) {
    std::vector<expr::Value> arguments;
    std::vector<std::string> bindings;
    for (const size_t p : ParametersOf(parts.constraints[i], parts.parameters)) {
      const Parameter& parameter = parts.parameters[p];
      arguments.push_back(parameter.values[parts.layout.Get(row.data(), p)]);
      bindings.push_back(absl::StrCat(parameter.name, " = ", expr::FormatValue(arguments.back())));
    }
    const absl::Status status = parts.constraints[i].Test(arguments).status();
    if (status.ok()) continue;
    Diagnostic diagnostic = DiagnosticOf(status).value_or(Diagnostic{});
    diagnostic.path = ConstraintPath(i);
    if (!bindings.empty()) {
      absl::StrAppend(&diagnostic.message, " where ", absl::StrJoin(bindings, ", "));
    }
    return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
  }
  return InvalidInput("the constraints compute with the smallest integer of 64 bits",
                      "use smaller numbers");
}

absl::Status TooLongError() {
  Diagnostic diagnostic;
  diagnostic.message = absl::StrCat("no configuration of the search space was found within ",
                                    limits::kSpaceConstructionSteps, " steps");
  diagnostic.hint = "constraints over fewer parameters remove configurations earlier";
  return DiagnosticStatus(absl::StatusCode::kResourceExhausted, diagnostic);
}

// Of each of the component's words.
std::vector<uint64_t> MasksOf(const std::vector<size_t>& component, const RowLayout& layout,
                              const ComponentSearch& search) {
  std::vector<uint64_t> masks(search.words(), 0);
  for (const size_t p : component) {
    const RowLayout::Field& field = layout.field(p);
    masks[field.word - search.first_word()] |= field.mask << field.shift;
  }
  return masks;
}

class Builder {
 public:
  Builder(Construction& parts, const ConstructionOptions& options)
      : parts_(parts), options_(options) {
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    if (options_.threads == 0) options_.threads = std::clamp(cores, 1, kMostThreads);
  }

  absl::Status Run() {
    parts_.reduction = Reduce(parts_.parameters, parts_.constraints);
    Reduction& reduction = parts_.reduction;
    if (reduction.is_empty) return EmptySpaceError(parts_);
    parts_.layout = RowLayout(parts_.parameters, reduction.components);
    parts_.fixed.assign(parts_.layout.words(), 0);
    for (size_t p = 0; p < parts_.parameters.size(); ++p) {
      if (reduction.domains[p].size() > 1) continue;
      parts_.layout.Set(parts_.fixed.data(), p, reduction.domains[p].front());
      if (parts_.parameters[p].values.size() > 1) parts_.fixed_parameters.push_back(p);
    }
    for (const std::vector<size_t>& component : reduction.components) {
      searches_.push_back(std::make_shared<const ComponentSearch>(parts_.parameters, reduction,
                                                                  component, parts_.layout));
    }
    bool cannot_be_evaluated = reduction.always_fails;
    for (size_t i = 0; i < searches_.size(); ++i) {
      ComponentSearch::Rows rows = searches_[i]->Enumerate(options_.max_rows, options_.threads);
      // Which rows several threads found before they stopped depends on their pace.
      const bool is_complete = rows.end == End::kComplete;
      if (!is_complete) rows = searches_[i]->Enumerate(kRowsOfLazy, 1);
      if (rows.words.empty() && !rows.not_evaluated.has_value()) {
        return rows.end == End::kTooLong ? TooLongError() : EmptySpaceError(parts_);
      }
      if (rows.words.empty() || (is_complete && rows.not_evaluated.has_value())) {
        cannot_be_evaluated = true;
        rows.words.assign(rows.not_evaluated->begin(), rows.not_evaluated->end());
      }
      std::vector<uint64_t> masks = MasksOf(reduction.components[i], parts_.layout, *searches_[i]);
      parts_.components.push_back(
          is_complete ? Component::Enumerated(searches_[i]->first_word(), searches_[i]->words(),
                                              std::move(rows.words), std::move(masks))
                      : Component::Drawn(searches_[i], std::move(rows.words), std::move(masks)));
    }
    if (!cannot_be_evaluated) return absl::OkStatus();
    Row row = parts_.fixed;
    for (const Component& component : parts_.components) component.Put(0, row.data());
    return EvaluationError(parts_, row);
  }

 private:
  static constexpr int kMostThreads = 8;
  // Looked for in a component that is not enumerated.
  static constexpr uint64_t kRowsOfLazy = 1024;

  Construction& parts_;
  ConstructionOptions options_;
  std::vector<std::shared_ptr<const ComponentSearch>> searches_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Construction>> Construct(
    std::vector<Parameter> parameters, std::vector<expr::Expression> constraints,
    const ConstructionOptions& options) {
  auto parts = std::make_shared<Construction>();
  parts->parameters = std::move(parameters);
  parts->constraints = std::move(constraints);
  RETURN_IF_ERROR(Builder(*parts, options).Run());
  return parts;
}

}  // namespace burnish::space
