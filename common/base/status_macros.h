// The one error idiom of the code base: absl::Status and absl::StatusOr, passed on with these.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define RETURN_IF_ERROR(expression)                  \
  do {                                               \
    absl::Status burnish_status = (expression);      \
    if (!burnish_status.ok()) return burnish_status; \
  } while (false)

#define BURNISH_CONCAT_INNER(a, b) a##b
#define BURNISH_CONCAT(a, b) BURNISH_CONCAT_INNER(a, b)

// ASSIGN_OR_RETURN(const auto value, Compute());
#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_INNER(BURNISH_CONCAT(burnish_statusor_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_INNER(statusor, declaration, expression) \
  auto statusor = (expression);                                   \
  if (!statusor.ok()) return statusor.status();                   \
  declaration = *std::move(statusor)
