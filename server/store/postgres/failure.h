// What libpqxx's exceptions mean to a transaction.
#pragma once

#include <exception>
#include <string>

#include "server/store/sql/connection.h"

namespace burnish::store::postgres {

// `name` is the database's, for messages.
sql::Failure ToFailure(const std::exception& error, const std::string& name);

}  // namespace burnish::store::postgres
