#include "server/templates/lowering.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "server/templates/schedule_template.h"

namespace burnish::templates {
namespace {

struct Candidate {
  std::string name;  // ID@VERSION
  std::string file;
  Variant variant;
};

absl::StatusOr<std::vector<Candidate>> Serving(const op::Operator& op, const Target& target) {
  std::vector<Candidate> candidates;
  std::vector<std::string> reasons;
  for (const ScheduleTemplate* one : AllTemplates()) {
    const std::string id(one->id());
    if (one->language() != target.language) {
      reasons.push_back(absl::StrCat(id, ": it writes ", std::string(one->language())));
      continue;
    }
    absl::StatusOr<Variant> variant = one->Make(op, target);
    if (variant.ok()) {
      candidates.push_back({.name = absl::StrCat(id, "@", one->version()),
                            .file = id + ".cc",
                            .variant = *std::move(variant)});
    } else {
      reasons.push_back(absl::StrCat(id, ": ", std::string(variant.status().message())));
    }
  }
  if (!candidates.empty()) return candidates;
  return InvalidInput(absl::StrCat("no schedule template serves ", op::Describe(op), " (",
                                   absl::StrJoin(reasons, "; "), ")"));
}

bool Has(const Candidate& candidate, std::string_view parameter) {
  return std::ranges::any_of(candidate.variant.parameters,
                             [&](const space::Parameter& own) { return own.name == parameter; });
}

std::string Quoted(const std::string& name) { return absl::StrCat("'", name, "'"); }

bool SameValues(const space::Parameter& a, const space::Parameter& b) {
  return std::ranges::equal(a.values, b.values, expr::Equal);
}

// Parameters of the same name are one.
std::vector<space::Parameter> UnionOfParameters(const std::vector<Candidate>& candidates) {
  std::vector<space::Parameter> all(1);
  all[0].name = std::string(work::kTemplateParameter);
  std::set<std::string> known;
  for (const Candidate& candidate : candidates) {
    all[0].values.emplace_back(candidate.name);
    for (const space::Parameter& parameter : candidate.variant.parameters) {
      if (known.insert(parameter.name).second) {
        all.push_back(parameter);
        continue;
      }
      const auto other = std::ranges::find(all, parameter.name, &space::Parameter::name);
      CHECK(SameValues(*other, parameter)) << candidate.name << ": " << parameter.name;
    }
  }
  return all;
}

std::vector<std::string> UnionOfConstraints(const std::vector<Candidate>& candidates,
                                            const std::vector<space::Parameter>& parameters) {
  const std::string root(work::kTemplateParameter);
  std::vector<std::string> constraints;
  // A parameter is free with the templates that have it.
  for (size_t i = 1; i < parameters.size(); ++i) {
    std::vector<std::string> with;
    for (const Candidate& candidate : candidates) {
      if (Has(candidate, parameters[i].name)) with.push_back(Quoted(candidate.name));
    }
    if (with.size() == candidates.size()) continue;
    constraints.push_back(absl::StrCat(root, " in [", absl::StrJoin(with, ", "), "] or ",
                                       parameters[i].name,
                                       " == ", expr::FormatValue(parameters[i].values.front())));
  }
  for (const Candidate& candidate : candidates) {
    for (const std::string& constraint : candidate.variant.constraints) {
      constraints.push_back(
          candidates.size() == 1
              ? constraint
              : absl::StrCat(root, " != ", Quoted(candidate.name), " or (", constraint, ")"));
    }
  }
  return constraints;
}

// A template's configuration, as one of all parameters.
space::Configuration Completed(const Candidate& candidate,
                               const std::vector<space::Parameter>& parameters,
                               const space::Configuration& own) {
  space::Configuration all = {{std::string(work::kTemplateParameter), expr::Value(candidate.name)}};
  for (size_t i = 1; i < parameters.size(); ++i) {
    const auto setting = std::ranges::find(own, parameters[i].name, &space::Setting::name);
    all.push_back(
        {parameters[i].name, setting != own.end() ? setting->value : parameters[i].values.front()});
  }
  return all;
}

spec::Kernel KernelOf(const std::vector<Candidate>& candidates, const Target& target) {
  spec::Kernel kernel;
  kernel.language = target.language;
  kernel.by = std::string(work::kTemplateParameter);
  kernel.entry = candidates.front().variant.entry;
  kernel.prepare = kernel.entry + "_prepare";
  // The templates count on multiplications and additions being contracted.
  kernel.flags = {"-ffp-contract=fast", "-pthread"};
  for (const Candidate& candidate : candidates) {
    CHECK(candidate.variant.entry == kernel.entry) << candidate.name;
    kernel.variants[candidate.name] = {.file = candidate.file, .text = candidate.variant.source};
  }
  return kernel;
}

}  // namespace

absl::StatusOr<Lowered> Lower(const op::Operator& op, const Target& target) {
  ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, Serving(op, target));
  const auto favoured = std::ranges::find_if(
      candidates, [](const Candidate& candidate) { return candidate.variant.favoured; });
  const Candidate& chosen = favoured != candidates.end() ? *favoured : candidates.front();
  Lowered lowered;
  work::Schedule& schedule = lowered.schedule;
  schedule.parameters = UnionOfParameters(candidates);
  schedule.constraints = UnionOfConstraints(candidates, schedule.parameters);
  schedule.default_configuration =
      Completed(chosen, schedule.parameters, chosen.variant.default_configuration);
  schedule.kernel = KernelOf(candidates, target);
  for (const Candidate& candidate : candidates) {
    schedule.workspace_bytes =
        std::max(schedule.workspace_bytes, candidate.variant.workspace_bytes);
  }
  lowered.textbook = Completed(chosen, schedule.parameters, chosen.variant.textbook_configuration);
  return lowered;
}

}  // namespace burnish::templates
