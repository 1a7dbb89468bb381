// The log of server and agent: JSON lines for machines, coloured text for people at a terminal.
#pragma once

#include <string>

#include "common/base/log.h"

namespace burnish::telemetry {

// Takes over the log from here on, by flags and by BURNISH_LOG. Without a format: text if standard
// error is a terminal, else JSON. Once, before other threads start.
void StartLog(const LogOptions& options);

// One JSON object: ts, level, event, then the fields in their order.
std::string LogJson(const LogEvent& event);

}  // namespace burnish::telemetry
