// Whatever else measures: a program that prints a reading a line for as long as it runs, such as
// the tool of a lab's power meter.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/sensors/registry.h"
#include "common/base/numbers.h"
#include "common/base/poll.h"
#include "common/base/status_macros.h"
#include "common/base/subprocess.h"
#include "common/base/unique_fd.h"

namespace burnish::sensors {
namespace {

// Meters that have to be connected to first may be slow; silence after that is a loss.
constexpr absl::Duration kSilence = absl::Seconds(10);
constexpr size_t kMaxLineBytes = 256;

struct Line {
  double value = 0;
  bool joules = false;
};

std::optional<Line> ParseLine(std::string_view line) {
  Line parsed;
  if (line.ends_with('J')) {
    parsed.joules = true;
    line.remove_suffix(1);
  } else if (line.ends_with('W')) {
    line.remove_suffix(1);
  }
  while (line.ends_with(' ')) line.remove_suffix(1);
  const std::optional<double> value = ParseReal(line);
  if (!value) return std::nullopt;
  parsed.value = *value;
  return parsed;
}

class CommandSensor : public Sensor {
 public:
  CommandSensor(const std::string& program, const Clock& clock) : program_(program), clock_(clock) {
    info_ = {.name = absl::StrCat("command:", program),
             .scope = Scope::kWall,
             .part = Part::kMachine,
             .quality = Quality::kInstant};
  }

  const SensorInfo& info() const override { return info_; }

  absl::Status Begin() override {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
    output_ = UniqueFd(ends[0]);
    const UniqueFd theirs(ends[1]);
    pending_.clear();
    unwrapped_ = Unwrapped();
    SpawnOptions options;
    options.arguments = {"/bin/sh", "-c", program_};
    options.descriptors = {{STDOUT_FILENO, theirs.get()}, {STDERR_FILENO, STDERR_FILENO}};
    ASSIGN_OR_RETURN(child_, ChildProcess::Spawn(options));
    // The first line tells what it measures in.
    ASSIGN_OR_RETURN(const Line line, NextReading());
    info_.quality = line.joules ? Quality::kCounter : Quality::kInstant;
    return absl::OkStatus();
  }

  void End() override {
    child_ = ChildProcess();
    output_.Reset();
  }

  absl::StatusOr<Reading> Read() override {
    ASSIGN_OR_RETURN(const Line line, NextReading());
    if (line.joules != (info_.quality == Quality::kCounter)) {
      return absl::DataLossError("it went from watts to joules, or back");
    }
    Reading reading{.at = clock_.Monotonic(), .value = line.value};
    if (line.joules) {
      ASSIGN_OR_RETURN(reading.value, unwrapped_.Next(line.value));
    }
    return reading;
  }

 private:
  absl::StatusOr<Line> NextReading() {
    ASSIGN_OR_RETURN(const std::string text, NextLine());
    if (const std::optional<Line> line = ParseLine(text)) return *line;
    return absl::DataLossError(absl::StrCat(
        "it printed '", text, "'; a line is a number of watts, or of joules with a J behind it"));
  }

  absl::StatusOr<std::string> NextLine() {
    const absl::Duration deadline = DeadlineAfter(kSilence);
    while (true) {
      const size_t end = pending_.find('\n');
      if (end != std::string::npos) {
        const std::string line(
            absl::StripAsciiWhitespace(absl::string_view(pending_).substr(0, end)));
        pending_.erase(0, end + 1);
        if (!line.empty()) return line;
        continue;
      }
      if (pending_.size() > kMaxLineBytes) return absl::DataLossError("it printed no lines");
      pollfd wanted{.fd = output_.get(), .events = POLLIN};
      if (!PollUntil({&wanted, 1}, deadline)) {
        return absl::UnavailableError(
            absl::StrCat("it printed nothing for ", absl::FormatDuration(kSilence)));
      }
      char buffer[4096];
      const ssize_t count = ::read(output_.get(), buffer, sizeof(buffer));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        const auto status = child_.Wait(absl::Seconds(1));
        return absl::UnavailableError(
            absl::StrCat("it ended: ", status ? ToText(*status) : "closed its output"));
      }
      pending_.append(buffer, static_cast<size_t>(count));
    }
  }

  const std::string program_;
  const Clock& clock_;
  SensorInfo info_;
  ChildProcess child_;
  UniqueFd output_;
  std::string pending_;
  Unwrapped unwrapped_;
};

}  // namespace

std::unique_ptr<Sensor> MakeCommandSensor(const std::string& program, const Clock& clock) {
  return std::make_unique<CommandSensor>(program, clock);
}

}  // namespace burnish::sensors
