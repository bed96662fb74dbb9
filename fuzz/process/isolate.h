// Runs a job in a child with limits of memory, and of time for each unit of its work (heartbeat.h),
// so that a crash, a hang or an allocation spree of the engine is an answer and not the end. The
// job's string comes back over a channel.
#pragma once

#include <functional>
#include <string>

#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

struct ChildResult {
  enum class Kind { Done, Crash, Hang, Memory };
  Kind kind = Kind::Done;
  int signal = 0;  // Crash: the signal, or 0 when the child exited with `status`
  int status = 0;
  std::string output;  // Done: what the job returned
  std::string log;     // the tail of what it wrote to stderr (sanitizer reports)

  // "does not end in time: still in the loop at f.py:3:4 after 2 s", for people; of one that is not
  // done.
  std::string how_lost() const;
};

// `stop` is asked while the job runs; where it says true the child is killed: a Crash. Throws
// Unstartable where the job did.
ChildResult run_isolated(const std::function<std::string()>& job, const Limits& limits,
                         const std::function<bool()>& stop = {});

}  // namespace fusillade::fuzz
