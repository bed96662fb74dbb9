// See fibers.h. Stacks are kept by the host's thread for the next time.
#include "engine/kernel/fibers.h"

#include <ucontext.h>

#include <memory>
#include <vector>

#include "engine/base/error.h"

namespace fusillade::kernel {
namespace {

constexpr size_t kStack = 64 * 1024;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[kStack]};
  bool ended = false;
};

struct Scheduler {
  ucontext_t host;
  std::vector<std::unique_ptr<Fiber>> fibers;
  size_t running = 0;
  void (*body)(void*, int) = nullptr;
  void* context = nullptr;
};

thread_local Scheduler scheduler;

void enter() {
  Scheduler& s = scheduler;
  const size_t mine = s.running;
  s.body(s.context, static_cast<int>(mine));
  s.fibers[mine]->ended = true;
  swapcontext(&s.fibers[mine]->context, &s.host);
}

}  // namespace

void run_fibers(int count, void (*body)(void* context, int fiber), void* context) {
  Scheduler& s = scheduler;
  const size_t n = static_cast<size_t>(count);
  while (s.fibers.size() < n) s.fibers.push_back(std::make_unique<Fiber>());
  s.body = body;
  s.context = context;
  for (size_t i = 0; i < n; ++i) {
    Fiber& f = *s.fibers[i];
    f.ended = false;
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.get();
    f.context.uc_stack.ss_size = kStack;
    f.context.uc_link = nullptr;
    makecontext(&f.context, &enter, 0);
  }
  for (size_t ended = 0; ended < n;) {
    ended = 0;
    for (size_t i = 0; i < n; ++i) {
      s.running = i;
      swapcontext(&s.host, &s.fibers[i]->context);
      ended += s.fibers[i]->ended;
    }
    FUS_CHECK(ended == 0 || ended == n, "{} of {} threads of a block wait for others that ended",
              n - ended, n);
  }
}

void meet() {
  Scheduler& s = scheduler;
  swapcontext(&s.fibers[s.running]->context, &s.host);
}

}  // namespace fusillade::kernel
