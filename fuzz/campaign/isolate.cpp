// See isolate.h. Memory is limited by watching the resident set (address space limits do not work
// under ASan, which reserves terabytes) and by the engine's own allocation budget.
#include "fuzz/campaign/isolate.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "engine/base/error.h"
#include "engine/tensor/tensor.h"

// What a sanitizer finds ends the process with a signal, as any other crash.
extern "C" {
const char* __asan_default_options() { return "abort_on_error=1"; }
const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
}

namespace fusillade::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStatusMemory = 86;  // the child ran out of its allocation budget
constexpr size_t kLogTail = 64 * 1024;

double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

void write_all(int fd, const std::string& text) {
  size_t at = 0;
  while (at < text.size()) {
    ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += static_cast<size_t>(n);
  }
}

[[noreturn]] void child_main(const std::function<std::string()>& job, const Limits& limits,
                             pid_t parent, int out, int log) {
  dup2(log, STDERR_FILENO);
  enter_child(limits, parent);
  try {
    write_all(out, job());
  } catch (const std::bad_alloc&) {
    _exit(kStatusMemory);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "the isolated job threw: %s\n", e.what());
    _exit(1);
  }
  _exit(0);
}

// Reads what is there; false at end of file.
bool drain(int fd, std::string& into, size_t keep) {
  char buffer[65536];
  ssize_t n = read(fd, buffer, sizeof buffer);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  into.append(buffer, static_cast<size_t>(n));
  if (keep && into.size() > 2 * keep) into.erase(0, into.size() - keep);
  return true;
}

}  // namespace

void enter_child(const Limits& limits, int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before it could be asked for
  for (int s : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD}) signal(s, SIG_DFL);
  signal(SIGINT, SIG_IGN);  // the parent decides what an interrupt means
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (limits.megabytes) Storage::set_budget(limits.megabytes * 1024 * 1024);
}

size_t resident_megabytes(int pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/statm", pid);
  FILE* f = std::fopen(path, "r");
  if (!f) return 0;
  unsigned long total = 0;
  unsigned long resident = 0;
  int got = std::fscanf(f, "%lu %lu", &total, &resident);
  std::fclose(f);
  return got == 2 ? resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20 : 0;
}

ChildResult run_isolated(const std::function<std::string()>& job, const Limits& limits) {
  int out[2];
  int log[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(log, O_CLOEXEC) != 0) {
    fail("cannot make a pipe: {}", std::strerror(errno));
  }
  std::fflush(nullptr);
  Clock::time_point start = Clock::now();
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid < 0) fail("cannot fork: {}", std::strerror(errno));
  if (pid == 0) child_main(job, limits, parent, out[1], log[1]);
  close(out[1]);
  close(log[1]);
  for (int fd : {out[0], log[0]}) fcntl(fd, F_SETFL, O_NONBLOCK);

  ChildResult result;
  bool open_out = true;
  bool open_log = true;
  bool killed = false;
  while (open_out || open_log) {
    pollfd fds[2] = {{open_out ? out[0] : -1, POLLIN, 0}, {open_log ? log[0] : -1, POLLIN, 0}};
    poll(fds, 2, 50);
    if (fds[0].revents) open_out = drain(out[0], result.output, 0);
    if (fds[1].revents) open_log = drain(log[0], result.log, kLogTail);
    if (killed) continue;
    if (limits.seconds > 0 && seconds_since(start) > limits.seconds) {
      result.kind = ChildResult::Kind::Hang;
    } else if (limits.megabytes && resident_megabytes(pid) > limits.megabytes) {
      result.kind = ChildResult::Kind::Memory;
    } else {
      continue;
    }
    kill(pid, SIGKILL);
    killed = true;
  }
  close(out[0]);
  close(log[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (killed) return result;
  if (WIFSIGNALED(status)) {
    result.kind = ChildResult::Kind::Crash;
    result.signal = WTERMSIG(status);
  } else if (WEXITSTATUS(status) == kStatusMemory) {
    result.kind = ChildResult::Kind::Memory;
  } else if (WEXITSTATUS(status) != 0) {
    result.kind = ChildResult::Kind::Crash;
    result.status = WEXITSTATUS(status);
  }
  return result;
}

}  // namespace fusillade::fuzz
