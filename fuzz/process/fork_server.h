// Workers forked from one that has started: what it imports is imported once, however many die, and
// however many processes want one of their own (jobs, triages).
//
// A worker that says `forks: 1` takes the message `fork` with three descriptors: the socket that is
// the new worker's channel, its stderr, and a socket that reports the number of its process and,
// when it has ended, how. When that socket is closed here, the worker is killed. A fork server is
// given no programs. Forked copies of this process may go on asking it; it dies with the process
// that started it, and its workers with it.
#pragma once

#include <optional>
#include <string>

#include "fuzz/process/channel.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

class ForkServer {
 public:
  ForkServer(Child process, Channel channel)
      : process_(std::move(process)), channel_(std::move(channel)) {}
  // What the workers to come are to have ready (a word of the worker's); costs its time now.
  void warm(const std::string& what);
  // A worker, on these descriptors, which it copies. None when the fork server is gone, or did not
  // answer within so many seconds of processor time.
  std::optional<Child> fork(int channel, int errors, double seconds);

 private:
  Child process_;
  Channel channel_;
};

}  // namespace fusillade::fuzz
