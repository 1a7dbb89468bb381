#include "common/base/ids.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace burnish {
namespace {

std::optional<int64_t> ParsePositive(std::string_view text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  int64_t value = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &value)) return std::nullopt;
  return value;
}

}  // namespace

std::string ToText(JobId id) { return absl::StrCat("j", id.value()); }

std::string ToText(const TaskId& id) { return absl::StrCat(ToText(id.job), ".", id.ordinal); }

std::string ToText(TokenId id) { return absl::StrCat("t", id.value()); }

std::string ToText(ImportId id) { return absl::StrCat("i", id.value()); }

std::optional<TokenId> ParseTokenId(std::string_view text) {
  if (!text.starts_with('t')) return std::nullopt;
  const std::optional<int64_t> value = ParsePositive(text.substr(1));
  if (!value.has_value()) return std::nullopt;
  return TokenId(*value);
}

std::optional<ImportId> ParseImportId(std::string_view text) {
  if (!text.starts_with('i')) return std::nullopt;
  const std::optional<int64_t> value = ParsePositive(text.substr(1));
  if (!value.has_value()) return std::nullopt;
  return ImportId(*value);
}

std::optional<JobId> ParseJobId(std::string_view text) {
  if (text.starts_with('j')) text.remove_prefix(1);
  const std::optional<int64_t> value = ParsePositive(text);
  if (!value.has_value()) return std::nullopt;
  return JobId(*value);
}

std::optional<TaskId> ParseTaskId(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<JobId> job = ParseJobId(text.substr(0, dot));
  const std::optional<int64_t> ordinal = ParsePositive(text.substr(dot + 1));
  if (!job.has_value() || !ordinal.has_value() || *ordinal > INT32_MAX) return std::nullopt;
  return TaskId{*job, static_cast<int32_t>(*ordinal)};
}

}  // namespace burnish
