#include "client/cli/context_file.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/base/diagnostic.h"
#include "common/base/environment.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/spec/document.h"
#include "common/spec/fields.h"
#include "nlohmann/json.hpp"

namespace burnish::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kConfigBytes = 1 << 20;
constexpr char kProjectFileName[] = ".burnish.yaml";

struct TextField {
  const char* key;
  std::string NamedContext::*member;
};
constexpr TextField kTextFields[] = {
    {"server", &NamedContext::server},
    {"ca", &NamedContext::ca},
    {"tls_certificate", &NamedContext::tls_certificate},
    {"tls_key", &NamedContext::tls_key},
    {"token_file", &NamedContext::token_file},
    {"token_command", &NamedContext::token_command},
    {"namespace", &NamedContext::owner},
};

std::optional<std::string> NonEmptyVariable(const char* name) {
  const auto value = EnvironmentVariable(name);
  return value.has_value() && !value->empty() ? value : std::nullopt;
}

// JSON's strings are YAML's too.
std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<NamedContext> ReadContext(const spec::Node& node) {
  NamedContext context{.name = node.key};
  RETURN_IF_ERROR(spec::CheckMapping(node, "write {server: HOST:PORT}"));
  RETURN_IF_ERROR(
      spec::CheckKeys(node, {{"server", "ca", "tls_certificate", "tls_key", "token_file",
                              "token_command", "namespace", "insecure"}}));
  RETURN_IF_ERROR(spec::Require(node, "server").status());
  for (const TextField& field : kTextFields) {
    const spec::Node* value = node.Find(field.key);
    if (value == nullptr) continue;
    ASSIGN_OR_RETURN(context.*field.member, spec::ReadText(*value));
  }
  if (const spec::Node* insecure = node.Find("insecure")) {
    const bool* value = std::get_if<bool>(&insecure->value);
    if (value == nullptr) return spec::WrongType(*insecure, "true or false");
    context.insecure = *value;
  }
  if (!context.token_file.empty() && !context.token_command.empty()) {
    return spec::ErrorAtKey(node, "has both `token_file` and `token_command`", "keep one of them");
  }
  return context;
}

absl::Status ReadOptionalText(const spec::Node& root, const char* key, std::string& text) {
  const spec::Node* node = root.Find(key);
  if (node == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(text, spec::ReadText(*node));
  return absl::OkStatus();
}

}  // namespace

const NamedContext* ContextFile::Find(std::string_view name) const {
  for (const NamedContext& context : contexts) {
    if (context.name == name) return &context;
  }
  return nullptr;
}

std::vector<std::string> ContextFile::Names() const {
  std::vector<std::string> names = {kLocalContext};
  for (const NamedContext& context : contexts) names.push_back(context.name);
  return names;
}

absl::StatusOr<std::string> ContextFilePath() {
  if (const auto folder = NonEmptyVariable("BURNISH_CONFIG_DIR")) return *folder + "/config.yaml";
  if (const auto home = NonEmptyVariable("XDG_CONFIG_HOME")) return *home + "/burnish/config.yaml";
  if (const auto home = NonEmptyVariable("HOME")) return *home + "/.config/burnish/config.yaml";
  return InvalidInput("there is no place for contexts: HOME is not set",
                      "set BURNISH_CONFIG_DIR to a folder you may write");
}

absl::StatusOr<ContextFile> LoadContexts() {
  const auto path = ContextFilePath();
  std::error_code ignored;
  if (!path.ok() || !fs::exists(*path, ignored)) return ContextFile();
  const auto text = ReadFile(*path, kConfigBytes);
  if (!text.ok()) {
    return InvalidInput(std::string(text.status().message()), "it holds your contexts");
  }
  return ParseContexts(*path, *text);
}

absl::Status SaveContexts(const ContextFile& file) {
  ASSIGN_OR_RETURN(const std::string path, ContextFilePath());
  absl::Status saved = MakeFolders(fs::path(path).parent_path().string());
  if (saved.ok()) saved = WriteFileAtomically(path, FormatContexts(file), /*durable=*/true);
  if (saved.ok()) return saved;
  return InvalidInput(absl::StrCat("cannot keep contexts: ", std::string(saved.message())),
                      "set BURNISH_CONFIG_DIR to a folder you may write");
}

absl::StatusOr<std::optional<ProjectFile>> FindProjectFile(const std::string& folder) {
  std::error_code ignored;
  for (fs::path place = folder; true; place = place.parent_path()) {
    const std::string path = (place / kProjectFileName).string();
    if (fs::is_regular_file(path, ignored)) {
      const auto text = ReadFile(path, kConfigBytes);
      if (!text.ok()) return InvalidInput(std::string(text.status().message()));
      ASSIGN_OR_RETURN(ProjectFile project, ParseProjectFile(path, *text));
      return project;
    }
    if (!place.has_relative_path()) return std::nullopt;
  }
}

absl::StatusOr<ContextFile> ParseContexts(const std::string& path, const std::string& text) {
  ASSIGN_OR_RETURN(const auto document, spec::Document::Parse(path, text));
  const spec::Node& root = document->root();
  ContextFile file;
  if (root.kind == spec::Node::Kind::kNull) return file;
  RETURN_IF_ERROR(spec::CheckMapping(root, "write `contexts: {NAME: {server: HOST:PORT}}`"));
  RETURN_IF_ERROR(spec::CheckKeys(root, {{"current", "contexts"}}));
  RETURN_IF_ERROR(ReadOptionalText(root, "current", file.current));
  if (const spec::Node* contexts = root.Find("contexts")) {
    RETURN_IF_ERROR(spec::CheckMapping(*contexts));
    for (const spec::Node* node : contexts->children) {
      ASSIGN_OR_RETURN(NamedContext context, ReadContext(*node));
      file.contexts.push_back(std::move(context));
    }
  }
  return file;
}

std::string FormatContexts(const ContextFile& file) {
  std::string text = "# Written by `burnish context`; may be edited by hand.\n";
  if (!file.current.empty()) absl::StrAppend(&text, "current: ", Quoted(file.current), "\n");
  absl::StrAppend(&text, "contexts:", file.contexts.empty() ? " {}\n" : "\n");
  for (const NamedContext& context : file.contexts) {
    absl::StrAppend(&text, "  ", Quoted(context.name), ":\n");
    for (const TextField& field : kTextFields) {
      const std::string& value = context.*field.member;
      if (!value.empty()) absl::StrAppend(&text, "    ", field.key, ": ", Quoted(value), "\n");
    }
    if (context.insecure) absl::StrAppend(&text, "    insecure: true\n");
  }
  return text;
}

absl::StatusOr<ProjectFile> ParseProjectFile(const std::string& path, const std::string& text) {
  ASSIGN_OR_RETURN(const auto document, spec::Document::Parse(path, text));
  const spec::Node& root = document->root();
  ProjectFile project{.path = path};
  if (root.kind == spec::Node::Kind::kNull) return project;
  RETURN_IF_ERROR(spec::CheckMapping(root, "write `context: NAME` or `server: HOST:PORT`"));
  RETURN_IF_ERROR(spec::CheckKeys(root, {{"server", "context", "namespace"}}));
  RETURN_IF_ERROR(ReadOptionalText(root, "server", project.server));
  RETURN_IF_ERROR(ReadOptionalText(root, "context", project.context));
  RETURN_IF_ERROR(ReadOptionalText(root, "namespace", project.owner));
  return project;
}

}  // namespace burnish::cli
