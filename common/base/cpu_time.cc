#include "common/base/cpu_time.h"

#include <ctime>

namespace burnish {

namespace {

double Seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

double ProcessCpuSeconds() { return Seconds(CLOCK_PROCESS_CPUTIME_ID); }

double ThreadCpuSeconds() { return Seconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace burnish
