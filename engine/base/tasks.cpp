// See tasks.h.
#include "engine/base/tasks.h"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/options.h"
#include "engine/base/probe.h"

namespace fusillade {
namespace {

const Option<int64_t> kThreads("task_threads", -1,
                               "threads that run forked tasks; 0: none, -1: one for each core",
                               "-1..1024");
constexpr int64_t kMostThreads = 64;
constexpr size_t kMostWaiting = 256;

Probe probe_elsewhere("tasks/another-thread");
Probe probe_full("tasks/queue-full");

class TaskPool {
 public:
  TaskPool(pid_t pid, TaskPool* previous) : pid_(pid), previous_(previous) {}
  pid_t pid() const { return pid_; }

  // False when there is no room.
  bool add(const Ref<Task>& task, int64_t threads) {
    {
      std::lock_guard lock(mutex_);
      if (queue_.size() >= kMostWaiting) return false;
      queue_.push_back(task);
      if (idle_ == 0 && started_ < threads) {
        try {
          std::thread(&TaskPool::serve, this).detach();
          ++started_;
        } catch (const std::system_error&) {
          if (started_ > 0) return true;
          queue_.pop_back();
          return false;
        }
      }
    }
    wake_.notify_one();
    return true;
  }

 private:
  void serve() {
    for (;;) {
      Ref<Task> task;
      {
        std::unique_lock lock(mutex_);
        ++idle_;
        wake_.wait(lock, [&] { return !queue_.empty(); });
        --idle_;
        task = std::move(queue_.front());
        queue_.pop_front();
      }
      if (!task->is_done()) probe_elsewhere.hit();
      task->run();
    }
  }

  pid_t pid_;
  [[maybe_unused]] TaskPool* previous_;  // keeps the old pool reachable
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Ref<Task>> queue_;
  int64_t started_ = 0;
  int64_t idle_ = 0;
};

std::atomic<TaskPool*> g_tasks{nullptr};

TaskPool& pool() {
  pid_t pid = getpid();
  TaskPool* current = g_tasks.load();
  while (!current || current->pid() != pid) {
    auto created = std::make_unique<TaskPool>(pid, current);
    if (g_tasks.compare_exchange_strong(current, created.get())) current = created.release();
  }
  return *current;
}

}  // namespace

void Task::run() {
  int waiting = kWaiting;
  if (!state_.compare_exchange_strong(waiting, kRunning)) return;
  try {
    work();
  } catch (...) {
    error_ = std::current_exception();
  }
  state_.store(kDone, std::memory_order_release);
  state_.notify_all();
}

void Task::join() {
  run();
  for (int now = state_.load(std::memory_order_acquire); now != kDone;
       now = state_.load(std::memory_order_acquire))
    state_.wait(now);
}

void Task::wait() {
  join();
  if (error_) std::rethrow_exception(error_);
}

int64_t task_threads() {
  const int64_t asked = kThreads.get();
  if (asked < -1) fail("option task_threads is {}; legal are -1 (one per core) and more", asked);
  const auto cores = static_cast<int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  return std::min(asked < 0 ? cores : asked, kMostThreads);
}

void offer(const Ref<Task>& task) {
  const int64_t threads = task_threads();
  if (threads > 0 && pool().add(task, threads)) return;
  if (threads > 0) probe_full.hit();
  task->run();
}

}  // namespace fusillade
