// See watchdog.h. The handler calls only what is safe in one (signal-safety(7)): its messages are
// formatted beforehand.
#include "fuzz/process/watchdog.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "engine/base/error.h"
#include "engine/base/visible.h"
#include "engine/ir/loop_watch.h"
#include "fuzz/process/exit_code.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTick = 20000;     // microseconds
constexpr int kPatience = 100;   // milliseconds
constexpr double kGrace = 0.25;  // seconds in which a loop can say where it is

struct Watch {
  timespec end{};
  double seconds = 0;
  size_t most_pages = 0;
  bool timed = false;
  std::string too_long, too_much;
};
Watch* watch = nullptr;

// Nobody may read stderr: a pipe that is full would hold the message, and this process with it.
[[noreturn]] void stop(const std::string& message, int code) {
  pollfd err{STDERR_FILENO, POLLOUT, 0};
  [[maybe_unused]] ssize_t n = 0;
  if (poll(&err, 1, kPatience) > 0) n = write(STDERR_FILENO, message.data(), message.size());
  _exit(code);
}

// Of the second number of statm; 0 when it cannot be read.
size_t resident_pages() {
  char text[128];
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, text, sizeof text);
  close(fd);
  size_t pages = 0;
  int word = 0;
  for (ssize_t i = 0; i < n && word < 2; ++i) {
    if (text[i] == ' ') ++word;
    else if (word == 1) pages = pages * 10 + static_cast<size_t>(text[i] - '0');
  }
  return pages;
}

// Seconds behind the limit of time; before it, negative.
double lateness() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec - watch->end.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - watch->end.tv_nsec);
}

void look_in_loop(const Node* loop) {
  if (lateness() <= 0) return;
  // The place is the file's word for it.
  const std::string place =
      loop->range.valid() ? " in the loop at " + visible_line(loop->range.where()) : "";
  stop(fmt::format("fusillade: error: stopped after {} s{} (--timeout)\n", watch->seconds, place),
       kTimeout);
}

void look(int) {
  const int saved = errno;
  if (watch->timed && lateness() > kGrace) stop(watch->too_long, kTimeout);
  if (watch->most_pages && resident_pages() > watch->most_pages) stop(watch->too_much, kMemory);
  errno = saved;
}

}  // namespace

void limit_this_process(const Limits& limits) {
  if (limits.seconds <= 0 && limits.megabytes == 0) return;
  FUS_CHECK(!watch, "this process has its limits");
  watch = new Watch;
  watch->timed = limits.seconds > 0;
  watch->seconds = limits.seconds;
  clock_gettime(CLOCK_MONOTONIC, &watch->end);
  const auto whole = static_cast<time_t>(limits.seconds);
  watch->end.tv_sec += whole;
  watch->end.tv_nsec += static_cast<long>((limits.seconds - static_cast<double>(whole)) * 1e9);
  if (watch->end.tv_nsec >= 1000000000) {
    ++watch->end.tv_sec;
    watch->end.tv_nsec -= 1000000000;
  }
  watch->most_pages = (limits.megabytes << 20) / static_cast<size_t>(sysconf(_SC_PAGESIZE));
  watch->too_long =
      fmt::format("fusillade: error: stopped after {} s (--timeout)\n", limits.seconds);
  watch->too_much = fmt::format("fusillade: error: stopped at more than {} MB (--rss-limit-mb)\n",
                                limits.megabytes);
  struct sigaction action{};
  action.sa_handler = look;
  action.sa_flags = SA_RESTART;
  itimerval tick{{0, kTick}, {0, kTick}};
  if (sigaction(SIGALRM, &action, nullptr) != 0 || setitimer(ITIMER_REAL, &tick, nullptr) != 0)
    fail("cannot watch this process: {}", std::strerror(errno));
  if (watch->timed) watch_loops(&look_in_loop);
  look(0);  // what is short may end before the first tick
}

}  // namespace fusillade::fuzz
