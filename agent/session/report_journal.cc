#include "agent/session/report_journal.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "common/wire/work_item.h"

namespace burnish::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNumberBytes = 4;
constexpr size_t kHeaderBytes = 3 * kNumberBytes;
constexpr char kReport = 'R';
constexpr char kAcknowledged = 'A';

// Dead bytes that are not worth a rewrite.
constexpr size_t kSlackBytes = 1 << 20;
constexpr size_t kReservedBytes = 1 << 20;
// Rewriting keeps the file far below this.
constexpr size_t kMaxFileBytes = 4 * limits::kJournalBytes;

uint32_t Checksum(std::string_view bytes) {
  return static_cast<uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void AppendNumber(uint32_t number, std::string& bytes) {
  for (size_t i = 0; i < kNumberBytes; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

uint32_t NumberAt(std::string_view bytes, size_t index) {
  uint32_t number = 0;
  for (size_t i = 0; i < kNumberBytes; ++i) {
    number |= uint32_t{static_cast<unsigned char>(bytes[index * kNumberBytes + i])} << (8 * i);
  }
  return number;
}

void AppendRecord(char kind, std::string_view content, std::string& records) {
  const std::string payload = absl::StrCat(std::string(1, kind), std::string(content));
  std::string header;
  AppendNumber(static_cast<uint32_t>(payload.size()), header);
  AppendNumber(Checksum(payload), header);
  AppendNumber(Checksum(header), header);
  records += header;
  records += payload;
}

void AppendReports(const std::vector<SharedReport>& reports, std::string& records) {
  for (const SharedReport& report : reports) {
    AppendRecord(kReport, report->SerializeAsString(), records);
  }
}

enum class Found { kRecord, kEnd, kTornEnd, kDamage };

// Takes the first record off `rest`.
Found TakeRecord(std::string_view& rest, std::string_view& payload) {
  if (rest.empty()) return Found::kEnd;
  if (rest.size() < kHeaderBytes) return Found::kTornEnd;
  if (NumberAt(rest, 2) != Checksum(rest.substr(0, 2 * kNumberBytes))) return Found::kDamage;
  const size_t length = NumberAt(rest, 0);
  if (rest.size() - kHeaderBytes < length) return Found::kTornEnd;
  payload = rest.substr(kHeaderBytes, length);
  if (NumberAt(rest, 1) != Checksum(payload)) return Found::kDamage;
  rest.remove_prefix(kHeaderBytes + length);
  return Found::kRecord;
}

using Reports = std::map<std::string, SharedReport>;  // by attempt id

// False if it is nothing that this version knows.
bool Apply(std::string_view payload, Reports& reports) {
  if (payload.empty()) return false;
  const char kind = payload.front();
  payload.remove_prefix(1);
  if (kind == kAcknowledged) {
    reports.erase(std::string(payload));
    return true;
  }
  v1::ReportMessage report;
  if (kind != kReport || !report.ParseFromString(std::string(payload)) ||
      !wire::FromProto(report).ok()) {
    return false;
  }
  std::string attempt = report.attempt_id();
  reports[std::move(attempt)] = std::make_shared<const v1::ReportMessage>(std::move(report));
  return true;
}

}  // namespace

std::vector<SharedReport> ReportJournal::Read() const {
  const absl::StatusOr<std::string> content = ReadFile(path_, kMaxFileBytes);
  if (absl::IsNotFound(content.status())) return {};
  if (!content.ok()) {
    MoveAside(std::string(content.status().message()), 0);
    return {};
  }
  Reports reports;
  std::string damage;
  std::string_view rest = *content;
  Found found;
  for (std::string_view payload; (found = TakeRecord(rest, payload)) == Found::kRecord;) {
    if (!Apply(payload, reports)) damage = "a record is not one that this version knows";
  }
  const size_t whole_bytes = content->size() - rest.size();
  if (found == Found::kDamage) {
    damage = absl::StrCat("it is damaged from byte ", whole_bytes, " of ", content->size());
  }
  if (!damage.empty()) {
    MoveAside(damage, reports.size());
  } else if (found == Found::kTornEnd) {
    Log(LogLevel::kWarning, "journal_end_torn",
        {{"file", path_},
         {"cut_off_bytes", absl::StrCat(rest.size())},
         {"reports", absl::StrCat(reports.size())}});
  }
  std::vector<SharedReport> result;
  for (auto& [attempt, report] : reports) result.push_back(std::move(report));
  return result;
}

void ReportJournal::MoveAside(std::string_view damage, size_t kept_reports) const {
  int number = 1;
  std::error_code error;
  const auto aside = [&] { return absl::StrCat(path_, ".damaged-", number); };
  while (fs::exists(aside(), error)) ++number;
  fs::rename(path_, aside(), error);
  Log(LogLevel::kError, "journal_damaged",
      {{"file", path_},
       {"damage", std::string(damage)},
       {"reports_read", absl::StrCat(kept_reports)},
       {"moved_to", error ? absl::StrCat("nowhere: ", error.message()) : aside()}});
}

absl::Status ReportJournal::Append(const std::vector<SharedReport>& reports,
                                   const std::vector<AttemptId>& acknowledged) {
  std::string records;
  for (const AttemptId& attempt : acknowledged) {
    AppendRecord(kAcknowledged, attempt.value(), records);
  }
  AppendReports(reports, records);
  absl::Status status = WriteAll(file_.get(), path_, records);
  if (status.ok() && !reports.empty() && ::fdatasync(file_.get()) != 0) {
    status = absl::ErrnoToStatus(errno, absl::StrCat(path_, ": cannot sync"));
  }
  if (!status.ok()) file_.Reset();
  bytes_ += records.size();
  return status;
}

absl::Status ReportJournal::Rewrite(const std::vector<SharedReport>& reports) {
  UniqueFd file = std::move(file_);
  bytes_ = 0;
  if (!file.valid() || !reports.empty()) {
    std::string records;
    AppendReports(reports, records);
    RETURN_IF_ERROR(WriteFileAtomically(path_, records, /*durable=*/true));
    file = UniqueFd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    bytes_ = records.size();
  } else if (::ftruncate(file.get(), 0) != 0) {
    file.Reset();
  }
  const auto end = static_cast<off_t>(bytes_);
  if (!file.valid() || (::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, end, kReservedBytes) != 0 &&
                        errno != EOPNOTSUPP)) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path_, ": cannot write"));
  }
  file_ = std::move(file);
  return absl::OkStatus();
}

bool ReportJournal::NeedsRewrite(size_t live_bytes) const {
  if (!file_.valid()) return true;
  return live_bytes == 0 ? bytes_ > 0 : bytes_ > 2 * live_bytes + kSlackBytes;
}

}  // namespace burnish::agent
