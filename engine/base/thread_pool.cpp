// See thread_pool.h.
//
// The pool is created at the first call that wants more than one thread and grows to the largest
// number asked for. A process that forked starts with a pool of its own. The parent's threads do
// not exist in it, and its locks may be taken, so the old pool is only kept reachable. A loop that
// finds the pool busy with another one, or that a piece of another one starts, runs its pieces
// alone: results do not depend on who runs a piece.
#include "engine/base/thread_pool.h"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/options.h"

namespace fusillade {
namespace {

const Option<int64_t> kThreads(
    "threads", 1,
    "threads of parallel loops in kernels, operators and products; 0: one for each core",
    "0..1024");

thread_local bool in_piece = false;

struct Job {
  void (*body)(void*, int64_t, int64_t);
  void* context;
  int64_t n;
  int64_t piece;
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error = {};  // the first

  void work() {
    in_piece = true;
    try {
      for (;;) {
        int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
        if (begin >= n) break;
        body(context, begin, std::min(n, begin + piece));
      }
    } catch (...) {
      next.store(n);
      if (!failed.exchange(true)) error = std::current_exception();
    }
    in_piece = false;
  }
};

class Pool {
 public:
  Pool(pid_t pid, Pool* previous) : pid_(pid), previous_(previous) {}
  pid_t pid() const { return pid_; }

  // False when another launch has the pool.
  bool run(int64_t helpers, Job& job) {
    std::unique_lock busy(busy_, std::try_to_lock);
    if (!busy.owns_lock()) return false;
    {
      std::lock_guard lock(mutex_);
      try {
        for (; started_ < helpers; ++started_) std::thread(&Pool::serve, this).detach();
      } catch (const std::system_error&) {  // fewer do the work as well
      }
      job_ = &job;
      wanted_ = helpers;
    }
    wake_.notify_all();
    job.work();
    std::unique_lock lock(mutex_);
    wanted_ = 0;  // who has not started yet need not
    done_.wait(lock, [&] { return running_ == 0; });
    job_ = nullptr;
    return true;
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return wanted_ > 0; });
      --wanted_;
      ++running_;
      Job* job = job_;
      lock.unlock();
      job->work();
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  pid_t pid_;
  [[maybe_unused]] Pool* previous_;  // keeps the old pool reachable
  std::mutex busy_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Job* job_ = nullptr;
  int64_t started_ = 0;
  int64_t wanted_ = 0;
  int64_t running_ = 0;
};

std::atomic<Pool*> g_pool{nullptr};

Pool& pool() {
  pid_t pid = getpid();
  Pool* current = g_pool.load();
  while (!current || current->pid() != pid) {
    auto created = std::make_unique<Pool>(pid, current);
    if (g_pool.compare_exchange_strong(current, created.get())) current = created.release();
  }
  return *current;
}

}  // namespace

int64_t thread_count() {
  const int64_t asked = kThreads.get();
  if (asked < 0) fail("option threads is {}; legal are 0 (one per core) and more", asked);
  return asked == 0 ? std::max(1u, std::thread::hardware_concurrency()) : asked;
}

void parallel_for(int64_t threads, int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t),
                  void* context) {
  int64_t pieces = (n + grain - 1) / grain;
  threads = std::min(threads, pieces);
  if (threads <= 1 || in_piece) return body(context, 0, n);
  int64_t per_piece = std::max<int64_t>(1, pieces / (threads * 4)) * grain;
  Job job{body, context, n, per_piece};
  if (!pool().run(threads - 1, job)) job.work();
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace fusillade
