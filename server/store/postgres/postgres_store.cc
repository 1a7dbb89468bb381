#include "server/store/postgres/postgres_store.h"

#include <regex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/store/postgres/schema.h"
#include "server/store/sql/sql_store.h"

namespace burnish::store {
namespace {

std::string WithTimeouts(std::string url) {
  constexpr std::pair<const char*, const char*> kDefaults[] = {
      {"connect_timeout", "5"},  {"keepalives_idle", "5"},      {"keepalives_interval", "2"},
      {"keepalives_count", "3"}, {"tcp_user_timeout", "15000"}, {"application_name", "burnish"}};
  for (const auto& [name, value] : kDefaults) {
    if (absl::StrContains(url, absl::StrCat(name, "="))) continue;
    absl::StrAppend(&url, absl::StrContains(url, "?") ? "&" : "?", name, "=", value);
  }
  return url;
}

}  // namespace

postgres::Address PostgresAddress(const std::string& url) {
  return {.url = WithTimeouts(url), .name = PostgresName(url)};
}

int PostgresSchemaVersion() { return static_cast<int>(postgres::Migrations().size()); }

std::string PostgresName(const std::string& url) {
  static const std::regex user_password(R"(://([^/?@:]*):[^/?@]*@)");
  static const std::regex parameter(R"(([?&]password=)[^&]*)");
  const std::string shown = std::regex_replace(url, user_password, "://$1@");
  return std::regex_replace(shown, parameter, "$1…");
}

absl::StatusOr<std::unique_ptr<Store>> OpenPostgresStore(const std::string& url,
                                                         const postgres::DatabaseOptions& options,
                                                         const StoreMetrics& metrics) {
  auto database = std::make_unique<postgres::Database>(PostgresAddress(url), options);
  RETURN_IF_ERROR(sql::CheckMigrated(*database, postgres::Migrations()));
  return sql::MakeSqlStore(std::move(database), postgres::Migrations(), metrics);
}

absl::Status MigratePostgres(const std::string& url) {
  postgres::Database database(PostgresAddress(url), {});
  return sql::Migrate(database, postgres::Migrations());
}

}  // namespace burnish::store
