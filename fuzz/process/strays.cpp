// See strays.h.
#include "fuzz/process/strays.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <vector>

#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

constexpr int kRounds = 50;  // of 10 ms, for those that fork while they are killed

// By parent, from /proc: "PID (NAME) STATE PARENT ...".
std::multimap<int, int> read_processes() {
  std::multimap<int, int> out;
  DIR* all = opendir("/proc");
  if (!all) return out;
  while (const dirent* entry = readdir(all)) {
    const int pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    char text[512];
    std::snprintf(text, sizeof text, "/proc/%d/stat", pid);
    FILE* file = std::fopen(text, "r");
    if (!file) continue;
    const size_t n = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[n] = 0;
    size_t name = n;
    while (name > 0 && text[name - 1] != ')') --name;
    int parent = 0;
    if (name > 0 && std::sscanf(text + name, " %*c %d", &parent) == 1) out.emplace(parent, pid);
  }
  closedir(all);
  return out;
}

// None where memory runs out: who asks is ending something, often in a destructor.
std::vector<int> descendants_of(int pid) noexcept {
  try {
    const std::multimap<int, int> by_parent = read_processes();
    std::vector<int> out{pid};
    for (size_t i = 0; i < out.size(); ++i) {
      const auto [first, last] = by_parent.equal_range(out[i]);
      for (auto it = first; it != last; ++it) out.push_back(it->second);
    }
    out.erase(out.begin());
    return out;
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace

void adopt_strays() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void end_descendants(int pid) {
  kill(pid, SIGSTOP);
  for (const int below : descendants_of(pid)) kill(below, SIGKILL);
}

void reap_strays() {
  const std::multimap<int, int> by_parent = read_processes();
  const auto [first, last] = by_parent.equal_range(getpid());
  for (auto it = first; it != last; ++it)
    if (!is_spawned(it->second)) waitpid(it->second, nullptr, WNOHANG);
}

void end_strays() {
  if (waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;  // nothing was started
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<int> left = descendants_of(getpid());
    for (const int pid : left) kill(pid, SIGKILL);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (left.empty()) return;
    usleep(10'000);
  }
}

}  // namespace fusillade::fuzz
