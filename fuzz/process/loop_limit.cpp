// See loop_limit.h. Processor time, as a thread that waits for a busy machine is in no endless
// loop.
#include "fuzz/process/loop_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "engine/base/visible.h"
#include "engine/ir/loop_watch.h"
#include "fuzz/process/heartbeat.h"

namespace fusillade::fuzz {
namespace {

struct LoopLimit {
  double seconds = 0;
  bool says = false;
};
LoopLimit limit;

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void end_late(const Node* loop) {
  thread_local int64_t unit = -1;  // the heartbeat that it began with
  thread_local double began = 0;   // of this thread's time
  const double now = thread_seconds();
  if (const int64_t beat = last_heartbeat(); beat != unit) {
    unit = beat;
    began = now;
  }
  if (now - began < limit.seconds) return;
  if (limit.says) {
    const std::string place =
        loop->range.valid() ? visible_line(loop->range.where()) : "an unknown place";
    std::fputs(fmt::format("{}{} after {:g} s\n", kStillInLoop, place, limit.seconds).c_str(),
               stderr);
  }
  _exit(kEndlessLoop);
}

}  // namespace

void limit_loops(double seconds, bool says) {
  limit = {seconds, says};
  watch_loops(&end_late);
}

}  // namespace fusillade::fuzz
