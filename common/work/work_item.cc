#include "common/work/work_item.h"

namespace burnish::work {

const char* WorkKindName(const Work& work) {
  return std::holds_alternative<MeasureWork>(work) ? "measure" : "compare";
}

const char* ReportResultName(ReportResult result) {
  switch (result) {
    case ReportResult::kStored:
      return "stored";
    case ReportResult::kDuplicate:
      return "duplicate";
    case ReportResult::kLate:
      return "late";
  }
  return "?";
}

}  // namespace burnish::work
