#include "server/store/sql/fleet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/limits.h"
#include "common/base/status_macros.h"
#include "server/store/sql/sessions.h"

namespace burnish::store::sql {
namespace {

// What is left of a sum after a time.
double Remaining(absl::Duration passed) {
  return std::exp2(-std::max(0.0, absl::FDivDuration(passed, kShareHalfLife)));
}

// The server's own decision: one of a person is left alone.
void Quarantine(Connection& connection, absl::Time now, const DeviceId& device,
                const std::string& reason) {
  Change(connection,
         "UPDATE devices SET standing = 'quarantined', standing_reason = ?, standing_by = '', "
         "standing_ns = ? WHERE id = ? AND standing = 'active'",
         reason, now, device.value());
}

struct Spent {
  double seconds = 0;
  int64_t attempts = 0;
};

void AddToShare(Connection& connection, absl::Time now, const std::string& owner, Spent spent) {
  double seconds = spent.seconds;
  double attempts = static_cast<double>(spent.attempts);
  {
    Query row(connection,
              "SELECT device_seconds, attempts, updated_ns FROM shares WHERE namespace = ? "
              "FOR UPDATE",
              owner);
    if (row.Next()) {
      const double remaining = Remaining(now - row.Time(2));
      seconds += row.Real(0) * remaining;
      attempts += row.Real(1) * remaining;
    }
  }
  Change(connection,
         "INSERT INTO shares (namespace, device_seconds, attempts, updated_ns) VALUES (?, ?, ?, ?) "
         "ON CONFLICT (namespace) DO UPDATE SET device_seconds = excluded.device_seconds, "
         "attempts = excluded.attempts, updated_ns = excluded.updated_ns",
         owner, seconds, attempts, now);
}

// `failed` of one device, in order; the last one did.
void CountFailures(Connection& connection, absl::Time now, const DeviceId& device,
                   const std::vector<bool>& failed) {
  const auto last_good = std::find(failed.rbegin(), failed.rend(), false);
  const int64_t streak = last_good - failed.rbegin();
  if (last_good != failed.rend()) {
    Change(connection, "UPDATE devices SET failures = ? WHERE id = ?", streak, device.value());
  } else {
    Change(connection, "UPDATE devices SET failures = failures + ? WHERE id = ?", streak,
           device.value());
  }
  int64_t failures = 0;
  {
    Query row(connection, "SELECT failures FROM devices WHERE id = ?", device.value());
    if (row.Next()) failures = row.Integer(0);
  }
  if (failures < limits::kFailuresBeforeQuarantine) return;
  Quarantine(
      connection, now, device,
      absl::StrCat(failures, " attempts in a row failed through no fault of the candidates"));
}

}  // namespace

absl::StatusOr<Standing> ReadStanding(const std::string& name) {
  const std::optional<Standing> standing = ParseStanding(name);
  if (standing.has_value()) return *standing;
  return absl::DataLossError(absl::StrCat("the database holds an unknown standing: ", name));
}

absl::Status SetStanding(Connection& connection, absl::Time now, const std::string& device_or_agent,
                         Standing standing, const std::string& reason, const std::string& by) {
  const int64_t changed =
      Change(connection,
             "UPDATE devices SET standing = ?, standing_reason = ?, standing_by = ?, "
             "standing_ns = ?, failures = 0 WHERE id = ? OR agent_id = ?",
             StandingName(standing), reason, by, now, device_or_agent, device_or_agent);
  if (changed > 0) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("there is no device and no agent ", device_or_agent));
}

absl::StatusOr<std::vector<DeviceStanding>> Standings(Connection& connection) {
  std::vector<DeviceStanding> standings;
  Query query(connection,
              "SELECT id, standing, standing_reason, standing_by FROM devices "
              "WHERE standing <> 'active' ORDER BY id");
  while (query.Next()) {
    ASSIGN_OR_RETURN(const Standing standing, ReadStanding(query.Text(1)));
    standings.push_back({DeviceId(query.Text(0)), standing, query.Text(2), query.Text(3)});
  }
  return standings;
}

absl::Status RecordCanary(Connection& connection, absl::Time now, const SessionId& session,
                          const DeviceId& device, const work::Measurement& measurement) {
  ASSIGN_OR_RETURN(const SessionRow owner, FindSession(connection, session));
  if (owner.ended) return SessionReplaced(session);
  const bool ok = measurement.outcome == work::Outcome::kOk && measurement.latency.has_value();
  const int64_t changed =
      Change(connection, "UPDATE devices SET control_seconds = ? WHERE id = ? AND session_id = ?",
             ok ? measurement.latency->seconds : 0.0, device.value(), owner.row);
  if (changed == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("canary of device ", device.value(), ": not a device of this agent"));
  }
  if (!ok) {
    Quarantine(connection, now, device,
               absl::StrCat("its canary failed: ", work::OutcomeName(measurement.outcome), " ",
                            measurement.message));
    return absl::OkStatus();
  }
  Change(connection,
         "UPDATE devices SET standing = 'active', standing_reason = '', standing_ns = ?, "
         "failures = 0 WHERE id = ? AND standing = 'quarantined' AND standing_by = ''",
         now, device.value());
  return absl::OkStatus();
}

void ChargeDevices(Connection& connection, absl::Time now, const std::vector<Charge>& charges) {
  std::map<std::string, Spent> spent;
  std::map<DeviceId, std::vector<bool>> outcomes;
  for (const Charge& charge : charges) {
    Spent& of_owner = spent[charge.owner.value()];
    of_owner.seconds += std::max(charge.seconds, kLeastChargeSeconds);
    ++of_owner.attempts;
    outcomes[charge.device].push_back(charge.failed);
  }
  for (const auto& [owner, sum] : spent) AddToShare(connection, now, owner, sum);
  // Nearly always nothing failed: one statement for all such devices.
  Batch well({{"device", Batch::Type::kText}});
  for (const auto& [device, failed] : outcomes) {
    if (failed.back()) {
      CountFailures(connection, now, device, failed);
    } else {
      well.Add({ToValue(device.value())});
    }
  }
  Change(connection, well,
         "UPDATE devices SET failures = 0 WHERE id IN (SELECT device FROM batch) "
         "AND failures <> 0");
}

std::vector<Share> Shares(Connection& connection, absl::Time now) {
  std::vector<Share> shares;
  Query query(connection,
              "SELECT h.namespace, h.weight, h.device_seconds, h.attempts, h.updated_ns, "
              "coalesce(l.leased, 0) FROM shares h LEFT JOIN (SELECT namespace, count(*) AS leased "
              "FROM work_items WHERE state = 'leased' GROUP BY namespace) l "
              "ON l.namespace = h.namespace ORDER BY h.namespace");
  while (query.Next()) {
    const double attempts = query.Real(3);
    shares.push_back({.owner = Namespace(query.Text(0)),
                      .weight = query.Real(1),
                      .device_seconds = query.Real(2) * Remaining(now - query.Time(4)),
                      .mean_seconds = attempts > 0 ? query.Real(2) / attempts : 0,
                      .leased = query.Integer(5)});
  }
  return shares;
}

absl::Status SetWeight(Connection& connection, absl::Time now, const Namespace& owner,
                       double weight) {
  Change(connection,
         "INSERT INTO shares (namespace, weight, updated_ns) VALUES (?, ?, ?) "
         "ON CONFLICT (namespace) DO UPDATE SET weight = excluded.weight",
         owner.value(), weight, now);
  return absl::OkStatus();
}

}  // namespace burnish::store::sql
