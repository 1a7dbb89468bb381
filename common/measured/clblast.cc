// The output of CLBlast's tuners: `clblast_<family>_<precision>.json`. It holds only configurations
// that computed the right result.
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/base/utf8_text.h"
#include "common/measured/formats.h"

namespace burnish::measured {
namespace {

constexpr double kSecondsPerMs = 1e-3;

// `"key": "any "thing" \ at all",` with its inner quotes and backslashes escaped.
std::string EscapeValue(std::string_view line) {
  constexpr std::string_view kOpening = "\": \"";
  const size_t start = line.find(kOpening);
  const size_t end = line.rfind('"');
  if (start == line.npos || end < start + kOpening.size()) return std::string(line);
  std::string escaped(line.substr(0, start + kOpening.size()));
  for (const char c : line.substr(escaped.size(), end - escaped.size())) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped + std::string(line.substr(end));
}

// `"time": 0,125,` with a point.
std::string PointForComma(std::string_view line) {
  std::string repaired(line);
  const size_t colon = line.find(':');
  const size_t comma = line.find(',', colon);
  const bool within = comma != line.npos && comma + 1 < line.size() &&
                      absl::ascii_isdigit(static_cast<unsigned char>(line[comma + 1]));
  if (within) repaired[comma] = '.';
  return repaired;
}

}  // namespace

std::string RepairClblast(std::string_view text) {
  std::string repaired;
  const std::string utf8 = Utf8Text(text);
  for (const absl::string_view piece : absl::StrSplit(utf8, '\n')) {
    const std::string_view line(piece.data(), piece.size());
    const bool is_time = line.find("\"time\":") != line.npos;
    repaired += is_time ? PointForComma(line) : EscapeValue(line);
    repaired += '\n';
  }
  return repaired;
}

absl::Status ReadClblast(const JsonValue& root, SpaceBuilder& builder) {
  builder.kernel() = TextOr(root, "kernel_family");
  builder.device() = TextOr(root, "clblast_device_name");
  if (builder.device().empty()) builder.device() = TextOr(root, "device");
  ASSIGN_OR_RETURN(const JsonList* const results, RequireList(root, "", "results"));
  for (size_t i = 0; i < results->size(); ++i) {
    const JsonValue& result = (*results)[i];
    const std::string path = absl::StrCat("results[", i, "]");
    ASSIGN_OR_RETURN(const JsonObject* const parameters, RequireObject(result, path, "parameters"));
    for (const JsonMember& member : *parameters) {
      if (builder.ParameterIndex(member.key).has_value()) continue;
      if (i > 0) {
        return ErrorAtPath(path + ".parameters",
                           "the parameter '" + member.key + "' is not in the results before",
                           "every result has the same parameters");
      }
      RETURN_IF_ERROR(builder.AddParameter(path + ".parameters", member.key));
    }
    Record record;
    const JsonValue* time = result.Find("time");
    const std::optional<double> ms = time == nullptr ? std::nullopt : time->Number();
    builder.SetLatency(path, ms ? std::optional(*ms * kSecondsPerMs) : std::nullopt, record);
    RETURN_IF_ERROR(
        builder.AddObject(path + ".parameters", *result.Find("parameters"), std::move(record)));
  }
  return absl::OkStatus();
}

}  // namespace burnish::measured
