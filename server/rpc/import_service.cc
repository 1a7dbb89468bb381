#include "server/rpc/import_service.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/base/limits.h"
#include "common/base/log.h"
#include "common/base/status_macros.h"
#include "server/jobs/import.h"
#include "server/rpc/namespace_of.h"
#include "server/rpc/request_wire.h"

namespace burnish::rpc {
namespace {

pb::ImportedSet ToProto(const store::Import& import) {
  pb::ImportedSet proto;
  proto.set_import_id(ToText(import.id));
  proto.set_problem(import.problem);
  proto.set_device_class(import.device_class);
  proto.set_file_name(import.file_name);
  proto.set_records(import.records);
  proto.set_failed(import.failed);
  proto.set_imported_unix_ms(absl::ToUnixMillis(import.imported));
  return proto;
}

}  // namespace

grpc::ServerUnaryReactor* ImportService::Import(grpc::CallbackServerContext* context,
                                                const pb::ImportRequest* request,
                                                pb::ImportReply* reply) {
  return Admit(admission_, context, "/burnish.v1.ImportService/Import", *request,
               [&](const auth::Principal& principal) {
                 grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
                 imports_.Add(reactor, [this, request, reply, actor = principal.Actor()] {
                   return StoreRecords(*request, actor, *reply);
                 });
                 return reactor;
               });
}

absl::Status ImportService::StoreRecords(const pb::ImportRequest& request, const std::string& actor,
                                         pb::ImportReply& reply) {
  ASSIGN_OR_RETURN(const Namespace owner, NamespaceOf(request.namespace_()));
  ASSIGN_OR_RETURN(jobs::ImportRequest import, ImportOf(request));
  {
    ASSIGN_OR_RETURN(const std::string content, ContentOf(owner, request));
    ASSIGN_OR_RETURN(import.records, RecordTableOf(content));
  }
  ASSIGN_OR_RETURN(const jobs::Imported imported, jobs::Import(store_, owner, import));
  Log(LogLevel::kInfo, "records_imported",
      {{"import_id", ToText(imported.set.id)},
       {"records", absl::StrCat(imported.set.records)},
       {"actor", actor}});
  *reply.mutable_set() = ToProto(imported.set);
  reply.set_outside(imported.outside);
  reply.set_outside_example(imported.outside_example);
  reply.set_replaced(imported.replaced);
  return absl::OkStatus();
}

absl::StatusOr<std::string> ImportService::ContentOf(const Namespace& owner,
                                                     const pb::ImportRequest& request) {
  const pb::Blob& records = request.records();
  if (records.content_case() == pb::Blob::kInline) return records.inline_();
  if (!IsSha256Hex(records.sha256())) {
    return InvalidInput("records: missing", "a table, or the SHA-256 of one uploaded before");
  }
  const BlobHash blob(records.sha256());
  absl::StatusOr<std::string> content = store_.ReadBlob(owner, blob);
  if (absl::IsNotFound(content.status())) return store::MissingBlob(request.file_name(), blob);
  return content;
}

grpc::ServerUnaryReactor* ImportService::List(grpc::CallbackServerContext* context,
                                              const pb::ListImportsRequest* request,
                                              pb::ListImportsReply* reply) {
  return AdmitUnary(admission_, context, "/burnish.v1.ImportService/List", *request,
                    [&]() -> absl::Status {
                      ASSIGN_OR_RETURN(const Namespace owner, NamespaceOf(request->namespace_()));
                      ASSIGN_OR_RETURN(const auto imports, store_.Imports(owner));
                      for (const store::Import& one : imports) *reply->add_sets() = ToProto(one);
                      return absl::OkStatus();
                    });
}

grpc::ServerUnaryReactor* ImportService::Remove(grpc::CallbackServerContext* context,
                                                const pb::RemoveImportRequest* request,
                                                pb::RemoveImportReply*) {
  return AdmitUnary(admission_, context, "/burnish.v1.ImportService/Remove", *request,
                    [&](const auth::Principal& principal) -> absl::Status {
                      ASSIGN_OR_RETURN(const Namespace owner, NamespaceOf(request->namespace_()));
                      const std::optional<ImportId> id = ParseImportId(request->import_id());
                      if (!id) {
                        return InvalidInput(
                            absl::StrCat("'", request->import_id().substr(0, limits::kNameBytes),
                                         "' is no id of imported records"),
                            "they look like i3; `burnish import --list` shows them");
                      }
                      RETURN_IF_ERROR(store_.RemoveImport(owner, *id));
                      Log(LogLevel::kInfo, "records_removed",
                          {{"import_id", ToText(*id)}, {"actor", principal.Actor()}});
                      return absl::OkStatus();
                    });
}

}  // namespace burnish::rpc
