// Compares two exports of jobs (export_document.h): what became faster, what slower, and what else
// changed. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {

struct Estimate {
  double seconds = 0;
  double low = 0;  // 95 % interval
  double high = 0;
};

// b relative to a. `same` if the whole interval lies within 1 % of 1, `uncertain` if it holds 1 but
// is wider.
struct RatioVerdict {
  double ratio = 1;
  double low = 1;
  double high = 1;
  std::string verdict;  // faster, slower, same, uncertain
};

// The two were measured at different times, so their errors are taken as independent: the interval
// is the one of Zou and Donner (2008, MOVER) for a difference, on the logarithms.
RatioVerdict Compare(const Estimate& a, const Estimate& b);

// `burnish.diff/1`. Tasks are paired by device class, or as they are if each side has one.
// InvalidArgument, naming the side, for a document that is no export.
absl::StatusOr<nlohmann::ordered_json> DiffDocuments(const nlohmann::ordered_json& a,
                                                     const std::string& a_name,
                                                     const nlohmann::ordered_json& b,
                                                     const std::string& b_name);

std::string DiffText(const nlohmann::ordered_json& diff);

// Whether some task's best of b is known to be slower than a's by more than `share`, or is missing.
bool IsSlowerBeyond(const nlohmann::ordered_json& diff, double share);

}  // namespace burnish::cli
