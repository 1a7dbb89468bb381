// The search space of a job, its errors placed in the job file.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/spec/document.h"
#include "common/spec/expression_field.h"
#include "common/spec/fields.h"
#include "common/spec/job_reader.h"
#include "common/spec/t1_reader.h"

namespace burnish::spec {
namespace {

// The node of `constraints[3]`, counted as in JobSpec: behind the written constraints come the
// `when` of the parameters. Null for any other path.
const Node* FindConstraint(const Node& kernel, std::string_view path) {
  std::vector<const Node*> nodes;
  if (const Node* constraints = kernel.Find("constraints")) {
    nodes.assign(constraints->children.begin(), constraints->children.end());
  }
  if (const Node* parameters = kernel.Find("parameters")) {
    for (const Node* parameter : parameters->children) {
      const Node* when = parameter->Find("when");
      if (when != nullptr) nodes.push_back(when);
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (path == "constraints[" + std::to_string(i) + "]") return nodes[i];
  }
  return nullptr;
}

absl::Status PlaceT1SpaceError(const Document& document, const absl::Status& error,
                               const Diagnostic& diagnostic, size_t conditions) {
  const Node& root = document.root();
  for (size_t i = 0; i < conditions; ++i) {
    const Node* condition = FindT1Condition(root, i);
    if (condition == nullptr || diagnostic.path != absl::StrCat("constraints[", i, "]")) continue;
    return PlaceError(*condition, error);
  }
  const Node& space = *root.Find("ConfigurationSpace");
  return document.Error(space.key_place, space.Path(), diagnostic.message, diagnostic.hint,
                        error.code());
}

absl::Status PlaceSpaceError(const Document& document, const absl::Status& error,
                             size_t constraints) {
  const Node* kernel = document.root().Find("kernel");
  std::optional<Diagnostic> diagnostic = DiagnosticOf(error);
  if (diagnostic.has_value() && IsT1(document.root())) {
    return PlaceT1SpaceError(document, error, *diagnostic, constraints);
  }
  if (kernel == nullptr || !diagnostic.has_value()) return error;
  if (const Node* constraint = FindConstraint(*kernel, diagnostic->path)) {
    if (constraint->key != "when") return PlaceError(*constraint, error);
    // The text in the file is a part of the constraint's, so columns differ.
    const std::string message =
        absl::StrReplaceAll(diagnostic->message, {{diagnostic->path, constraint->Path()}});
    return document.Error(constraint->place, constraint->Path(), message, diagnostic->hint,
                          error.code());
  }
  const Node* parameters = kernel->Find("parameters");
  const Node& place = parameters != nullptr ? *parameters : *kernel;
  return document.Error(place.key_place, place.Path(), diagnostic->message, diagnostic->hint,
                        error.code());
}

// The configuration that the job file writes as its default.
absl::StatusOr<space::ConfigurationIndex> WrittenDefault(const Document& document,
                                                         const JobSpec& spec,
                                                         const space::SearchSpace& space) {
  const std::optional<space::ConfigurationIndex> index = space.IndexOf(*spec.default_configuration);
  if (index.has_value()) return *index;
  const Node* kernel = document.root().Find("kernel");
  const Node* written = kernel != nullptr ? kernel->Find("default") : nullptr;
  ASSIGN_OR_RETURN(const std::optional<size_t> broken,
                   space.BrokenConstraint(*spec.default_configuration));
  const std::string message = broken.has_value()
                                  ? "the default breaks constraints[" + std::to_string(*broken) +
                                        "]: " + spec.constraints[*broken].text()
                                  : "the default is not in the search space";
  if (written == nullptr) return InvalidInput(message);
  return ErrorAtKey(*written, message, "choose a default that holds every constraint");
}

// Each parameter's first value or, if that breaks a constraint, the first valid configuration; any
// one of a lazy space.
space::ConfigurationIndex ImpliedDefault(const space::SearchSpace& space) {
  space::Configuration first;
  for (const space::Parameter& parameter : space.parameters()) {
    first.push_back({parameter.name, parameter.values.front()});
  }
  if (const auto index = space.IndexOf(first)) return *index;
  if (space.Enumerable()) return 0;
  RandomStream random(0, "default");
  return space.Sample(random);
}

absl::StatusOr<std::optional<double>> WorkAt(const Document& document, std::string_view key,
                                             const std::optional<WorkAmount>& amount,
                                             const space::Configuration& configuration) {
  if (!amount) return std::nullopt;
  if (const auto* number = std::get_if<double>(&*amount)) return *number;
  const Node& node = *document.root().Find("kernel")->Find("work")->Find(key);
  const auto& expression = std::get<expr::Expression>(*amount);
  std::vector<expr::Value> values;
  for (const std::string& name : expression.names()) {
    values.push_back(std::ranges::find(configuration, name, &space::Setting::name)->value);
  }
  const absl::StatusOr<expr::Value> value = expression.Evaluate(values);
  if (!value.ok()) return PlaceError(node, value.status());
  const std::optional<double> number = expr::RealOf(*value);
  if (number && std::isfinite(*number) && *number > 0) return *number;
  return ErrorAt(node,
                 absl::StrCat("is ", expr::FormatValue(*value), " for the default configuration ",
                              space::ToJson(configuration)),
                 "it must be a positive number");
}

}  // namespace

absl::StatusOr<JobSpace> BuildSpace(const JobText& job, const JobSpec& spec,
                                    const space::ConstructionOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<const Document> document,
                   Document::Parse(job.file_name, job.text));
  if (spec.workload.has_value() && spec.kernels.empty()) {
    const Node* workload = document->root().Find("workload");
    constexpr char kMessage[] = "a workload needs a schedule template";
    return workload != nullptr ? ErrorAtKey(*workload, kMessage) : InvalidInput(kMessage);
  }
  absl::StatusOr<space::SearchSpace> space =
      space::SearchSpace::Create(spec.parameters, spec.constraints, options);
  if (!space.ok()) {
    return PlaceSpaceError(*document, space.status(), spec.constraints.size());
  }
  space::ConfigurationIndex default_index = ImpliedDefault(*space);
  if (spec.default_configuration.has_value()) {
    ASSIGN_OR_RETURN(default_index, WrittenDefault(*document, spec, *space));
  }
  JobSpace built{.space = *std::move(space), .default_index = default_index};
  const space::Configuration configuration = built.space.At(default_index);
  ASSIGN_OR_RETURN(built.default_flops, WorkAt(*document, "flops", spec.work.flops, configuration));
  ASSIGN_OR_RETURN(built.default_bytes, WorkAt(*document, "bytes", spec.work.bytes, configuration));
  return built;
}

}  // namespace burnish::spec
