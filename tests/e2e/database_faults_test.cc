// What can go wrong with the database, and with a server's start: each is refused in clear words
// (exit 2), or passes without loss.
//
// BURNISH_OUTAGE_SECONDS is how long PostgreSQL stays away (by default just longer than the server
// forgives). With BURNISH_FAILOVER=1 also a failover to a standby.
#include <sys/mount.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/clock.h"
#include "common/base/environment.h"
#include "common/base/numbers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"
#include "tests/e2e/page.h"

namespace burnish::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Candidates that take a while, so that there is time to interfere.
SmallJob SlowJob(int trials) {
  return {.trials = trials,
          .modes = 12,
          .body = "  for (volatile int wait = 0; wait < 3000000; wait = wait + 1) {}\n"};
}

class DatabaseFaultsTest : public ::testing::Test {
 protected:
  static void TearDownTestSuite() { server_.reset(); }

  // A database of its own on a PostgreSQL server that the tests of this program share.
  FarmDatabase NewPostgres() {
    if (server_ == nullptr)
      server_ = *tests::PostgresServer::Start({"recovery_init_sync_method = syncfs"});
    return {*server_, absl::StrCat("test", ++databases_)};
  }
  FarmDatabase SqliteFile() const { return FarmDatabase(folder_.path() + "/burnish.db"); }

  Program Server(std::vector<std::string> arguments) {
    return {"burnish-server", std::move(arguments),
            absl::StrCat(folder_.path(), "/program-", ++programs_, ".log")};
  }
  // A server with these arguments ends with exit code 2 and says this.
  void ExpectRefusal(std::vector<std::string> arguments,
                     const ::testing::Matcher<std::string>& said) {
    if (std::ranges::find(arguments, "--listen") == arguments.end()) {
      arguments.insert(arguments.end(), {"--listen", "127.0.0.1:0"});
    }
    Program server = Server(std::move(arguments));
    const auto ended = server.Wait(absl::Seconds(30));
    ASSERT_TRUE(ended.has_value()) << server.Log();
    EXPECT_EQ(ended->code, 2) << server.Log();
    EXPECT_THAT(server.Log(), said);
  }

  TemporaryFolder folder_;

 private:
  static std::unique_ptr<tests::PostgresServer> server_;
  static int databases_;
  int programs_ = 0;
};
std::unique_ptr<tests::PostgresServer> DatabaseFaultsTest::server_;
int DatabaseFaultsTest::databases_ = 0;

// A farm at work whose readiness and acknowledgements can be asked for.
class Running {
 public:
  Running(const TemporaryFolder& folder, FarmDatabase database)
      : folder_(folder), farm_(folder, std::move(database)) {}

  // Until the job's first result is stored.
  void Start(int trials) {
    farm_.StartServer({"--http", "127.0.0.1:0"});
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
    farm_.StartAgent();
    ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
    const CommandResult submitted = Burnish(
        {"submit", WriteSmallJob(folder_, SlowJob(trials)), "--json", "--server", farm_.address()});
    ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
    job_id_ = submitted.Json()["job_id"];
    ASSERT_TRUE(farm_.agent().WaitForLine("report_acknowledged", absl::Seconds(60)));
  }

  Page Readiness() { return Get(farm_.http_address(), "/readyz"); }
  // Waits for it; what the page says then.
  std::string WhenReadinessIs(int status) {
    Page page;
    EXPECT_TRUE(WaitUntil([&] { return (page = Readiness()).status == status; }, absl::Seconds(20)))
        << page.status << ": " << page.text << farm_.server().Log();
    return page.text;
  }

