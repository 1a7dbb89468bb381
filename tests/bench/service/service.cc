#include "tests/bench/service/service.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "SQLiteCpp/SQLiteCpp.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/numbers.h"
#include "common/net/channel.h"
#include "httplib.h"
#include "tests/bench/service/fleet.h"

namespace burnish::bench {
namespace {

constexpr char kKernel[] = "void scale(const float* a, float* c, int n) { c[0] = A * B; }\n";

// 250,000 configurations.
std::string JobText(int agent) {
  std::string values;
  for (int value = 0; value < 500; ++value) absl::StrAppend(&values, value > 0 ? "," : "", value);
  return absl::StrCat(R"(name: bench
kernel:
  language: cpp
  source: {file: kernel.cc}
  entry: scale
  arguments:
    - {name: a, dtype: f32, shape: [n], fill: uniform}
    - {name: c, dtype: f32, shape: [n], role: output}
    - {name: n, dtype: i32, value: n}
  constants: {n: 4096}
  reference: none
  parameters:
    A: [)",
                      values, "]\n    B: [", values, R"(]
devices: "device_class == ')",
                      DeviceClassOf(agent), R"('"
budget: {trials: 200000}
strategy: {name: random, seed: )",
                      agent, "}\n");
}

std::string WordAfter(const std::string& line, const std::string& key) {
  const size_t start = line.find(key) + key.size();
  return line.substr(start, line.find(' ', start) - start);
}

std::string Slurp(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

Counts ParseMetrics(const std::string& text) {
  static const std::regex line_of(R"re((\w+)\{(?:query|le)="([^"]+)"\} (.*))re");
  Counts counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, line_of)) continue;
    const std::string name = match[1];
    const double value = ParseReal(match[3].str()).value_or(0);
    if (name == "burnish_db_query_seconds_count") counts.store_calls[match[2]] = value;
    if (name == "burnish_dispatch_latency_seconds_bucket") {
      counts.dispatches[ParseReal(match[2].str()).value_or(1e9)] = value;  // +Inf
    }
  }
  return counts;
}

const char* NameOf(DatabaseKind kind) {
  return kind == DatabaseKind::kSqlite ? "sqlite" : "postgresql";
}

Database::Database(DatabaseKind kind) {
  if (kind == DatabaseKind::kSqlite) return;
  auto started = tests::PostgresServer::Start({"track_wal_io_timing = on"});
  CHECK_OK(started.status());
  postgres_ = *std::move(started);
  e2e::Program migrate("burnish-server", {"migrate", "--database", flag()},
                       folder_.path() + "/migrate.log");
  const auto ended = migrate.Wait(absl::Seconds(30));
  CHECK(ended.has_value() && ended->ok()) << migrate.Log();
}

std::string Database::flag() const {
  if (postgres_ != nullptr) return postgres_->Url();
  return absl::StrCat("sqlite:", folder_.path(), "/bench.db");
}

std::string Database::Sql(const std::string& sql) {
  if (postgres_ == nullptr) {
    SQLite::Database(folder_.path() + "/bench.db", SQLite::OPEN_READWRITE).exec(sql);
    return "";
  }
  const auto printed = postgres_->Sql(sql);
  CHECK_OK(printed.status());
  return *printed;
}

Server::Server(const Database& database) {
  static std::atomic<int> starts = 0;
  log_path_ = absl::StrCat(database.folder().path(), "/server-", ++starts, ".log");
  program_.emplace("burnish-server",
                   std::vector<std::string>{"--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                                            "--database", database.flag(), "--drain-grace", "0"},
                   log_path_);
  const auto line = program_->WaitForLine("listening grpc=", absl::Seconds(30));
  CHECK(line.has_value()) << program_->Log();
  address_ = WordAfter(*line, "grpc=");
  http_address_ = WordAfter(*line, "http=");
  const auto address = net::ParseServerAddress(address_);
  CHECK_OK(address.status());
  const auto channel = net::DialServer(*address, {});
  CHECK_OK(channel.status());
  jobs_ = v1::JobService::NewStub(*channel);
}

Server::~Server() {
  program_->Signal(SIGINT);
  program_->Wait(absl::Seconds(20));
}

absl::Duration Server::CpuTime() const {
  // Fields 14 and 15, counted behind the program's name.
  const std::string stat = Slurp(absl::StrCat("/proc/", pid(), "/stat"));
  std::stringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  int64_t user = 0;
  int64_t system = 0;
  fields >> user >> system;
  return absl::Seconds(static_cast<double>(user + system) /
                       static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

int64_t Server::ResidentBytes() const {
  std::stringstream fields(Slurp(absl::StrCat("/proc/", pid(), "/statm")));
  int64_t total = 0;
  int64_t resident = 0;
  fields >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::string Server::Metrics() const {
  httplib::Client client("http://" + http_address_);
  const auto response = client.Get("/metrics");
  CHECK(response) << "no metrics at " << http_address_;
  return response->body;
}

void Server::SubmitJob(int agent) {
  v1::SubmitRequest request;
  request.set_client_request_id(absl::StrCat("bench-", agent));
  request.set_file_name("job.yaml");
  request.set_text(JobText(agent));
  v1::SourceFile& file = *request.add_files();
  file.set_name("kernel.cc");
  file.mutable_content()->set_inline_(kKernel);
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  v1::SubmitReply reply;
  const grpc::Status status = jobs_->Submit(&context, request, &reply);
  CHECK(status.ok()) << status.error_message();
}

}  // namespace burnish::bench
