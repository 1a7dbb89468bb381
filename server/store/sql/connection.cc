#include "server/store/sql/connection.h"

#include "common/base/check.h"

namespace burnish::store::sql {

void Batch::Add(std::vector<Value> row) {
  CHECK(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

}  // namespace burnish::store::sql
