// One PostgreSQL server for the whole test program, started when first needed. What its tests show
// does not hang on durability.
#pragma once

#include <string>

#include "tests/support/postgres_server.h"

namespace burnish::store {

tests::PostgresServer& SharedPostgres();
// The URL of a new schema of its own, brought up to date.
std::string NewPostgresSchema();

}  // namespace burnish::store
