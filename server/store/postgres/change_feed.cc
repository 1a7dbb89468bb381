#include "server/store/postgres/change_feed.h"

#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/notification>
#include <utility>

#include "common/base/log.h"
#include "server/store/postgres/failure.h"

namespace burnish::store::postgres {
namespace {

constexpr char kChannel[] = "burnish_changed";
// A NOTIFY takes a lock of the whole PostgreSQL instance when it commits: few of them, and none in
// the transactions that change something.
constexpr absl::Duration kBeat = absl::Milliseconds(50);
constexpr absl::Duration kReconnect = absl::Seconds(1);

class Receiver final : public pqxx::notification_receiver {
 public:
  Receiver(pqxx::connection_base& connection, const std::function<void()>& changed)
      : pqxx::notification_receiver(connection, kChannel),
        own_process_(connection.backendpid()),
        changed_(changed) {}
  void operator()(const std::string&, int process) override {
    if (process != own_process_) changed_();
  }

 private:
  const int own_process_;
  const std::function<void()>& changed_;
};

}  // namespace

ChangeFeed::ChangeFeed(Address address, std::function<void()> changed)
    : address_(std::move(address)), changed_(std::move(changed)), thread_([this] { Run(); }) {}

ChangeFeed::~ChangeFeed() {
  stopping_.Notify();
  thread_.join();
}

void ChangeFeed::Run() {
  absl::Status last;
  while (!stopping_.HasBeenNotified()) {
    const absl::Status status = Listen();
    if (status != last && !status.ok()) {
      Log(LogLevel::kWarning, "change_feed_lost", {{"status", status.ToString()}});
    }
    last = status;
    stopping_.WaitForNotificationWithTimeout(kReconnect);
  }
}

absl::Status ChangeFeed::Listen() {
  try {
    pqxx::connection connection(address_.url);
    const Receiver receiver(connection, changed_);
    changed_();  // whatever was announced while nobody listened
    while (!stopping_.HasBeenNotified()) {
      connection.await_notification(0, absl::ToInt64Microseconds(kBeat));
      if (!announced_.exchange(false)) continue;
      pqxx::nontransaction(connection).exec0(std::string("NOTIFY ") + kChannel);
    }
    return absl::OkStatus();
  } catch (const pqxx::pqxx_exception& error) {
    return ToFailure(error.base(), address_.name).status();
  }
}

}  // namespace burnish::store::postgres
