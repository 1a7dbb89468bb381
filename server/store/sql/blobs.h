// Statements on blobs. Each runs inside the caller's transaction and may throw Failure.
#pragma once

#include <optional>
#include <string>

#include "server/store/sql/query.h"
#include "server/store/store.h"

namespace burnish::store::sql {

BlobState StatBlob(Connection& connection, absl::Time now, const Namespace& owner,
                   const BlobHash& blob);
// Nothing if the content was complete and had another hash: the blob is removed, which has to be
// committed.
std::optional<BlobState> AppendBlobChunk(Connection& connection, absl::Time now,
                                         const Namespace& owner, const NewBlobChunk& chunk);
absl::StatusOr<std::string> ReadBlob(Connection& connection, const Namespace& owner,
                                     const BlobHash& blob);
absl::StatusOr<BlobChunk> FetchBlobChunk(Connection& connection, const BlobHash& blob,
                                         int64_t offset);
int64_t CollectBlobs(Connection& connection, absl::Time before, int limit);

// Holds the blob for a job that is about to name it; false if it is not there, or not whole.
bool KeepBlob(Connection& connection, absl::Time now, const Namespace& owner, const BlobHash& blob);

}  // namespace burnish::store::sql
