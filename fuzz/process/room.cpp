// See room.h.
#include "fuzz/process/room.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include "engine/base/error.h"

namespace fusillade::fuzz {
namespace {

// Address space that an arena of malloc's reserves, a thread's stack, and the buffer that OpenBLAS
// maps for a thread that multiplies matrices: without it that thread asks for it without end.
constexpr size_t kOfAThread = (size_t{64} + 8 + 128) << 20;

// Of this process now: all of its address space.
size_t mapped_bytes() {
  unsigned long pages = 0;
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  if (!f) return 0;
  const int got = std::fscanf(f, "%lu", &pages);
  std::fclose(f);
  return got == 1 ? pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

size_t threads() { return std::max(1u, std::thread::hardware_concurrency()); }

void require(int resource, const char* flag, size_t needed, size_t megabytes) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (limit.rlim_cur >= needed) {
    mallopt(M_ARENA_MAX, static_cast<int>(threads()));  // eight times as many else
    return;
  }
  fail(
      "ulimit {} leaves a process {} MB; with --rss-limit-mb {} it may need {} MB: raise the one "
      "or lower the other",
      flag, static_cast<size_t>(limit.rlim_cur) >> 20, megabytes, needed >> 20);
}

}  // namespace

void require_room(const Limits& limits) {
  const size_t needed = mapped_bytes() + (limits.megabytes << 20) + threads() * kOfAThread;
  require(RLIMIT_AS, "-v", needed, limits.megabytes);
  require(RLIMIT_DATA, "-d", needed, limits.megabytes);
}

size_t machine_megabytes() {
  struct sysinfo info{};
  if (sysinfo(&info) != 0) return 0;
  size_t bytes = info.totalram * info.mem_unit;
  std::ifstream file("/sys/fs/cgroup/memory.max");
  size_t granted = 0;
  if (file >> granted && granted > 0) bytes = std::min(bytes, granted);
  return bytes >> 20;
}

}  // namespace fusillade::fuzz
