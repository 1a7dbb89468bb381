#include "server/store/store.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"

namespace burnish::store {
namespace {

struct NamedState {
  State state;
  const char* name;
};

constexpr std::array<NamedState, 7> kStates = {{{State::kQueued, "queued"},
                                                {State::kRunning, "running"},
                                                {State::kPaused, "paused"},
                                                {State::kFinishing, "finishing"},
                                                {State::kDone, "done"},
                                                {State::kFailed, "failed"},
                                                {State::kCancelled, "cancelled"}}};

struct NamedStanding {
  Standing standing;
  const char* name;
};

constexpr std::array<NamedStanding, 3> kStandings = {{{Standing::kActive, "active"},
                                                      {Standing::kDraining, "draining"},
                                                      {Standing::kQuarantined, "quarantined"}}};

}  // namespace

const char* StandingName(Standing standing) {
  for (const NamedStanding& named : kStandings) {
    if (named.standing == standing) return named.name;
  }
  return "unknown";
}

std::optional<Standing> ParseStanding(std::string_view name) {
  for (const NamedStanding& named : kStandings) {
    if (named.name == name) return named.standing;
  }
  return std::nullopt;
}

const char* StateName(State state) {
  for (const NamedState& named : kStates) {
    if (named.state == state) return named.name;
  }
  return "unknown";
}

std::optional<State> ParseState(std::string_view name) {
  for (const NamedState& named : kStates) {
    if (named.name == name) return named.state;
  }
  return std::nullopt;
}

bool IsFinal(State state) {
  return state == State::kDone || state == State::kFailed || state == State::kCancelled;
}

absl::Status MissingBlob(const std::string& file, const BlobHash& blob) {
  return DiagnosticStatus(
      absl::StatusCode::kFailedPrecondition,
      {.message = absl::StrCat("the content of file '", file, "' (SHA-256 ", blob.value(),
                               ") is not on the server"),
       .hint = "upload it (the burnish command line does), then submit again: content that no job "
               "names is removed after a while"});
}

DeviceId DeviceIdOf(const AgentId& agent, const work::DeviceInfo& info) {
  return DeviceId(absl::StrCat(agent.value(), "/", info.backend, ":", info.index));
}

}  // namespace burnish::store
