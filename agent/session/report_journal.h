// The file of reports that the server has not acknowledged, so that they outlive the agent.
//
// Records are appended: a report, or the id of an attempt whose report is acknowledged. A record is
// three little-endian 32-bit numbers and a payload: the payload's length and CRC-32, and the CRC-32
// of these two, so that a damaged length is not taken for the torn end that a kill leaves. The
// payload is a letter that says what it is, then a ReportMessage or the id.
//
// After a failure nobody knows what the file ends with: Rewrite() has to come next, and replaces
// it. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "burnish/v1/agent_service.pb.h"
#include "common/base/ids.h"
#include "common/base/unique_fd.h"

namespace burnish::agent {

using SharedReport = std::shared_ptr<const v1::ReportMessage>;

class ReportJournal {
 public:
  explicit ReportJournal(std::string path) : path_(std::move(path)) {}

  // What earlier lives left, before anything else; Rewrite() has to come next. A torn end is cut
  // off. A file with other damage is moved aside, to `PATH.damaged-N`, and what is readable before
  // the damage is returned. Both are logged; neither is an error.
  std::vector<SharedReport> Read() const;

  // The reports are synced when this returns OK. Acknowledgements are not: one that is lost only
  // makes a report be sent again.
  absl::Status Append(const std::vector<SharedReport>& reports,
                      const std::vector<AttemptId>& acknowledged);
  // Makes these the content, synced. Also sets some space aside, so that a full disk fails it
  // however little there is to write.
  absl::Status Rewrite(const std::vector<SharedReport>& reports);
  // Whether Rewrite() has to come next, or should: most of the file is dead, given `live_bytes` of
  // reports that are not acknowledged.
  bool NeedsRewrite(size_t live_bytes) const;

 private:
  void MoveAside(std::string_view damage, size_t kept_reports) const;

  const std::string path_;
  UniqueFd file_;     // not valid: what the file ends with is unknown
  size_t bytes_ = 0;  // of the file
};

}  // namespace burnish::agent
