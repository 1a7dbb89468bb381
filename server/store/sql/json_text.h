// JSON text of the `*_json` columns: what all codecs need. Reading gives DataLoss for a text that
// this program did not write. Pure functions.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/stats/statistics.h"
#include "nlohmann/json.hpp"

namespace burnish::store::sql {

using Json = nlohmann::ordered_json;

// Messages may hold what a compiler printed, in any encoding.
inline std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Runs `read` on the parsed text; whatever does not fit is DataLoss.
template <typename Read>
auto Parse(const std::string& text, const char* what, const Read& read)
    -> decltype(read(std::declval<const Json&>())) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    return absl::DataLossError(
        absl::StrCat("the database holds an unreadable ", what, ": ", error.what()));
  }
}

// JSON has no infinities and no NaN; errors of wrong results may be either.
inline Json FromReal(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

inline double ToReal(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const std::string& word = json.get_ref<const std::string&>();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

inline Json FromInterval(const stats::Interval& interval) {
  return Json::array({FromReal(interval.low), FromReal(interval.high)});
}

inline stats::Interval ToInterval(const Json& json) {
  return {ToReal(json.at(0)), ToReal(json.at(1))};
}

}  // namespace burnish::store::sql
