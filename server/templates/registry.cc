#include "server/templates/cpu_dot.h"
#include "server/templates/cpu_tile.h"
#include "server/templates/schedule_template.h"

namespace burnish::templates {

const std::vector<const ScheduleTemplate*>& AllTemplates() {
  static const auto& templates =
      *new std::vector<const ScheduleTemplate*>{new CpuTileTemplate(), new CpuDotTemplate()};
  return templates;
}

}  // namespace burnish::templates
