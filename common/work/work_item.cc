#include "common/work/work_item.h"

namespace burnish::work {

const char* WorkKindName(const Work& work) {
  return std::holds_alternative<MeasureWork>(work) ? "measure" : "compare";
}

}  // namespace burnish::work
