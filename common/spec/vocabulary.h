// The words a job file may use: languages, operators, metrics, strategies, backends, and what a
// `devices:` expression may name. One place, against which the parts that serve them are tested.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/spec/fields.h"

namespace burnish::spec {

const Vocabulary& Languages();
// The language of kernels without code, whose devices answer from files.
inline constexpr const char* kReplayLanguage = "replay";
const Vocabulary& Operators();
const Vocabulary& Metrics();
const Vocabulary& Strategies();
const Vocabulary& Backends();

// backend, name, device_class, vendor, arch, cores, memory_bytes, isa, isolation, and label.KEY.
const std::vector<std::string>& SelectorNames();
bool IsSelectorName(std::string_view name);

}  // namespace burnish::spec
