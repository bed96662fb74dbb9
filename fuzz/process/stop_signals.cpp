// See stop_signals.h.
#include "fuzz/process/stop_signals.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

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
  constexpr char kTold[] = "fusillade: error: the limit of processor time is reached (ulimit -t)\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, kTold, sizeof kTold - 1);
  _exit(kUsage);
}

}  // namespace

void tell_limits() {
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGXCPU, &out_of_processor_time);
}

void on_stop_signals(void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    struct sigaction before{};
    sigaction(s, nullptr, &before);
    if (s != SIGHUP || before.sa_handler != SIG_IGN) sigaction(s, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  leave_no_core();
}

}  // namespace fusillade::fuzz
