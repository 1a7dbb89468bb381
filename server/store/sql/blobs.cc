#include "server/store/sql/blobs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/hash.h"

namespace burnish::store::sql {
namespace {

BlobState ReadState(Query& row) {
  return {
      .size_bytes = row.Integer(0), .received_bytes = row.Integer(1), .complete = row.Boolean(2)};
}

// Makes the blob if there is none, and holds off others that change it until the end of the
// transaction.
BlobState Locked(Connection& connection, absl::Time now, const Namespace& owner,
                 const NewBlobChunk& chunk) {
  Query row(connection,
            "INSERT INTO blobs (sha256, namespace, size, received, complete, touched_ns) "
            "VALUES (?, ?, ?, 0, false, ?) "
            "ON CONFLICT (sha256, namespace) DO UPDATE SET touched_ns = excluded.touched_ns "
            "RETURNING size, received, complete",
            chunk.blob.value(), owner.value(), chunk.size_bytes, now);
  row.Next();
  return ReadState(row);
}

void RemoveChunks(Connection& connection, const Namespace& owner, const BlobHash& blob) {
  Change(connection, "DELETE FROM blob_chunks WHERE sha256 = ? AND namespace = ?", blob.value(),
         owner.value());
}

std::string Content(Connection& connection, const Namespace& owner, const BlobHash& blob) {
  std::string content;
  for (bool more = true; more;) {
    // A chunk at a time: all rows of a statement may stand in memory at once.
    Query row(connection,
              "SELECT content FROM blob_chunks WHERE sha256 = ? AND namespace = ? AND start = ?",
              blob.value(), owner.value(), static_cast<int64_t>(content.size()));
    more = row.Next();
    if (more) content += row.Binary(0);
  }
  return content;
}

}  // namespace

BlobState StatBlob(Connection& connection, absl::Time now, const Namespace& owner,
                   const BlobHash& blob) {
  Query row(connection,
            "UPDATE blobs SET touched_ns = ? WHERE sha256 = ? AND namespace = ? "
            "RETURNING size, received, complete",
            now, blob.value(), owner.value());
  return row.Next() ? ReadState(row) : BlobState();
}

std::optional<BlobState> AppendBlobChunk(Connection& connection, absl::Time now,
                                         const Namespace& owner, const NewBlobChunk& chunk) {
  BlobState state = Locked(connection, now, owner, chunk);
  if (state.complete) return state;
  if (state.size_bytes != chunk.size_bytes) {
    RemoveChunks(connection, owner, chunk.blob);
    state = {.size_bytes = chunk.size_bytes};
  }
  if (chunk.offset == state.received_bytes) {
    Change(connection,
           "INSERT INTO blob_chunks (sha256, namespace, start, content) VALUES (?, ?, ?, ?)",
           chunk.blob.value(), owner.value(), chunk.offset, Bytes{chunk.data});
    state.received_bytes += static_cast<int64_t>(chunk.data.size());
  }
  if (state.received_bytes == state.size_bytes) {
    if (Sha256Hex(Content(connection, owner, chunk.blob)) != chunk.blob.value()) {
      Change(connection, "DELETE FROM blobs WHERE sha256 = ? AND namespace = ?", chunk.blob.value(),
             owner.value());
      return std::nullopt;
    }
    state.complete = true;
  }
  Change(connection,
         "UPDATE blobs SET size = ?, received = ?, complete = ? "
         "WHERE sha256 = ? AND namespace = ?",
         state.size_bytes, state.received_bytes, state.complete, chunk.blob.value(), owner.value());
  return state;
}

absl::StatusOr<std::string> ReadBlob(Connection& connection, const Namespace& owner,
                                     const BlobHash& blob) {
  {
    Query row(connection, "SELECT 1 FROM blobs WHERE sha256 = ? AND namespace = ? AND complete",
              blob.value(), owner.value());
    if (!row.Next()) return absl::NotFoundError(absl::StrCat("there is no blob ", blob.value()));
  }
  return Content(connection, owner, blob);
}

absl::StatusOr<BlobChunk> FetchBlobChunk(Connection& connection, const BlobHash& blob,
                                         int64_t offset) {
  Query row(connection,
            "SELECT b.size, c.start, c.content FROM blobs b "
            "JOIN blob_chunks c ON c.sha256 = b.sha256 AND c.namespace = b.namespace "
            "WHERE b.sha256 = ? AND b.complete AND c.start <= ? ORDER BY c.start DESC LIMIT 1",
            blob.value(), offset);
  if (!row.Next()) return absl::NotFoundError(absl::StrCat("there is no blob ", blob.value()));
  BlobChunk chunk{.size_bytes = row.Integer(0), .data = row.Binary(2)};
  if (offset >= chunk.size_bytes) {
    return absl::OutOfRangeError(absl::StrCat("offset: ", offset, "; blob ", blob.value(), " has ",
                                              chunk.size_bytes, " bytes"));
  }
  chunk.data.erase(0, static_cast<size_t>(offset - row.Integer(1)));
  return chunk;
}

int64_t CollectBlobs(Connection& connection, absl::Time before, int limit) {
  // The time is tested again on the row that is deleted, which a submission may just have touched.
  return Change(connection,
                "DELETE FROM blobs WHERE touched_ns < ? AND (sha256, namespace) IN ("
                "SELECT b.sha256, b.namespace FROM blobs b WHERE b.touched_ns < ? "
                "AND NOT EXISTS (SELECT 1 FROM job_files f JOIN jobs j ON j.id = f.job_id "
                "WHERE f.sha256 = b.sha256 AND j.namespace = b.namespace) LIMIT ?)",
                before, before, limit);
}

bool KeepBlob(Connection& connection, absl::Time now, const Namespace& owner,
              const BlobHash& blob) {
  return Change(connection,
                "UPDATE blobs SET touched_ns = ? WHERE sha256 = ? AND namespace = ? AND complete",
                now, blob.value(), owner.value()) > 0;
}

}  // namespace burnish::store::sql
