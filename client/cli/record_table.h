// Measurements of another tuner as the server takes them. Pure.
#pragma once

#include "burnish/v1/import_service.pb.h"
#include "common/measured/measured_space.h"

namespace burnish::cli {

// Failed configurations are records with the latency 0; `infrastructure`, which says nothing of a
// configuration, makes none.
v1::RecordTable RecordTableOf(const measured::MeasuredSpace& measured);

}  // namespace burnish::cli
