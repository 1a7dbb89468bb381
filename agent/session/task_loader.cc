#include "agent/session/task_loader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"

namespace burnish::agent {
namespace {

// The second time for content that was damaged on its way, or in its file.
constexpr int kTries = 2;

}  // namespace

TaskLoader::TaskLoader(TaskLoaderOptions options, Fetch fetch, Done done, const Clock& clock)
    : options_(std::move(options)),
      fetch_(std::move(fetch)),
      done_(std::move(done)),
      clock_(clock),
      cache_(options_.blob_folder),
      thread_([this] { Run(); }) {}

TaskLoader::~TaskLoader() {
  stop_.request_stop();
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
}

bool TaskLoader::IsWhole(const work::TaskDefinition& definition) {
  return definition.reference.source.blob.empty() &&
         std::ranges::all_of(definition.stages,
                             [](const spec::Kernel& stage) { return stage.source.blob.empty(); });
}

void TaskLoader::Load(const TaskHash& hash, work::TaskDefinition definition) {
  absl::MutexLock lock(&mutex_);
  const bool known =
      std::ranges::any_of(orders_, [&](const Order& order) { return order.hash == hash; });
  if (!known) orders_.push_back({hash, std::move(definition)});
}

void TaskLoader::Run() {
  while (true) {
    Order order;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &TaskLoader::HasNews));
      if (stopping_) return;
      order = orders_.front();
    }
    absl::Status status = Complete(order.definition.reference.source);
    for (spec::Kernel& stage : order.definition.stages) {
      if (status.ok()) status = Complete(stage.source);
    }
    {
      absl::MutexLock lock(&mutex_);
      if (stopping_) return;
      orders_.pop_front();
    }
    if (status.ok()) {
      done_(order.hash, std::move(order.definition));
    } else {
      done_(order.hash, status);
    }
  }
}

absl::Status TaskLoader::Complete(spec::Source& source) {
  if (source.blob.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> content = Content(source.blob);
  if (!content.ok()) {
    return absl::Status(content.status().code(),
                        absl::StrCat("fetching ", source.file, ": ", content.status().message()));
  }
  source.text = *std::move(content);
  source.blob = BlobHash();  // from here on the text travels
  return absl::OkStatus();
}

absl::StatusOr<std::string> TaskLoader::Content(const BlobHash& blob) {
  if (std::optional<std::string> cached = cache_.Find(blob)) return *std::move(cached);
  absl::StatusOr<std::string> content;
  for (int tries = 0; tries < kTries; ++tries) {
    RETURN_IF_ERROR(FetchRest(blob));
    content = cache_.Complete(blob);
    if (!absl::IsDataLoss(content.status())) break;
  }
  return content;
}

absl::Status TaskLoader::FetchRest(const BlobHash& blob) {
  while (true) {
    const int64_t received = cache_.ReceivedBytes(blob);
    const absl::StatusOr<v1::FetchReply> chunk = FetchChunk(blob, received);
    // All of it is there, or more than there should be: which of these is its hash's to say.
    if (absl::IsOutOfRange(chunk.status())) return absl::OkStatus();
    RETURN_IF_ERROR(chunk.status());
    if (chunk->data().empty()) return absl::InternalError("the server sent an empty chunk");
    RETURN_IF_ERROR(cache_.Append(blob, chunk->data()));
    Log(LogLevel::kDebug, "blob_chunk_fetched",
        {{"sha256", blob.value()},
         {"offset", absl::StrCat(received)},
         {"bytes", absl::StrCat(chunk->data().size())}});
    if (received + static_cast<int64_t>(chunk->data().size()) >= chunk->size_bytes()) {
      return absl::OkStatus();
    }
  }
}

absl::StatusOr<v1::FetchReply> TaskLoader::FetchChunk(const BlobHash& blob, int64_t offset) {
  v1::FetchReply reply;
  net::Backoff backoff(options_.backoff, RandomSeed());
  RETURN_IF_ERROR(net::RetryIdempotent(
      [&]() -> absl::Status {
        if (stop_.stop_requested()) return absl::CancelledError("the agent stops");
        ASSIGN_OR_RETURN(reply, fetch_(blob, offset, stop_.get_token()));
        return absl::OkStatus();
      },
      options_.patience, backoff, clock_,
      [this](absl::Duration pause) {
        absl::MutexLock lock(&mutex_);
        mutex_.AwaitWithTimeout(absl::Condition(&stopping_), pause);
      }));
  return reply;
}

}  // namespace burnish::agent
