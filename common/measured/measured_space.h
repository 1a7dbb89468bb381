// Measurements of many configurations of one kernel on one device, as tuners publish them. Where
// every valid configuration is there, the space is fully measured, and a search can be replayed on
// it without the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/space/parameter.h"
#include "common/work/measurement.h"

namespace burnish::measured {

struct Metric {
  std::string name;  // as in the file: "GFLOP/s"
  double value = 0;
  std::string unit;  // empty: none was given
};

struct Record {
  std::vector<uint32_t> values;  // for each parameter the index of its value
  work::Outcome outcome = work::Outcome::kInfrastructure;
  std::string message;                  // of a failure; may be empty
  double latency_seconds = 0;           // with outcome ok: its runs' mean, else the file's figure
  std::vector<double> samples_seconds;  // single runs, in order; may be empty
  double compile_seconds = 0;           // 0: not known
  std::vector<Metric> metrics;          // what else the file says of it
};

struct MeasuredSpace {
  std::string name;    // of the file, without folder and endings: "gemm-RTX_3090"
  std::string format;  // "t4", "cache", "ktt", "clblast", as in `burnish export --format`
  std::string kernel;  // empty: not said
  std::string device;  // empty: not said
  // In the file's order; domains as it declares them, else the values that occur, ascending.
  std::vector<space::Parameter> parameters;
  std::vector<Record> records;        // distinct configurations, in the file's order
  std::vector<std::string> warnings;  // what was tolerated, with its place
};

}  // namespace burnish::measured
