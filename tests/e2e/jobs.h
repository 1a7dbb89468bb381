// Small jobs for end-to-end tests: candidates compile in a moment and run in microseconds.
#pragma once

#include <string>

#include "tests/e2e/harness.h"

namespace burnish::e2e {

// scale: c = 2 a over 4,096 floats, with parameters UNROLL (1, 2, 4, 8) and MODE (0 … modes − 1).
// `body` is put before the loop of the kernel and may use MODE.
struct SmallJob {
  int trials = 8;
  int modes = 4;
  std::string body;
  std::string extra_yaml;
  std::string work = "{}";
  std::string reference = "{language: cpp, source: {file: reference.cc}, entry: scale_reference}";
};

// Writes job.yaml, kernel.cc and reference.cc into the folder and returns the job file's path.
std::string WriteSmallJob(const TemporaryFolder& folder, const SmallJob& job);

}  // namespace burnish::e2e
