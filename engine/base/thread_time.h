// How long this thread has computed: what other programs do meanwhile is no cost of its work.
#pragma once

#include <ctime>

namespace fusillade {

inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace fusillade
