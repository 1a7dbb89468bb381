// The Pareto front of a task with several objectives: the table, the document, the diagram. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/connection.h"
#include "client/cli/metric_text.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {

// What people ask of a front that is there.
struct ParetoQuestion {
  std::string where;               // a limit, which the server has applied; empty: none
  std::optional<spec::Metric> by;  // what the chosen point has the best of
};

// Refuses, under the name of the flag, what is no condition over metrics.
absl::Status CheckWhere(const std::string& where);

// The metric by which a point of the front is chosen: the one asked for, else the latency if that
// is an objective, else the first objective.
spec::Objective ChosenBy(const pb::TaskSnapshot& task, const ParetoQuestion& question);
// Its best point; null of an empty front.
const pb::FrontPoint* ChoosePoint(const pb::TaskSnapshot& task, const ParetoQuestion& question);

nlohmann::ordered_json ParetoDocument(const pb::TaskSnapshot& task, const ParetoQuestion& question);
std::string ParetoText(const pb::JobSnapshot& job, const pb::TaskSnapshot& task,
                       const ParetoQuestion& question);
// The first two objectives, logarithmic.
std::string ParetoSvg(const pb::JobSnapshot& job, const pb::TaskSnapshot& task,
                      const ParetoQuestion& question);

}  // namespace burnish::cli
