#include "server/store/sqlite/sqlite_store.h"
#include "tests/unit/server/store/store_conformance.h"

namespace burnish::store {

std::vector<StoreFactory> StoreFactories() {
  return {{"Sqlite", [](const Clock& clock) { return *OpenSqliteStore(":memory:", clock); }}};
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformanceTest, testing::ValuesIn(StoreFactories()),
                         FactoryName);

}  // namespace burnish::store
