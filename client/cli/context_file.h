// The contexts that a person has named: config.yaml under $BURNISH_CONFIG_DIR, else under
// $XDG_CONFIG_HOME/burnish or ~/.config/burnish. Read whole, written whole and atomically, mode
// 0600. And the project file .burnish.yaml, which may choose among them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace burnish::cli {

// The context that stands for this machine's private server; nobody can add one of that name.
inline constexpr char kLocalContext[] = "local";

struct NamedContext {
  std::string name;
  std::string server;
  std::string ca;  // file, as the next two
  std::string tls_certificate;
  std::string tls_key;
  std::string token_file;
  std::string token_command;
  std::string owner;  // namespace
  bool insecure = false;
};

struct ContextFile {
  std::string current;  // empty: none
  std::vector<NamedContext> contexts;

  const NamedContext* Find(std::string_view name) const;
  // For hints: every name, `local` included.
  std::vector<std::string> Names() const;
};

// A project file names a place but gives no token and no permission: it may come with a checkout.
struct ProjectFile {
  std::string path;
  std::string server;
  std::string context;
  std::string owner;
};

// An error if no variable names a folder; creates nothing.
absl::StatusOr<std::string> ContextFilePath();

// Empty if there is no file.
absl::StatusOr<ContextFile> LoadContexts();
absl::Status SaveContexts(const ContextFile& file);

// The nearest .burnish.yaml in `folder` or above it.
absl::StatusOr<std::optional<ProjectFile>> FindProjectFile(const std::string& folder);

// The text forms; errors are Diagnostics with line and column.
absl::StatusOr<ContextFile> ParseContexts(const std::string& path, const std::string& text);
std::string FormatContexts(const ContextFile& file);
absl::StatusOr<ProjectFile> ParseProjectFile(const std::string& path, const std::string& text);

}  // namespace burnish::cli
