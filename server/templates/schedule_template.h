// A schedule template maps operators of one family to one kind of hardware: it states a search
// space and writes a source that takes the space's parameters as macros. Templates are stateless;
// what they give is a function of operator and target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/op/operator.h"
#include "common/space/configuration.h"
#include "common/space/parameter.h"
#include "server/templates/target.h"

namespace burnish::templates {

// What a template makes of one operator on one target.
struct Variant {
  // Parameters of one name mean the same in all templates of a language.
  std::vector<space::Parameter> parameters;
  std::vector<std::string> constraints;  // expressions over the parameters
  // A good configuration without any search.
  space::Configuration default_configuration;
  // Made for such shapes: its default is the job's, whatever comes before it.
  bool favoured = false;
  // What a textbook would choose: the yardstick for what search and default are worth.
  space::Configuration textbook_configuration;
  // Defines `entry` with the operator's tensors, in their order, and a workspace behind them; and
  // entry + "_prepare" with the same signature, which is called ahead of executions and may read
  // nothing but constant tensors.
  std::string source;
  std::string entry;
  int64_t workspace_bytes = 0;  // at most, over all configurations
};

class ScheduleTemplate {
 public:
  virtual ~ScheduleTemplate() = default;
  virtual std::string_view id() const = 0;  // "cpu_tile"
  // Grows whenever the same configuration means other code.
  virtual int version() const = 0;
  virtual std::string_view language() const = 0;
  // NotFound with the reason if the template does not serve this operator on this target.
  virtual absl::StatusOr<Variant> Make(const op::Operator& op, const Target& target) const = 0;
};

// In order of preference: the first that serves an operator gives the default.
const std::vector<const ScheduleTemplate*>& AllTemplates();

}  // namespace burnish::templates
