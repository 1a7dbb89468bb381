// Makes, lists and revokes tokens. Thread-safe; everything it is given outlives it.
#pragma once

#include "burnish/v1/token_service.grpc.pb.h"
#include "server/rpc/admission.h"
#include "server/store/store.h"

namespace burnish::rpc {

namespace pb = burnish::v1;

class TokenService final : public pb::TokenService::CallbackService {
 public:
  TokenService(store::Store& store, Admission& admission) : store_(store), admission_(admission) {}

  grpc::ServerUnaryReactor* Create(grpc::CallbackServerContext* context,
                                   const pb::CreateTokenRequest* request,
                                   pb::CreateTokenReply* reply) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const pb::ListTokensRequest* request,
                                 pb::ListTokensReply* reply) override;
  grpc::ServerUnaryReactor* Revoke(grpc::CallbackServerContext* context,
                                   const pb::RevokeTokenRequest* request,
                                   pb::Token* reply) override;

 private:
  store::Store& store_;
  Admission& admission_;
};

}  // namespace burnish::rpc
