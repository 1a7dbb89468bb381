// A job's result: the table for people and the JSON document for scripts, from one snapshot.
#pragma once

#include <string>

#include "client/cli/connection.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {

// `tune`, `watch`, `wait`, `best`: one document (keys that scripts may rely on).
nlohmann::ordered_json JobDocument(const pb::JobSnapshot& snapshot);
nlohmann::ordered_json ForecastJson(const pb::Forecast& forecast);
nlohmann::ordered_json RecordDocument(const pb::Record& record);

std::string OutcomeText(pb::Outcome outcome);
std::string ResultTable(const pb::JobSnapshot& snapshot);
// One line per configuration: name=value pairs.
nlohmann::ordered_json ConfigurationJson(const pb::Configuration& configuration);
std::string ConfigurationText(const pb::Configuration& configuration);

// 0 if done and every task has a verified best, else 1.
int ExitCodeOfJob(const pb::JobSnapshot& snapshot);

}  // namespace burnish::cli
