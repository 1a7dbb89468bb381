#include "server/templates/cpu_choices.h"

namespace burnish::templates {

std::vector<int64_t> VectorLanes(const Target& target, const ElementTypes& types) {
  const int64_t widest = target.VectorBytes() / types.SumBytes();
  std::vector<int64_t> lanes = {widest};
  if (target.VectorBytes() > 16) lanes.push_back(widest / 2);
  return lanes;
}

std::vector<int64_t> ThreadCounts(const Target& target) {
  std::vector<int64_t> counts = {1};
  for (int64_t count = 2; count < target.cores; count *= 2) counts.push_back(count);
  if (target.cores > 1) counts.push_back(target.cores);
  return counts;
}

std::vector<std::string> Divisions(int64_t batches) {
  std::vector<std::string> divisions = {"columns", "rows"};
  if (batches > 1) divisions.push_back("batches");
  return divisions;
}

}  // namespace burnish::templates
