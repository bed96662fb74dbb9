// Child processes: the one place that forks.
//
// A child runs a body in a copy of this process, or becomes another program (`become`). It dies
// with its parent (Linux PDEATHSIG; at once, if that is gone already), ignores SIGINT, SIGHUP and
// SIGUSR1 (the parent decides what they mean), has the other signals' default handling and leaves
// no core file. It exits with 0 when the body returns, kOutOfMemory on std::bad_alloc, and with a
// message on stderr when the body throws anything else: with kLackStatus where the machine lacked
// something (engine/base/lack.h), kCannotStart where the worker of an engine cannot be started
// (unstartable.h), else with 1.
//
// The caller must be single-threaded: a fork copies only the calling thread.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/process/channel.h"
#include "fuzz/process/grounds.h"

namespace fusillade::fuzz {

inline constexpr int kOutOfMemory = 86;
inline constexpr int kCannotStart = 88;
inline constexpr int kCannotExec = 127;

struct Limits {
  double seconds = 10;      // for a unit of work (heartbeat.h)
  size_t megabytes = 2048;  // of resident set, and of allocations by the engine; 0: none
};

struct SpawnOptions {
  std::string name = "child";   // for messages
  size_t megabytes = 0;         // budget of allocations by the engine; 0: none
  int input = -1, output = -1;  // become its stdin and stdout; -1: the parent's
  int errors = -1;              // stderr
  bool keep_log = false;        // the tail of stderr is kept (Child::log) and not shown
  int death_signal = SIGKILL;   // what it gets when its parent dies
  // Runs strangers' programs: gives up rights first (confine.h), and may change files only on these
  // grounds, for one. None: it keeps all rights.
  std::shared_ptr<const Grounds> confined_to = nullptr;
};

struct Ending {
  int signal = 0;  // that ended it; 0: it exited with `status`
  int status = 0;
  bool clean() const { return signal == 0 && status == 0; }
  // Signals that people and schedulers send, and no failing program: they say nothing about it.
  bool from_outside() const {
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
           signal == SIGXCPU || signal == SIGUSR1;
  }
};

// A child that is not reaped yet; killed and reaped when let go of. A copy of this object in a
// forked process is nobody's parent and does nothing.
class Child {
 public:
  Child() = default;
  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept;
  ~Child() { end(); }

  // One that another process forked for this one (fork_server.h), which reports on `status` how it
  // ended.
  static Child of_fork_server(int pid, Channel status);

  bool alive() const { return pid_ != 0; }  // not reaped
  bool ours() const;                        // is this process its parent?
  void kill() const;                 // with SIGKILL, and all below it; it is still to be reaped
  void kill_borrowed() const;        // of our parent, which waits for us: and sees it end
  std::optional<Ending> try_reap();  // reaps it, if it has
  std::optional<Ending> ended_borrowed() const;  // how a child of our parent did, which reaps it
  Ending wait();                                 // until it ends, and reaps it
  void end();                                    // kills and reaps it

  double processor_seconds() const;   // used in its life
  double queued_seconds() const;      // its main thread's, waiting for a processor; 0: unknown
  double running_seconds() const;     // its main thread's, on a processor; 0: unknown
  bool wants_processor() const;       // its main thread runs or is queued
  bool is_stopped() const;            // by a signal (SIGSTOP) or a debugger
  size_t resident_megabytes() const;  // 0 when it is gone
  bool beyond(size_t megabytes) const { return megabytes && resident_megabytes() > megabytes; }

  int log_fd() const { return log_fd_; }           // readable when stderr has more; -1: at its end
  void read_log();                                 // what is there, without waiting
  const std::string& log() const { return log_; }  // its last part

 private:
  char state() const;  // of its main thread, as /proc says it: 'R' runs; '\0': unknown
  friend Child spawn(const std::function<void()>& body, const SpawnOptions& options);
  // How it ended, where a fork server reports it; none: it has not. Keeps what is reported.
  std::optional<int> peek_status(bool wait) const;
  int pid_ = 0;
  int owner_ = 0;
  Channel status_;  // of a fork server's
  int log_fd_ = -1;
  std::string log_;
};

// Throws Error when there is no process to be had.
Child spawn(const std::function<void()>& body, const SpawnOptions& options = {});

// Is it a child of this process that spawn() started and nobody reaped yet?
bool is_spawned(int pid);

// In a body: becomes the program words[0], looked for in PATH; else exits with kCannotExec.
[[noreturn]] void become(const std::vector<std::string>& words);

// A limit of time from now on; 0 seconds: none.
class Deadline {
 public:
  explicit Deadline(double seconds);  // of the wall's clock
  // Of the child's processor time, so that a busy machine changes nothing. A child that waits and
  // uses none has a minute of the clock; of a time when nobody looked, as this process was stopped,
  // a second counts.
  Deadline(const Child& child, double seconds);
  bool has_passed();

 private:
  using Clock = std::chrono::steady_clock;
  const Child* child_ = nullptr;
  double seconds_;
  double used_ = 0;  // of processor time, when last seen to grow
  Clock::time_point since_ = Clock::now();
  Clock::time_point looked_ = Clock::now();
};

}  // namespace fusillade::fuzz
