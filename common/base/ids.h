// Strong identifiers: an id of one kind never converts into another or into a bare number.
// Text forms are the ones people type: job `j42`, task `j42.1`, trial `j42.1#97`.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace burnish {

template <typename Tag>
class NumberId {
 public:
  constexpr NumberId() = default;
  constexpr explicit NumberId(int64_t value) : value_(value) {}
  constexpr int64_t value() const { return value_; }
  friend constexpr auto operator<=>(const NumberId&, const NumberId&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const NumberId& id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  int64_t value_ = 0;
};

template <typename Tag>
class TextId {
 public:
  TextId() = default;
  explicit TextId(std::string value) : value_(std::move(value)) {}
  const std::string& value() const { return value_; }
  bool empty() const { return value_.empty(); }
  friend auto operator<=>(const TextId&, const TextId&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const TextId& id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  std::string value_;
};

using JobId = NumberId<struct JobIdTag>;
using WorkItemId = NumberId<struct WorkItemIdTag>;
// Raised at every grant of a work item; a report with an older fence changes nothing.
using Fence = NumberId<struct FenceTag>;
// 0 is the default configuration's trial.
using TrialNumber = NumberId<struct TrialNumberTag>;
using TokenId = NumberId<struct TokenIdTag>;
// A set of records that came from a file.
using ImportId = NumberId<struct ImportIdTag>;

using Namespace = TextId<struct NamespaceTag>;
using AgentId = TextId<struct AgentIdTag>;
using SessionId = TextId<struct SessionIdTag>;
// One life of a server process.
using ReplicaId = TextId<struct ReplicaIdTag>;
// Stable over restarts: `AGENT/BACKEND:INDEX`.
using DeviceId = TextId<struct DeviceIdTag>;
using AttemptId = TextId<struct AttemptIdTag>;
// SHA-256 of a task definition, as hexadecimal digits.
using TaskHash = TextId<struct TaskHashTag>;
// SHA-256 of a blob's content, as hexadecimal digits.
using BlobHash = TextId<struct BlobHashTag>;

// Tasks are numbered from 1 within their job.
struct TaskId {
  JobId job;
  int32_t ordinal = 0;
  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

std::string ToText(JobId id);                                  // j42
std::string ToText(const TaskId& id);                          // j42.1
std::string ToText(TokenId id);                                // t3
std::string ToText(ImportId id);                               // i3
std::optional<JobId> ParseJobId(std::string_view text);        // `j42` or `42`
std::optional<TaskId> ParseTaskId(std::string_view text);      // `j42.1`
std::optional<TokenId> ParseTokenId(std::string_view text);    // `t3`
std::optional<ImportId> ParseImportId(std::string_view text);  // `i3`

}  // namespace burnish
