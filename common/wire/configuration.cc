#include "common/wire/configuration.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace burnish::wire {

pb::Value ToProto(const expr::Value& value) {
  pb::Value proto;
  if (const bool* boolean = std::get_if<bool>(&value)) {
    proto.set_boolean(*boolean);
  } else if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    proto.set_integer(*integer);
  } else if (const double* real = std::get_if<double>(&value)) {
    proto.set_real(*real);
  } else {
    const std::string* text = std::get_if<std::string>(&value);
    CHECK(text != nullptr) << "a list has no wire form";
    proto.set_text(*text);
  }
  return proto;
}

pb::Setting ToProto(const std::string& name, const expr::Value& value) {
  pb::Setting proto;
  proto.set_name(name);
  *proto.mutable_value() = ToProto(value);
  return proto;
}

pb::Configuration ToProto(const space::Configuration& configuration) {
  pb::Configuration proto;
  for (const auto& [name, value] : configuration) {
    *proto.add_settings() = ToProto(name, value);
  }
  return proto;
}

absl::StatusOr<expr::Value> FromProto(const pb::Value& value) {
  switch (value.kind_case()) {
    case pb::Value::kBoolean:
      return expr::Value(value.boolean());
    case pb::Value::kInteger:
      return expr::Value(int64_t{value.integer()});
    case pb::Value::kReal:
      if (!std::isfinite(value.real())) {
        return absl::InvalidArgumentError("value.real: must be finite");
      }
      return expr::Value(value.real());
    case pb::Value::kText:
      return expr::Value(value.text());
    case pb::Value::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("value.kind: missing or unknown");
}

absl::StatusOr<std::pair<std::string, expr::Value>> FromProto(const pb::Setting& setting) {
  if (setting.name().empty()) return absl::InvalidArgumentError("setting.name: missing");
  auto value = FromProto(setting.value());
  if (!value.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("setting '", setting.name(), "': ", value.status().message()));
  }
  return std::make_pair(setting.name(), *std::move(value));
}

absl::StatusOr<space::Configuration> FromProto(const pb::Configuration& configuration) {
  space::Configuration result;
  std::set<std::string_view> names;
  for (const pb::Setting& setting : configuration.settings()) {
    ASSIGN_OR_RETURN(auto named, FromProto(setting));
    // The database could not be read again with both.
    if (!names.insert(setting.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("setting '", setting.name(), "': is there twice"));
    }
    result.push_back({std::move(named.first), std::move(named.second)});
  }
  return result;
}

}  // namespace burnish::wire
