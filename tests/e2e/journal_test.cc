// Server and agent are both killed with -9 while the agent has results that the server never saw.
// Restarted, they go on with those: each is stored once, and its work is given out no second time.
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/e2e/harness.h"
#include "tests/e2e/jobs.h"

namespace burnish::e2e {
namespace {

constexpr int kTrials = 12;

class JournalTest : public ::testing::Test {
 protected:
  static std::set<std::string> AttemptsIn(const std::string& text) {
    static const std::regex id(R"(a\d+\.\d+\.[0-9a-f]{8})");
    return {std::sregex_token_iterator(text.begin(), text.end(), id), {}};
  }
  std::string Journal() const {
    std::stringstream content;
    content << std::ifstream(folder_.path() + "/agent/journal/reports", std::ios::binary).rdbuf();
    return content.str();
  }

  // Attempts whose reports are in the agent's journal and nowhere else.
  std::set<std::string> OnlyJournalled() {
    std::set<std::string> attempts = AttemptsIn(Journal());  // where ids are legible
    std::stringstream log(farm_.agent().Log());
    for (std::string line; std::getline(log, line);) {
      if (line.find("report_acknowledged") == std::string::npos) continue;
      for (const std::string& attempt : AttemptsIn(line)) attempts.erase(attempt);
    }
    return attempts;
  }

  // How often the work of an attempt was given out.
  int64_t Grants(const std::string& attempt) {
    return farm_.database().Count(
        absl::StrCat("SELECT count(*) FROM attempts WHERE work_item_id = "
                     "(SELECT work_item_id FROM attempts WHERE id = '",
                     attempt, "')"));
  }

  TemporaryFolder folder_;
  Farm farm_{folder_};
};

TEST_F(JournalTest, ResultsThatTheServerNeverSawOutliveTheAgent) {
  const std::string lease = "60";  // longer than both are dead
  farm_.StartServer({"--lease", lease});
  farm_.StartAgent();
  ASSERT_TRUE(farm_.WaitForDevice()) << farm_.agent().Log();
  const std::string job = WriteSmallJob(
      folder_, {.trials = kTrials,
                .body = "  for (volatile int wait = 0; wait < 3000000; wait = wait + 1) {}\n"});
  const CommandResult submitted = Burnish({"submit", job, "--json", "--server", farm_.address()});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  const std::string job_id = submitted.Json()["job_id"];

  // By its first result the agent has more leases; it goes on with them alone.
  ASSERT_TRUE(farm_.agent().WaitForLine("report_acknowledged", absl::Seconds(60)));
  farm_.server().KillHard();
  std::set<std::string> journalled;
  ASSERT_TRUE(
      WaitUntil([&] { return !(journalled = OnlyJournalled()).empty(); }, absl::Seconds(60)))
      << farm_.agent().Log();
  farm_.agent().KillHard();

  farm_.StartServer({"--lease", lease});
  farm_.StartAgent();
  const CommandResult watched =
      Burnish({"watch", job_id, "--json", "--server", farm_.address()}, {}, absl::Minutes(5));
  ASSERT_EQ(watched.exit_code, 0) << watched.err << farm_.agent().Log();
  EXPECT_EQ(watched.Json()["tasks"][0]["trials"], kTrials);

  std::map<std::string, int> stored;
  for (const nlohmann::json& record :
       Burnish({"records", job_id, "--json", "--server", farm_.address()}).JsonLines()) {
    ++stored[record["attempt_id"]];
    EXPECT_EQ(record["late"], false);
    EXPECT_EQ(record["outcome"], "ok");
  }
  EXPECT_EQ(stored.size(), static_cast<size_t>(kTrials));
  for (const std::string& attempt : journalled) {
    EXPECT_EQ(stored[attempt], 1) << attempt;
    EXPECT_EQ(Grants(attempt), 1) << attempt;
  }
  EXPECT_TRUE(WaitUntil([&] { return Journal().empty(); }, absl::Seconds(10)));
}

}  // namespace
}  // namespace burnish::e2e
