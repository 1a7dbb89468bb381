// What a compiled candidate takes beside the buffers of its arguments, read from its file: the
// variables that it keeps (static, thread-local of one thread) and its machine code. Pure but for
// reading.
#pragma once

#include <optional>
#include <string>

#include "agent/backends/backend.h"

namespace burnish::backends::cpu {

// Nothing for what is no shared library of this machine.
std::optional<Footprint> ReadFootprint(const std::string& library_path);

}  // namespace burnish::backends::cpu
