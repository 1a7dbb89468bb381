// Contractions by dot products: the vectors lie along k, for operands whose k lies side by side and
// for shapes too narrow to fill vectors with columns. On CPUs.
#pragma once

#include "server/templates/schedule_template.h"

namespace burnish::templates {

class CpuDotTemplate : public ScheduleTemplate {
 public:
  std::string_view id() const override { return "cpu_dot"; }
  int version() const override { return 1; }
  std::string_view language() const override { return "cpp"; }
  absl::StatusOr<Variant> Make(const op::Operator& op, const Target& target) const override;
};

}  // namespace burnish::templates