  std::set<std::string> Acknowledged() {
    static const std::regex stored(
        R"re("report_acknowledged","attempt_id":"([^"]+)","result":"RESULT_(?:STORED|DUPLICATE)")re");
    const std::string log = farm_.agent().Log();
    return {std::sregex_token_iterator(log.begin(), log.end(), stored, 1), {}};
  }

  void ExpectTheJobToEndWithAllItsResults(int trials) {
    const CommandResult watched =
        Burnish({"watch", job_id_, "--json", "--server", farm_.address()}, {}, absl::Minutes(3));
    ASSERT_EQ(watched.exit_code, 0) << watched.err << farm_.server().Log() << farm_.agent().Log();
    EXPECT_EQ(watched.Json()["tasks"][0]["trials"], trials);
    const std::set<std::string> acknowledged = Acknowledged();
    EXPECT_EQ(
        farm_.database().Count(absl::StrCat("SELECT count(*) FROM results WHERE attempt_id IN ('",
                                            absl::StrJoin(acknowledged, "', '"), "')")),
        static_cast<int64_t>(acknowledged.size()));
  }

  Farm& farm() { return farm_; }

 private:
  const TemporaryFolder& folder_;
  Farm farm_;
  std::string job_id_;
};

TEST_F(DatabaseFaultsTest, WhilePostgresIsAwayNothingIsLostAndAfterwardsEverythingGoesOn) {
  constexpr int kTrials = 24;
  const double outage =
      ParseReal(EnvironmentVariable("BURNISH_OUTAGE_SECONDS").value_or("")).value_or(6);
  Running running(folder_, NewPostgres());
  ASSERT_NO_FATAL_FAILURE(running.Start(kTrials));
  Farm& farm = running.farm();
  const TemporaryFolder other_folder;
  const std::string other_job = WriteSmallJob(other_folder, {.trials = 2});

  const absl::Duration since = SystemClock().Monotonic();
  farm.database().server().KillHard();
  Program patient("burnish",
                  {"submit", other_job, "--server", farm.address(), "--connect-timeout",
                   absl::StrCat(outage + 60)},
                  folder_.path() + "/patient.log");
  EXPECT_THAT(running.WhenReadinessIs(503), HasSubstr("failing for"));
  const CommandResult refused =
      Burnish({"submit", other_job, "--server", farm.address(), "--connect-timeout", "1"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("database"), HasSubstr("try again"),
                                 HasSubstr("nothing that was stored is lost")));
  SleepThread(absl::Seconds(outage) - (SystemClock().Monotonic() - since));
  ASSERT_TRUE(farm.database().server().Restart().ok());

  running.WhenReadinessIs(200);
  const auto submitted = patient.Wait(absl::Seconds(30));
  ASSERT_TRUE(submitted.has_value()) << patient.Log();
  EXPECT_EQ(submitted->code, 0) << patient.Log();
  EXPECT_EQ(farm.database().Count("SELECT count(*) FROM jobs"), 2);
  running.ExpectTheJobToEndWithAllItsResults(kTrials);
}

TEST_F(DatabaseFaultsTest, WithAStandbyTheJobGoesOnThere) {
  if (!EnvironmentVariable("BURNISH_FAILOVER").has_value()) GTEST_SKIP() << "BURNISH_FAILOVER=1";
  constexpr int kTrials = 24;
  const auto primary = tests::PostgresServer::Start();
  ASSERT_TRUE(primary.ok()) << primary.status();
  const auto standby = (*primary)->StartStandby();
  ASSERT_TRUE(standby.ok()) << standby.status();
  Running running(folder_, FarmDatabase(**primary, "farm"));
  ASSERT_NO_FATAL_FAILURE(running.Start(kTrials));
  (*primary)->KillHard();
  ASSERT_TRUE((*standby)->Promote().ok());
  running.farm().database().MoveTo(**standby);
  running.ExpectTheJobToEndWithAllItsResults(kTrials);
}

TEST_F(DatabaseFaultsTest, AServerStartedBeforePostgresWaitsForIt) {
  FarmDatabase database = NewPostgres();
  Migrate(folder_, database);
  database.server().KillHard();
  ExpectRefusal({"--database", database.url(), "--database-wait", "0.5"},
                AllOf(HasSubstr("waiting_for_database"), HasSubstr("connection to server")));
  Program server = Server({"--database", database.url(), "--listen", "127.0.0.1:0"});
  EXPECT_TRUE(server.WaitForLine("waiting_for_database", absl::Seconds(20)).has_value());
  ASSERT_TRUE(database.server().Restart().ok());
  EXPECT_TRUE(server.WaitForLine("listening grpc=", absl::Seconds(20)).has_value()) << server.Log();
}

TEST_F(DatabaseFaultsTest, WithoutASchemaTheServerNamesTheCommandThatMakesIt) {
  FarmDatabase database = NewPostgres();
  ExpectRefusal({"--database", database.url()}, HasSubstr("burnish-server migrate --database"));
  const std::vector<std::string> migrate = {"migrate", "--database", database.url()};
  Program first = Server(migrate);
  Program second = Server(migrate);
  for (Program* program : {&first, &second}) {
    const auto ended = program->Wait(absl::Seconds(30));
    ASSERT_TRUE(ended.has_value());
    EXPECT_EQ(ended->code, 0) << program->Log();
  }
  Migrate(folder_, database);  // once more changes nothing
  Farm farm(folder_, database);
  farm.StartServer();
}

TEST_F(DatabaseFaultsTest, ADatabaseOfANewerVersionIsRefused) {
  for (FarmDatabase database : {SqliteFile(), NewPostgres()}) {
    {
      Farm farm(folder_, database);
      ASSERT_NO_FATAL_FAILURE(farm.StartServer());
    }
    database.Execute("INSERT INTO schema_migrations VALUES (999, 'later', '', 0)");
    ExpectRefusal({"--database", database.url()},
                  AllOf(HasSubstr("its schema has step 999"), HasSubstr("use the version")));
  }
}

TEST_F(DatabaseFaultsTest, AFileThatIsNoDatabaseOrADamagedOneIsRefused) {
  ExpectRefusal({"--database", "sqlite:" + folder_.Write("text.db", std::string(5000, 'x'))},
                AllOf(HasSubstr("text.db"), HasSubstr("not an SQLite database")));
  const FarmDatabase database = SqliteFile();
  {
    Farm farm(folder_, database);
    ASSERT_NO_FATAL_FAILURE(farm.StartServer());
    farm.server().Signal(SIGINT);
    ASSERT_TRUE(farm.server().Wait(absl::Seconds(20)).has_value());
  }
  std::fstream file(database.path(), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(100);  // behind the header
  file << std::string(fs::file_size(database.path()) - 100, '\xff');
  file.close();
  ExpectRefusal({"--database", database.url()},
                AllOf(HasSubstr("burnish.db"), HasSubstr("malformed")));
}

TEST_F(DatabaseFaultsTest, ASecondServerOnAnSqliteFileIsRefusedNamingTheFirst) {
  Farm farm(folder_);
  ASSERT_NO_FATAL_FAILURE(farm.StartServer());
  ExpectRefusal(
      {"--database", farm.database().url()},
      HasSubstr(absl::StrCat("in use by another burnish-server (pid ", farm.server().pid(), ")")));
}

TEST_F(DatabaseFaultsTest, APortThatIsTakenIsRefused) {
  Farm farm(folder_);
  ASSERT_NO_FATAL_FAILURE(farm.StartServer({"--http", "127.0.0.1:0"}));
  const std::string database = "sqlite:" + folder_.path() + "/other.db";
  ExpectRefusal({"--database", database, "--listen", farm.address()},
                AllOf(HasSubstr(farm.address()), HasSubstr("taken")));
  ExpectRefusal({"--database", database, "--http", farm.http_address()},
                AllOf(HasSubstr(farm.http_address()), HasSubstr("taken")));
}

// A small file system of its own, gone when this goes out of scope.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    fs::create_directory(path_);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=16m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  void Fill() const {
    std::ofstream filler(path_ + "/filler", std::ios::binary);
    while (filler << std::string(4096, 'x') << std::flush) {
    }
  }
  void MakeRoom() const { fs::remove(path_ + "/filler"); }

 private:
  const std::string path_;
  bool mounted_ = false;
};

TEST_F(DatabaseFaultsTest, OnAFullDiskNothingIsLeasedOrAcknowledgedAndWithRoomEverythingGoesOn) {
  constexpr int kTrials = 24;
  const SmallDisk disk(folder_.path() + "/disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs needs root";
  Running running(folder_, FarmDatabase(folder_.path() + "/disk/burnish.db"));
  ASSERT_NO_FATAL_FAILURE(running.Start(kTrials));
  FarmDatabase& database = running.farm().database();
  disk.Fill();
  const CommandResult refused =
      Burnish({"submit", folder_.path() + "/job.yaml", "--server", running.farm().address()});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("full"), HasSubstr("make room")));
  EXPECT_THAT(running.WhenReadinessIs(503), HasSubstr("full"));

  constexpr char kGrants[] = "SELECT count(*) FROM attempts";
  const int64_t grants = database.Count(kGrants);
  const size_t acknowledged = running.Acknowledged().size();
  SleepThread(absl::Seconds(2));
  EXPECT_EQ(database.Count(kGrants), grants);
  EXPECT_EQ(running.Acknowledged().size(), acknowledged);
  disk.MakeRoom();
  running.WhenReadinessIs(200);
  running.ExpectTheJobToEndWithAllItsResults(kTrials);
}

}  // namespace
}  // namespace burnish::e2e
