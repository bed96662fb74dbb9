// See stop_signals.h.
#include "fuzz/process/stop_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#include "fuzz/process/exit_code.h"

namespace fusillade::fuzz {
namespace {

void leave_no_core() {
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &core);
}

void out_of_processor_time(int) {
  constexpr char kMessage[] =
      "fusillade: error: the limit of processor time is reached (ulimit -t)\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(kUsage);
}

// At the hard limit of processor time the kernel kills without a word: one second is kept.
void be_warned_in_time() {
  rlimit time{};
  if (getrlimit(RLIMIT_CPU, &time) != 0 || time.rlim_max == RLIM_INFINITY) return;
  if (time.rlim_cur < time.rlim_max || time.rlim_max < 2) return;
  time.rlim_cur = time.rlim_max - 1;
  setrlimit(RLIMIT_CPU, &time);
}

}  // namespace

void hold_standard_streams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) open("/dev/null", O_RDONLY);
}

void report_limits() {
  be_warned_in_time();
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGXCPU, &out_of_processor_time);
}

void end_on_stop_signals() {
  const auto end = [](int) {
    constexpr char kMessage[] = "interrupted before anything began\n";
    [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    _exit(kInterrupted);
  };
  on_stop_signals(end, 0);
}

void on_stop_signals(void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1}) {
    struct sigaction before{};
    sigaction(s, nullptr, &before);
    if (s != SIGHUP || before.sa_handler != SIG_IGN) sigaction(s, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  leave_no_core();
}

}  // namespace fusillade::fuzz
