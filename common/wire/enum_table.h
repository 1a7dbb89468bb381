// Tables that pair a domain enum with its wire enum, so that each pair stands in one place and
// both directions use it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace burnish::wire {

template <typename Domain, typename Wire, size_t N>
using EnumTable = std::array<std::pair<Domain, Wire>, N>;

template <typename Domain, typename Wire, size_t N>
Wire WireEnum(const EnumTable<Domain, Wire, N>& table, Domain value) {
  for (const auto& [domain, wire] : table) {
    if (domain == value) return wire;
  }
  CHECK(false) << "an enum value has no wire form: " << static_cast<int>(value);
  return Wire{};
}

// InvalidArgument naming `field` for a value this version does not know, the unset one included.
template <typename Domain, typename Wire, size_t N>
absl::StatusOr<Domain> DomainEnum(const EnumTable<Domain, Wire, N>& table, Wire value,
                                  std::string_view field) {
  for (const auto& [domain, wire] : table) {
    if (wire == value) return domain;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(field), ": unknown value ", static_cast<int>(value)));
}

}  // namespace burnish::wire
