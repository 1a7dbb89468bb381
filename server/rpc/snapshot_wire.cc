#include "server/rpc/snapshot_wire.h"

#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/wire/configuration.h"
#include "common/wire/device.h"
#include "common/wire/enum_table.h"
#include "common/wire/measurement.h"

namespace burnish::rpc {
namespace {

constexpr wire::EnumTable<store::State, pb::State, 7> kStates = {{
    {store::State::kQueued, pb::STATE_QUEUED},
    {store::State::kRunning, pb::STATE_RUNNING},
    {store::State::kPaused, pb::STATE_PAUSED},
    {store::State::kFinishing, pb::STATE_FINISHING},
    {store::State::kDone, pb::STATE_DONE},
    {store::State::kFailed, pb::STATE_FAILED},
    {store::State::kCancelled, pb::STATE_CANCELLED},
}};

pb::ConfigurationResult ResultToProto(const jobs::ConfigurationResult& result) {
  pb::ConfigurationResult proto;
  *proto.mutable_configuration() = wire::ToProto(result.configuration);
  if (result.trial.has_value()) proto.set_trial(result.trial->value());
  proto.set_latency_seconds(result.latency_seconds);
  proto.set_low_seconds(result.interval.low);
  proto.set_high_seconds(result.interval.high);
  proto.set_verified(result.verified);
  proto.set_max_relative_error(result.max_relative_error);
  proto.set_roof_share(result.roof_share.value_or(0));
  *proto.mutable_figures() = wire::ToProto(result.figures);
  return proto;
}

void AddFront(const jobs::TaskSnapshot& task, pb::TaskSnapshot& proto) {
  for (const spec::Objective& objective : task.objectives) {
    pb::Objective& one = *proto.add_objectives();
    one.set_metric(spec::MetricName(objective.metric));
    one.set_maximise(objective.maximise);
  }
  for (size_t i = 0; i < task.front.size(); ++i) {
    pb::FrontPoint& point = *proto.add_front();
    *point.mutable_result() = ResultToProto(task.front[i]);
    point.set_knee(i == task.knee);
  }
  if (task.hypervolume) proto.set_hypervolume(*task.hypervolume);
}

pb::TaskSnapshot TaskToProto(const jobs::TaskSnapshot& task, absl::Time now) {
  pb::TaskSnapshot proto;
  proto.set_task_id(ToText(task.id));
  proto.set_problem(task.problem);
  proto.set_device_class(task.device_class);
  if (task.device.has_value()) *proto.mutable_device() = ToProto(*task.device, now);
  proto.set_state(ToProto(task.state));
  proto.set_reason(task.reason);
  proto.set_trials(task.trials);
  proto.set_budget_trials(task.budget_trials);
  proto.set_valid(task.valid);
  proto.set_running(task.running);
  for (const jobs::OutcomeCount& outcome : task.outcomes) {
    pb::OutcomeCount& count = *proto.add_outcomes();
    count.set_outcome(wire::ToProto(outcome.outcome));
    count.set_count(outcome.count);
    count.set_example(outcome.example);
  }
  proto.set_statistic(task.statistic);
  if (task.default_result.has_value()) {
    *proto.mutable_default_result() = ResultToProto(*task.default_result);
  }
  if (task.best.has_value()) *proto.mutable_best() = ResultToProto(*task.best);
  for (const jobs::ConfigurationResult& tied : task.tie) *proto.add_tie() = ResultToProto(tied);
  proto.set_speedup(task.speedup);
  proto.set_speedup_low(task.speedup_interval.low);
  proto.set_speedup_high(task.speedup_interval.high);
  proto.set_seconds(task.seconds);
  proto.set_flops(task.work.flops);
  proto.set_bytes(task.work.bytes);
  proto.set_space_size(absl::StrCat(task.space_size));
  proto.set_device_seconds(task.device_seconds);
  proto.set_budget_seconds(task.budget_seconds);
  proto.set_budget_device_seconds(task.budget_device_seconds);
  AddFront(task, proto);
  proto.set_pruned(task.pruned);
  for (const store::HistorySummary& source : task.history) {
    pb::HistorySource& added = *proto.add_history();
    added.set_name(source.name);
    added.set_records(source.records);
  }
  return proto;
}

}  // namespace

pb::State ToProto(store::State state) { return wire::WireEnum(kStates, state); }

pb::Device ToProto(const store::DeviceRow& row, absl::Time now) {
  pb::Device proto;
  proto.set_device_id(row.device.id.value());
  proto.set_agent_id(row.device.agent.value());
  *proto.mutable_info() = wire::ToProto(row.device.info);
  if (!row.live) {
    proto.set_state("lost");
    proto.set_reason(absl::StrCat("its agent was last heard ",
                                  absl::ToInt64Seconds(now - row.last_seen), " s ago"));
  } else if (!row.device.info.unavailable_reason.empty()) {
    proto.set_state("unavailable");
    proto.set_reason(row.device.info.unavailable_reason);
  } else if (row.standing.standing == store::Standing::kQuarantined) {
    proto.set_state("quarantined");
    proto.set_reason(row.standing.reason);
  } else if (row.standing.standing == store::Standing::kDraining) {
    proto.set_state(row.leased > 0 ? "draining" : "drained");
    proto.set_reason(row.standing.reason);
  } else {
    proto.set_state("ready");
  }
  return proto;
}

pb::Record ToProto(const store::ResultRow& row) {
  pb::Record proto;
  proto.set_attempt_id(row.attempt.value());
  proto.set_trial(row.trial.value());
  proto.set_task_id(ToText(row.task));
  proto.set_device_id(row.device.value());
  if (row.configuration.has_value()) {
    *proto.mutable_configuration() = wire::ToProto(*row.configuration);
  }
  if (const auto* measurement = std::get_if<work::Measurement>(&row.result)) {
    *proto.mutable_measurement() = wire::ToProto(*measurement);
  } else {
    *proto.mutable_comparison() = wire::ToProto(std::get<work::Comparison>(row.result));
  }
  proto.set_stored_unix_ms(absl::ToUnixMillis(row.stored));
  proto.set_late(row.late);
  proto.set_dropped_samples(row.dropped_samples.value_or(0));
  return proto;
}

pb::JobSnapshot ToProto(const jobs::JobSnapshot& snapshot, absl::Time now) {
  pb::JobSnapshot proto;
  proto.set_job_id(ToText(snapshot.job.id));
  proto.set_name(snapshot.job.name);
  proto.set_state(ToProto(snapshot.job.state));
  proto.set_reason(snapshot.job.reason);
  for (const jobs::TaskSnapshot& task : snapshot.tasks) *proto.add_tasks() = TaskToProto(task, now);
  proto.set_created_unix_ms(absl::ToUnixMillis(snapshot.job.created));
  proto.set_job_text(snapshot.text);
  proto.set_waiting(snapshot.waiting);
  return proto;
}

}  // namespace burnish::rpc
