#include "common/http/page_server.h"

#include <sys/socket.h>

#include <atomic>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/diagnostic.h"
#include "httplib.h"

namespace burnish::http {
namespace {

constexpr int kThreads = 4;
// A client that says nothing holds a thread no longer than this.
constexpr time_t kPatienceSeconds = 2;

class HttplibServer : public PageServer {
 public:
  explicit HttplibServer(Pages pages) {
    // The library's own pool is at least eight threads.
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // The library's default lets two processes share one port unnoticed.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    // A connection kept open would hold a thread of the pool while it is idle.
    server_.set_keep_alive_max_count(1);
    server_.set_read_timeout(kPatienceSeconds);
    server_.set_write_timeout(kPatienceSeconds);
    for (auto& [path, page] : pages) {
      server_.Get(path,
                  [page = std::move(page)](const httplib::Request&, httplib::Response& response) {
                    Answer answer = page();
                    response.status = answer.status;
                    response.set_content(answer.content, answer.content_type);
                  });
    }
  }

  ~HttplibServer() override {
    if (!thread_.joinable()) return;
    // stop() does nothing before the loop runs.
    while (!server_.is_running() && !ended_) SleepFor(absl::Milliseconds(1));
    server_.stop();
    thread_.join();
  }

  bool Start(const net::ServerAddress& address) {
    address_ = address;
    if (address.port == 0) {
      address_.port = server_.bind_to_any_port(address.host.c_str());
      if (address_.port <= 0) return false;
    } else if (!server_.bind_to_port(address.host.c_str(), address.port)) {
      return false;
    }
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    return true;
  }

  const net::ServerAddress& address() const override { return address_; }

 private:
  httplib::Server server_;
  net::ServerAddress address_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PageServer>> PageServer::Listen(const net::ServerAddress& address,
                                                               Pages pages) {
  auto server = std::make_unique<HttplibServer>(std::move(pages));
  if (!server->Start(address)) {
    return DiagnosticStatus(
        absl::StatusCode::kFailedPrecondition,
        {.message = absl::StrCat("cannot serve HTTP on ", net::ToText(address)),
         .hint = "the port is taken, or the address is not of this machine; port 0 picks a free "
                 "port"});
  }
  return server;
}

}  // namespace burnish::http
