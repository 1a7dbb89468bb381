// What `burnish explain` explains: one text for every key of a job file, outcome, metric and state.
// A table, so that whoever adds a word finds the place; a test holds that none is missing.
#pragma once

#include <span>
#include <string_view>

namespace burnish::cli {

struct Topic {
  std::string_view name;  // job.budget, outcome.timeout, metric.latency, device.state.ready
  std::string_view text;  // at most a screen; the first sentence stands in the list of topics
};

std::span<const Topic> AllTopics();

}  // namespace burnish::cli
