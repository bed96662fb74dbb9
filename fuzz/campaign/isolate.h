// Runs a job in a forked child with time and memory limits, so that a crash, a hang or an
// allocation spree of the engine is an answer and not the end.
//
// The child gets the job's string back to the parent through a pipe. It dies with its parent (Linux
// PDEATHSIG). The caller must be single-threaded: a fork copies only the calling thread.
#pragma once

#include <functional>
#include <string>

namespace fusillade::fuzz {

struct Limits {
  double seconds = 10;
  size_t megabytes = 2048;  // of address space growth beyond the parent's; 0: none
};

struct ChildResult {
  enum class Kind { Done, Crash, Hang, Memory };
  Kind kind = Kind::Done;
  int signal = 0;  // Crash: the signal, or 0 when the child exited with `status`
  int status = 0;
  std::string output;  // Done: what the job returned
  std::string log;     // the tail of what it wrote to stderr (sanitizer reports)
};

ChildResult run_isolated(const std::function<std::string()>& job, const Limits& limits);

// In a fresh child of the process `parent`: die with it (at once, if it is gone already), limit
// memory, default signal handling, no core file.
void enter_child(const Limits& limits, int parent);

// Resident set of a process in MB (0 when it is gone).
size_t resident_megabytes(int pid);

}  // namespace fusillade::fuzz
