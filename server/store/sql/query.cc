#include "server/store/sql/query.h"

#include <algorithm>

#include "absl/strings/str_replace.h"
#include "common/base/utf8_text.h"

namespace burnish::store::sql {

Value ToValue(const std::string& value) {
  const bool plain =
      std::ranges::all_of(value, [](char c) { return static_cast<signed char>(c) > 0; });
  if (plain) return value;
  return absl::StrReplaceAll(Utf8Text(value), {{absl::string_view("\0", 1), "\xEF\xBF\xBD"}});
}

}  // namespace burnish::store::sql
