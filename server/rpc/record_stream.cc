#include "server/rpc/record_stream.h"

#include <utility>
#include <variant>

#include "server/rpc/snapshot_wire.h"

namespace burnish::rpc {
namespace {

constexpr int kPageRows = 100;

}  // namespace

RecordStream::RecordStream(store::Store& store, const store::JobWithTasks& job,
                           const std::vector<store::DeviceRow>& devices, std::string kind)
    : store_(store), owner_(job.job.owner), job_(job.job.id), kind_(std::move(kind)) {
  for (const store::Task& task : job.tasks) work_[task.id] = task.what.work;
  for (const store::DeviceRow& row : devices) roofs_[row.device.id] = row.device.info.roofs;
}

pb::Record RecordStream::RecordOf(const store::ResultRow& row) const {
  pb::Record record = ToProto(row);
  const auto* const measurement = std::get_if<work::Measurement>(&row.result);
  const auto work = work_.find(row.task);
  const auto roofs = roofs_.find(row.device);
  if (measurement == nullptr || !measurement->latency.has_value() || work == work_.end() ||
      roofs == roofs_.end()) {
    return record;
  }
  record.set_roof_share(
      work::RoofShare(roofs->second, work->second, measurement->latency->seconds).value_or(0));
  return record;
}

void RecordStream::OnDrained() {
  const absl::StatusOr<std::vector<store::ResultRow>> page =
      store_.Results(owner_, job_, kind_, after_, kPageRows);
  if (!page.ok() || page->empty()) {
    End(page.status());
    return;
  }
  after_ = page->back().sequence;
  std::vector<pb::Record> records;
  for (const store::ResultRow& row : *page) records.push_back(RecordOf(row));
  SendAll(std::move(records));
}

}  // namespace burnish::rpc
