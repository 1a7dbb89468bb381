// Contractions by register tiles: an outer product of a few rows of a with a few vectors of b
// columns stays in registers while k runs; around it the classic blocking for caches (Goto and van
// de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008), each part of which a
// parameter can leave out. Serves every contraction that AsContraction knows, on CPUs.
#pragma once

#include "server/templates/schedule_template.h"

namespace burnish::templates {

class CpuTileTemplate : public ScheduleTemplate {
 public:
  std::string_view id() const override { return "cpu_tile"; }
  int version() const override { return 1; }
  std::string_view language() const override { return "cpp"; }
  absl::StatusOr<Variant> Make(const op::Operator& op, const Target& target) const override;
};

}  // namespace burnish::templates
