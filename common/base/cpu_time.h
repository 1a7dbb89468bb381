// CPU time of this process, for figures about our own work.
#pragma once

namespace burnish {

double ProcessCpuSeconds();

}  // namespace burnish
