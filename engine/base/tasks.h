// Tasks of programs (torch.jit.fork): work that another thread may do until somebody waits for it.
//
// A pool of at most `task_threads` threads takes tasks in the order in which they were offered.
// Whoever waits for a task that nobody has started runs it himself, so that a wait within a task
// never keeps a thread from what it waits for. A task can only wait for older ones, so there are no
// cycles of waits. Where many tasks wait already, one runs where it is offered. A process that
// forked starts with a pool of its own (thread_pool.h).
#pragma once

#include <atomic>
#include <exception>

#include "engine/base/ref.h"

namespace fusillade {

class Task : public Counted {
 public:
  virtual ~Task() = default;
  // Runs it here if nobody has started it. Throws nothing: errors are kept for `wait`.
  void run();
  // Returns when it is done; throws what it threw, to everybody who waits.
  void wait();
  // Returns when it is done, whatever came of it.
  void join();
  bool is_done() const { return state_.load(std::memory_order_acquire) == kDone; }
  std::exception_ptr error() const { return error_; }  // of one that is done

 protected:
  virtual void work() = 0;

 private:
  static constexpr int kWaiting = 0, kRunning = 1, kDone = 2;
  std::atomic<int> state_{kWaiting};
  std::exception_ptr error_;
};

// How many threads do tasks; 0: each is done where it is offered.
int64_t task_threads();
// Hands it to the pool, or does it here.
void offer(const Ref<Task>& task);

}  // namespace fusillade
