// See descriptors.h.
#include "fuzz/process/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <mutex>
#include <set>
#include <vector>

namespace fusillade::fuzz {
namespace {

constexpr unsigned kOnExec = 1 << 2;  // CLOSE_RANGE_CLOEXEC

struct Registry {
  std::mutex mutex;
  std::set<int> descriptors;
};

Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

// Of kernels without close_range.
void close_each(unsigned first, unsigned last, unsigned flags) {
  std::vector<unsigned> open;
  DIR* all = opendir("/proc/self/fd");
  if (!all) return;
  while (const dirent* entry = readdir(all)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != dirfd(all)) open.push_back(static_cast<unsigned>(fd));
  }
  closedir(all);
  for (const unsigned fd : open) {
    if (fd < first || fd > last) continue;
    if (flags == kOnExec) fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
    else close(static_cast<int>(fd));
  }
}

void close_between(unsigned first, unsigned last, unsigned flags) {
  if (first <= last && syscall(SYS_close_range, first, last, flags) != 0)
    close_each(first, last, flags);
}

}  // namespace

void keep_in_children(int fd) {
  const std::lock_guard lock(registry().mutex);
  registry().descriptors.insert(fd);
}

void forget_in_children(int fd) {
  const std::lock_guard lock(registry().mutex);
  registry().descriptors.erase(fd);
}

void close_other_descriptors(int also) {
  std::set<int> left = registry().descriptors;
  if (also > STDERR_FILENO) left.insert(also);
  unsigned next = STDERR_FILENO + 1;
  for (const int fd : left) {
    if (fd < static_cast<int>(next)) continue;
    close_between(next, static_cast<unsigned>(fd) - 1, 0);
    next = static_cast<unsigned>(fd) + 1;
  }
  close_between(next, UINT_MAX, 0);
}

void close_descriptors_on_exec() { close_between(STDERR_FILENO + 1, UINT_MAX, kOnExec); }

}  // namespace fusillade::fuzz
