// The namespace that a request means. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/ids.h"
#include "common/base/limits.h"
#include "server/rpc/admission.h"

namespace burnish::rpc {

inline absl::StatusOr<Namespace> NamespaceOf(const std::string& text) {
  if (text.size() > limits::kNameBytes) {
    return InvalidInput(absl::StrCat("namespace: longer than ", limits::kNameBytes, " bytes"));
  }
  return Namespace(text.empty() ? kDefaultNamespace : text);
}

}  // namespace burnish::rpc
