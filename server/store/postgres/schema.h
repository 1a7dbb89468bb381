// The steps of the PostgreSQL schema.
#pragma once

#include <span>

#include "server/store/sql/migrations.h"

namespace burnish::store::postgres {

std::span<const sql::Migration> Migrations();

}  // namespace burnish::store::postgres
