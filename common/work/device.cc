#include "common/work/device.h"

#include <memory>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/hash.h"
#include "common/expr/value.h"
#include "common/spec/isolation_level.h"
#include "nlohmann/json.hpp"

namespace burnish::work {
namespace {

constexpr std::string_view kLabelPrefix = "label.";

expr::Value ListOf(const std::vector<std::string>& texts) {
  auto list = std::make_shared<std::vector<expr::Value>>();
  for (const std::string& text : texts) list->emplace_back(text);
  return expr::List(std::move(list));
}

struct Capability {
  const char* name;
  expr::Value (*value)(const DeviceInfo& device);
};

constexpr Capability kCapabilities[] = {
    {"backend", [](const DeviceInfo& device) -> expr::Value { return device.backend; }},
    {"name", [](const DeviceInfo& device) -> expr::Value { return device.name; }},
    {"device_class", [](const DeviceInfo& device) -> expr::Value { return device.device_class; }},
    {"vendor", [](const DeviceInfo& device) -> expr::Value { return device.vendor; }},
    {"arch", [](const DeviceInfo& device) -> expr::Value { return device.arch; }},
    {"cores", [](const DeviceInfo& device) -> expr::Value { return device.cores; }},
    {"memory_bytes", [](const DeviceInfo& device) -> expr::Value { return device.memory_bytes; }},
    {"isa", [](const DeviceInfo& device) -> expr::Value { return ListOf(device.isa); }},
    {"isolation",
     [](const DeviceInfo& device) -> expr::Value {
       return ListOf(spec::IsolationLevelNames(spec::IsolationLevelOf(device.isolation)));
     }},
};

std::optional<expr::Value> ValueOf(std::string_view name, const DeviceInfo& device) {
  if (name.starts_with(kLabelPrefix) && name.size() > kLabelPrefix.size()) {
    const auto label = device.labels.find(std::string(name.substr(kLabelPrefix.size())));
    return label == device.labels.end() ? std::string() : label->second;
  }
  for (const Capability& capability : kCapabilities) {
    if (capability.name == name) return capability.value(device);
  }
  return std::nullopt;
}

absl::Status UnknownName(const expr::Expression& selector, size_t i) {
  const std::string& name = selector.names()[i];
  Diagnostic diagnostic;
  diagnostic.line = 1;
  diagnostic.column = selector.NameColumn(i);
  diagnostic.message = absl::StrCat("unknown name '", name, "'");
  diagnostic.hint = NameHint(name, SelectorNames());
  diagnostic.excerpt = selector.text();
  return DiagnosticStatus(absl::StatusCode::kInvalidArgument, diagnostic);
}

}  // namespace

std::vector<std::string> SelectorNames() {
  std::vector<std::string> names;
  for (const Capability& capability : kCapabilities) names.push_back(capability.name);
  names.push_back(absl::StrCat(std::string(kLabelPrefix), "KEY"));
  return names;
}

absl::StatusOr<bool> SelectorMatches(const expr::Expression& selector, const DeviceInfo& device) {
  std::vector<expr::Value> values;
  for (size_t i = 0; i < selector.names().size(); ++i) {
    std::optional<expr::Value> value = ValueOf(selector.names()[i], device);
    if (!value.has_value()) return UnknownName(selector, i);
    values.push_back(*std::move(value));
  }
  return selector.Test(values);
}

std::string EnvironmentHash(const std::map<std::string, std::string>& environment) {
  const nlohmann::json entries(environment);
  return Sha256Hex(entries.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace burnish::work
