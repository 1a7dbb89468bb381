#include "common/space/configuration.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/diagnostic.h"
#include "common/base/numbers.h"
#include "nlohmann/json.hpp"

namespace burnish::space {
namespace {

using Json = nlohmann::ordered_json;

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ValueJson(const expr::Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* integer = std::get_if<int64_t>(&value)) return absl::StrCat(*integer);
  if (const auto* real = std::get_if<double>(&value)) return FormatReal(*real);
  const auto* text = std::get_if<std::string>(&value);
  CHECK(text != nullptr) << "a configuration holds no list";
  return Quoted(*text);
}

std::string ObjectJson(const Configuration& configuration, const char* colon, const char* comma) {
  std::string json = "{";
  for (const Setting& setting : configuration) {
    if (json.size() > 1) json += comma;
    absl::StrAppend(&json, Quoted(setting.name), colon, ValueJson(setting.value));
  }
  return json + "}";
}

bool FromJson(const Json& json, expr::Value& value) {
  if (json.is_boolean()) {
    value = json.get<bool>();
  } else if (json.is_number_unsigned()) {
    const auto integer = json.get<uint64_t>();
    if (integer > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return false;
    value = static_cast<int64_t>(integer);
  } else if (json.is_number_integer()) {
    value = json.get<int64_t>();
  } else if (json.is_number_float()) {
    value = json.get<double>();
  } else if (json.is_string()) {
    value = json.get<std::string>();
  } else {
    return false;
  }
  return true;
}

const Setting* Find(const Configuration& configuration, std::string_view name) {
  for (const Setting& setting : configuration) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

}  // namespace

std::string ToJson(const Configuration& configuration) {
  return ObjectJson(configuration, ": ", ", ");
}

std::string CanonicalJson(const Configuration& configuration) {
  Configuration sorted = configuration;
  std::sort(sorted.begin(), sorted.end(),
            [](const Setting& a, const Setting& b) { return a.name < b.name; });
  return ObjectJson(sorted, ":", ",");
}

absl::StatusOr<Configuration> ConfigurationFromJson(std::string_view text) {
  Json json;
  std::vector<std::string> keys;  // the parser itself drops duplicates silently
  try {
    json = Json::parse(text, [&keys](int depth, Json::parse_event_t event, const Json& parsed) {
      if (event == Json::parse_event_t::key && depth == 1)
        keys.push_back(parsed.get<std::string>());
      return true;
    });
  } catch (const nlohmann::json::exception& error) {
    return InvalidInput(absl::StrCat("the configuration is not valid JSON: ", error.what()));
  }
  if (!json.is_object()) {
    return InvalidInput("a configuration must be a JSON object", R"(like {"BLOCK": 32})");
  }
  std::sort(keys.begin(), keys.end());
  const auto duplicate = std::adjacent_find(keys.begin(), keys.end());
  if (duplicate != keys.end()) {
    return InvalidInput(absl::StrCat("the configuration sets '", *duplicate, "' twice"));
  }
  Configuration configuration;
  for (const auto& [name, item] : json.items()) {
    Setting setting{.name = name, .value = false};
    if (!FromJson(item, setting.value)) {
      return InvalidInput(absl::StrCat("the configuration's '", name,
                                       "' must be a 64-bit number, a string or a boolean"));
    }
    configuration.push_back(std::move(setting));
  }
  return configuration;
}

bool SameConfiguration(const Configuration& a, const Configuration& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&b](const Setting& setting) {
    const Setting* other = Find(b, setting.name);
    return other != nullptr && expr::Equal(setting.value, other->value);
  });
}

}  // namespace burnish::space
