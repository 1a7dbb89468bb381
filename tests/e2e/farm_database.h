// Where the servers of a test keep their results: an SQLite file, or a database of a PostgreSQL
// server.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/postgres_server.h"

namespace burnish::e2e {

class FarmDatabase {
 public:
  // In the file `path`, which a server makes.
  explicit FarmDatabase(const std::string& path) : path_(path), url_("sqlite:" + path) {}
  // Made here, empty, without a schema.
  FarmDatabase(tests::PostgresServer& server, std::string name);

  // What --database takes.
  const std::string& url() const { return url_; }
  // The file of an SQLite database.
  const std::string& path() const { return path_; }
  bool is_postgres() const { return server_ != nullptr; }
  tests::PostgresServer& server() { return *server_; }
  // After a failover: where queries of the test go. The URL stays.
  void MoveTo(tests::PostgresServer& server) { server_ = &server; }

  // The first column of the first row; empty if there is none, and while PostgreSQL is away.
  std::string Text(const std::string& sql);
  // The same as a number; -1 instead of empty.
  int64_t Count(const std::string& sql);
  void Execute(const std::string& sql);

 private:
  std::string path_;
  std::string url_;
  tests::PostgresServer* server_ = nullptr;
  std::string name_;
};

}  // namespace burnish::e2e
