// Progress of a job on standard error: one line that redraws itself on a terminal, one plain line
// every few seconds elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "client/cli/connection.h"
#include "client/cli/eta.h"
#include "common/base/clock.h"

namespace burnish::cli {

class Progress {
 public:
  enum class Style { kTerminal, kPlain, kSilent };
  Progress(Style style, const Clock& clock);
  // kTerminal if standard error is one, kSilent if `quiet`.
  static Style StyleFor(bool quiet);

  void Show(const pb::JobSnapshot& snapshot);
  // Redraws with the time that has passed; call a few times a second.
  void Tick();
  // A line that stays, above the progress line.
  void Note(const std::string& text);
  // Leaves the last line as it is and ends it.
  void End();

 private:
  void Draw();
  const Style style_;
  const Clock& clock_;
  pb::JobSnapshot snapshot_;
  bool shown_ = false;
  bool drawn_ = false;
  std::string last_plain_;
  RateMeter meter_;
  absl::Duration last_drawn_;
  int64_t last_trials_ = 0;
  absl::Duration last_result_;
};

// The line itself, cut to `columns` by dropping fields from the right (public for the tests).
std::string ProgressLine(const pb::JobSnapshot& snapshot, const Rate& rate, int columns);
std::string PlainProgressLine(const pb::JobSnapshot& snapshot, const Rate& rate);

std::string ProgressBar(int64_t done, int64_t total);

}  // namespace burnish::cli
