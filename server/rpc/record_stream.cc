#include "server/rpc/record_stream.h"

#include <vector>

#include "server/rpc/snapshot_wire.h"

namespace burnish::rpc {
namespace {

constexpr int kPageRows = 100;

}  // namespace

void RecordStream::OnDrained() {
  const absl::StatusOr<std::vector<store::ResultRow>> page =
      store_.Results(owner_, job_, kind_, after_, kPageRows);
  if (!page.ok() || page->empty()) {
    End(page.status());
    return;
  }
  after_ = page->back().sequence;
  std::vector<pb::Record> records;
  for (const store::ResultRow& row : *page) records.push_back(ToProto(row));
  SendAll(std::move(records));
}

}  // namespace burnish::rpc
