// The steps of the SQLite schema.
#pragma once

#include <span>

#include "server/store/sql/migrations.h"

namespace burnish::store::sqlite {

std::span<const sql::Migration> Migrations();

}  // namespace burnish::store::sqlite
