// burnish top: the fleet and the jobs that have not ended, drawn anew every second.
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/cli/commands.h"
#include "client/cli/context.h"
#include "client/cli/job_client.h"
#include "client/cli/listing.h"
#include "client/cli/output.h"
#include "client/cli/report.h"
#include "client/cli/watcher.h"
#include "common/base/clock.h"
#include "common/base/limits.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"

namespace burnish::cli {
namespace {

constexpr absl::Duration kRefresh = absl::Seconds(1);

struct Fleet {
  pb::DevicesReply devices;
  pb::ListReply jobs;  // those that have not ended
};

absl::StatusOr<Fleet> Look(JobClient& client) {
  Fleet fleet;
  ASSIGN_OR_RETURN(fleet.devices, client.Devices());
  ASSIGN_OR_RETURN(const pb::ListReply listed, client.List(limits::kListedJobs));
  for (const pb::JobSnapshot& job : listed.jobs()) {
    if (!IsFinalState(job.state())) *fleet.jobs.add_jobs() = job;
  }
  return fleet;
}

absl::StatusOr<std::string> TextOf(const Table& table) {
  std::vector<size_t> rows(table.rows.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  return FormatRows(table, rows, {});
}

absl::StatusOr<std::string> ScreenText(const Fleet& fleet) {
  std::vector<int> job_of_row;
  ASSIGN_OR_RETURN(const std::string devices, TextOf(DeviceTable(fleet.devices)));
  ASSIGN_OR_RETURN(const std::string jobs,
                   TextOf(JobTable(fleet.jobs, SystemClock().Now(), job_of_row)));
  return absl::StrCat(devices, "\n", jobs);
}

// Keys come one by one and are not echoed for as long as this lives.
class KeyMode {
 public:
  KeyMode() : changed_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!changed_) return;
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  ~KeyMode() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;

 private:
  termios before_;
  const bool changed_;
};

// Home, the text with every line's rest cleared, then the rest of the screen cleared: no flicker.
void Draw(const std::string& text) {
  std::printf("\033[H%s\033[J", absl::StrReplaceAll(text, {{"\n", "\033[K\n"}}).c_str());
  std::fflush(stdout);
}

// Whether somebody wants to leave within `time`.
bool WaitForQuit(absl::Duration time, ShutdownSignals& signals) {
  const absl::Duration deadline = DeadlineAfter(time);
  std::vector<pollfd> waits = {{.fd = signals.fd(), .events = POLLIN, .revents = 0},
                               {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}};
  while (PollUntil(waits, deadline)) {
    if (waits[0].revents != 0) return true;
    char key = 0;
    if (::read(STDIN_FILENO, &key, 1) != 1) waits[1].fd = -1;  // its end is no key
    if (key == 'q' || key == 'Q') return true;
  }
  return false;
}

absl::StatusOr<int> Top(const CommandContext& context) {
  const GlobalOptions& options = context.options;
  ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, NeedsDevices::kNo));
  JobClient client(*connection, options);
  ASSIGN_OR_RETURN(Fleet fleet, Look(client));
  if (options.json) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
    for (const pb::Device& device : fleet.devices.devices()) {
      devices.push_back(DeviceDocument(device));
    }
    for (const pb::JobSnapshot& job : fleet.jobs.jobs()) jobs.push_back(JobDocument(job));
    PrintDocument({{"devices", devices}, {"jobs", jobs}});
    return kExitDone;
  }
  ASSIGN_OR_RETURN(std::string screen, ScreenText(fleet));
  if (::isatty(STDOUT_FILENO) == 0) {
    std::printf("%s", screen.c_str());
    return kExitDone;
  }
  const KeyMode keys;
  std::printf("\033[2J");
  while (true) {
    Draw(absl::StrCat(DescribePlace(options.place), " · q quits\n\n", screen));
    if (WaitForQuit(kRefresh, *context.signals)) return kExitDone;
    ASSIGN_OR_RETURN(fleet, Look(client));
    ASSIGN_OR_RETURN(screen, ScreenText(fleet));
  }
}

}  // namespace

void AddTop(CLI::App& app, CommandContext& context) {
  CLI::App* command = app.add_subcommand(
      "top", "devices and open jobs, drawn anew every second; printed once when piped");
  command->footer("Example: burnish top --server lab:7400");
  SetAction(command, context, Acts::kReading, [&context] { return Top(context); });
}

}  // namespace burnish::cli
