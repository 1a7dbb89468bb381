// The same figure of a service that others use: Google's open-source Vizier.
#pragma once

#include "tests/bench/report.h"

namespace burnish::bench {

// Trials per second through suggest and complete of a Vizier service with its SQLite datastore,
// installed from PyPI into a virtual environment beside the program; a remark where it cannot be
// had.
void MeasureVizier(Report& report);

}  // namespace burnish::bench
