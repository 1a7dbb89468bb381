// The measurements of the service bench. Each starts a server of its own on the database given and
// adds its figures to the report.
#pragma once

#include "absl/time/time.h"
#include "tests/bench/report.h"
#include "tests/bench/service/service.h"

namespace burnish::bench {

struct Effort {
  absl::Duration steady = absl::Seconds(15);  // of each measurement, after its warm-up
  int agents = 64;
  int idle_agents = 2000;
};

// Trials stored per second with many agents whose trials take no time, and what the database did
// for them. Returns the steady rate.
double MeasureThroughput(Database& database, const Effort& effort, const std::string& group,
                         Report& report);
// One agent at prefetch 4 whose trials take no time.
void MeasureOverhead(Database& database, const Effort& effort, const std::string& group,
                     Report& report);
// From a slot becoming free to its next trial, at half the peak rate. On PostgreSQL with
// `replicas` 2 the agents are attached to one server, and another one owns the jobs.
void MeasureDispatch(Database& database, const Effort& effort, double peak, int replicas,
                     const std::string& group, Report& report);
// Attached agents that have nothing to do but to send heartbeats.
void MeasureIdle(Database& database, const Effort& effort, const std::string& group,
                 Report& report);
// Makes a job with this many stored trials of ten samples each.
void StoreInBulk(Database& database, int64_t trials);

}  // namespace burnish::bench
