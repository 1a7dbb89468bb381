// The formats behind Read, each from its parsed text into a fresh builder. Errors are Diagnostics
// with a JSON path.
#pragma once

#include "absl/status/status.h"
#include "common/measured/json_tree.h"
#include "common/measured/space_builder.h"

namespace burnish::measured {

absl::Status ReadT4(const JsonValue& root, SpaceBuilder& builder);
// `json` may have ended early: Kernel Tuner closes its file last.
absl::Status ReadKernelTunerCache(const JsonText& json, SpaceBuilder& builder);
absl::Status ReadKtt(const JsonValue& root, SpaceBuilder& builder);
absl::Status ReadClblast(const JsonValue& root, SpaceBuilder& builder);
// CLBlast's text, which escapes nothing and prints numbers by the locale, as JSON with the same
// lines.
std::string RepairClblast(std::string_view text);

}  // namespace burnish::measured
