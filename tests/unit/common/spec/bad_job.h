// Tables of job texts that must be refused, with the exact words and place.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

#include "common/base/diagnostic.h"
#include "common/spec/job_reader.h"
#include "tests/unit/common/spec/sample_job.h"

namespace burnish::spec {

struct BadJob {
  const char* name;     // of the test
  std::string text;     // of the job
  std::string message;  // with place and path
  std::string hint;
};

inline void PrintTo(const BadJob& job, std::ostream* stream) { *stream << job.name; }

inline std::string NameOfBadJob(const testing::TestParamInfo<BadJob>& info) {
  return info.param.name;
}

// `status` says what `job` expects and shows the line that it is about.
inline void ExpectRefusal(const absl::Status& status, const BadJob& job) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), job.message);
  const std::optional<Diagnostic> diagnostic = DiagnosticOf(status);
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(diagnostic->hint, job.hint);
  EXPECT_EQ(diagnostic->file, "job.yaml");
  if (diagnostic->line == 0) return;
  size_t start = 0;
  for (int line = 1; line < diagnostic->line; ++line) start = job.text.find('\n', start) + 1;
  EXPECT_EQ(diagnostic->excerpt, job.text.substr(start, job.text.find('\n', start) - start));
}

}  // namespace burnish::spec
