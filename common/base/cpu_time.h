// CPU time, for figures about our own work.
#pragma once

namespace burnish {

double ProcessCpuSeconds();
double ThreadCpuSeconds();  // of the calling thread

}  // namespace burnish
