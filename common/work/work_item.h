// Work items, their grants to agents, and the reports that come back.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/space/search_space.h"
#include "common/work/measurement.h"

namespace burnish::work {

// The best of a task when a candidate was proposed: what is clearly slower need not be timed to the
// end.
struct Incumbent {
  double seconds = 0;  // the high end of its interval
  DeviceId device;     // that measured it
};

// What a device is asked to do. Only `measure` counts against the budget.
struct MeasureWork {
  space::Configuration configuration;
  std::optional<Incumbent> incumbent = {};
};
struct CompareWork {
  std::vector<space::Configuration> finalists;  // the default first
  int rounds = 20;
};
using Work = std::variant<MeasureWork, CompareWork>;

const char* WorkKindName(const Work& work);  // "measure", "compare"

// One lease of one work item to one agent session: an attempt.
struct Assignment {
  AttemptId attempt;
  WorkItemId work_item;
  Fence fence;
  DeviceId device;
  TaskHash task;
  Work work;
};

struct Report {
  AttemptId attempt;
  WorkItemId work_item;
  Fence fence;
  std::variant<Measurement, Comparison> result;
};

// Each of the three is an acknowledgement: the agent forgets the report.
enum class ReportResult {
  kStored,
  kDuplicate,  // this attempt was stored before
  kLate,       // the work item had gone to another attempt or had ended; kept, changes nothing
};

const char* ReportResultName(ReportResult result);  // "stored"

}  // namespace burnish::work
