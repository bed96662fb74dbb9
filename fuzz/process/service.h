// A worker program that speaks the protocol of channel.h: started when it is first needed, and
// again after it was ended. A forked child starts its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/process/channel.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

class Service {
 public:
  // The words of the command that is the worker.
  explicit Service(std::vector<std::string> command) : command_(std::move(command)) {}

  // Runs it, or can it be started? It cannot for good when it never said hello.
  bool ready();
  // What it said of itself: name, version, forms, values...
  const std::map<std::string, std::string>& hello() const { return hello_; }
  // Sends `requests` (Channel::append) and receives so many answers. None when the worker had to be
  // ended: it died, babbled, or used so many seconds of processor time. Only when ready().
  std::optional<std::vector<Message>> exchange(const std::string& requests, size_t answers,
                                               double seconds);

 private:
  void start();
  bool greeted();
  bool receive(Message& message, Deadline& deadline);
  void stop();

  std::vector<std::string> command_;
  Child child_;
  Channel channel_;
  bool useless_ = false;
  std::map<std::string, std::string> hello_;
};

}  // namespace fusillade::fuzz
