#include "server/rpc/open_streams.h"

#include <string>
#include <utility>

#include "common/base/log.h"

namespace burnish::rpc {

void OpenStreams::Add(const std::shared_ptr<OpenStream>& stream, auth::Principal principal) {
  absl::MutexLock lock(&mutex_);
  entries_.push_back({stream, std::move(principal)});
}

void OpenStreams::Check(auth::Authorizer& authorizer) {
  std::vector<Entry> entries;
  {
    absl::MutexLock lock(&mutex_);
    std::erase_if(entries_, [](const Entry& entry) {
      const auto stream = entry.stream.lock();
      return stream == nullptr || stream->ended();
    });
    entries = entries_;
  }
  for (const Entry& entry : entries) {
    const absl::Status still_in = authorizer.StillIn(entry.principal);
    // A database that cannot be asked ends no stream: it serves none either.
    if (!absl::IsUnauthenticated(still_in)) continue;
    const auto stream = entry.stream.lock();
    if (stream == nullptr) continue;
    Log(LogLevel::kWarning, "stream_expelled",
        {{"actor", entry.principal.Actor()}, {"reason", std::string(still_in.message())}});
    stream->Expel(still_in);
  }
}

}  // namespace burnish::rpc
