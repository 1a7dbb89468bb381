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
  Schedule schedule;
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
    absl::StatusOr<Schedule> schedule = one->Make(op, target);
    if (schedule.ok()) {
      candidates.push_back({.name = absl::StrCat(id, "@", one->version()),
                            .file = id + ".cc",
                            .schedule = *std::move(schedule)});
    } else {
      reasons.push_back(absl::StrCat(id, ": ", std::string(schedule.status().message())));
    }
  }
  if (!candidates.empty()) return candidates;
  return InvalidInput(absl::StrCat("no schedule template serves ", op::Describe(op)),
                      absl::StrJoin(reasons, "; "));
}

bool Has(const Candidate& candidate, std::string_view parameter) {
  return std::ranges::any_of(candidate.schedule.parameters,
                             [&](const space::Parameter& own) { return own.name == parameter; });
}

std::string Quoted(const std::string& name) { return absl::StrCat("'", name, "'"); }

expr::Expression Parsed(const std::string& text) {
  absl::StatusOr<expr::Expression> parsed = expr::Expression::Parse(text);
  CHECK(parsed.ok()) << text << ": " << parsed.status().ToString();
  return *std::move(parsed);
}

// Parameters of the same name are one.
std::vector<space::Parameter> UnionOfParameters(const std::vector<Candidate>& candidates) {
  std::vector<space::Parameter> all(1);
  all[0].name = std::string(kTemplateParameter);
  std::set<std::string> known;
  for (const Candidate& candidate : candidates) {
    all[0].values.emplace_back(candidate.name);
    for (const space::Parameter& parameter : candidate.schedule.parameters) {
      if (known.insert(parameter.name).second) all.push_back(parameter);
    }
  }
  return all;
}

std::vector<expr::Expression> UnionOfConstraints(const std::vector<Candidate>& candidates,
                                                 const std::vector<space::Parameter>& parameters) {
  std::vector<expr::Expression> constraints;
  // A parameter is free with the templates that have it.
  for (size_t i = 1; i < parameters.size(); ++i) {
    std::vector<std::string> with;
    for (const Candidate& candidate : candidates) {
      if (Has(candidate, parameters[i].name)) with.push_back(Quoted(candidate.name));
    }
    if (with.size() == candidates.size()) continue;
    constraints.push_back(Parsed(
        absl::StrCat(std::string(kTemplateParameter), " in [", absl::StrJoin(with, ", "), "] or ",
                     parameters[i].name, " == ", expr::FormatValue(parameters[i].values.front()))));
  }
  for (const Candidate& candidate : candidates) {
    for (const std::string& constraint : candidate.schedule.constraints) {
      constraints.push_back(
          Parsed(candidates.size() == 1
                     ? constraint
                     : absl::StrCat(std::string(kTemplateParameter), " != ", Quoted(candidate.name),
                                    " or (", constraint, ")")));
    }
  }
  return constraints;
}

// A template's configuration, as one of all parameters.
space::Configuration Completed(const Candidate& candidate,
                               const std::vector<space::Parameter>& parameters,
                               const space::Configuration& own) {
  space::Configuration all = {{std::string(kTemplateParameter), expr::Value(candidate.name)}};
  for (size_t i = 1; i < parameters.size(); ++i) {
    const auto setting = std::ranges::find(own, parameters[i].name, &space::Setting::name);
    all.push_back(
        {parameters[i].name, setting != own.end() ? setting->value : parameters[i].values.front()});
  }
  return all;
}

std::vector<spec::Argument> ArgumentsOf(const op::Operator& op, int64_t workspace_bytes) {
  std::vector<spec::Argument> arguments;
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const op::Tensor& tensor = op.tensors[i];
    arguments.push_back({.name = tensor.name,
                         .dtype = tensor.dtype,
                         .is_buffer = true,
                         .shape = tensor.shape,
                         .role = i == op.output.tensor ? spec::Role::kOutput : spec::Role::kInput,
                         .constant = tensor.constant});
  }
  arguments.push_back({.name = "workspace",
                       .dtype = Dtype::kU8,
                       .is_buffer = true,
                       .shape = {std::max<int64_t>(workspace_bytes, 1)},
                       .role = spec::Role::kWorkspace});
  return arguments;
}

spec::Kernel KernelOf(const std::vector<Candidate>& candidates, const Target& target) {
  spec::Kernel kernel;
  kernel.language = target.language;
  kernel.by = std::string(kTemplateParameter);
  kernel.entry = candidates.front().schedule.entry;
  kernel.prepare = kernel.entry + "_prepare";
  // The templates count on multiplications and additions being contracted.
  kernel.flags = {"-ffp-contract=fast", "-pthread"};
  for (const Candidate& candidate : candidates) {
    CHECK(candidate.schedule.entry == kernel.entry) << candidate.name;
    kernel.variants[candidate.name] = {.file = candidate.file, .text = candidate.schedule.source};
  }
  return kernel;
}

}  // namespace

absl::StatusOr<Lowered> Lower(const spec::JobSpec& spec, const Target& target) {
  const op::Operator& op = spec.workload.value();
  ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, Serving(op, target));
  const auto favoured = std::ranges::find_if(
      candidates, [](const Candidate& candidate) { return candidate.schedule.favoured; });
  const Candidate& chosen = favoured != candidates.end() ? *favoured : candidates.front();
  int64_t workspace_bytes = 0;
  for (const Candidate& candidate : candidates) {
    workspace_bytes = std::max(workspace_bytes, candidate.schedule.workspace_bytes);
  }
  Lowered lowered{.spec = spec};
  spec::JobSpec& made = lowered.spec;
  made.kernels = {KernelOf(candidates, target)};
  made.arguments = ArgumentsOf(op, workspace_bytes);
  made.parameters = UnionOfParameters(candidates);
  made.constraints = UnionOfConstraints(candidates, made.parameters);
  made.default_configuration =
      Completed(chosen, made.parameters, chosen.schedule.default_configuration);
  lowered.textbook = Completed(chosen, made.parameters, chosen.schedule.textbook_configuration);
  made.reference.kind = spec::Reference::Kind::kOperator;
  made.reference.op = op;
  return lowered;
}

}  // namespace burnish::templates
