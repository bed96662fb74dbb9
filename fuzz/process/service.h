// A worker program that speaks the protocol of channel.h: started when it is first needed, and
// again after it was ended. A forked child starts its own, unless its parent lends it the one that
// runs (Lent). One that forks (`forks: 1` in its hello) is started once, as the fork server of all
// that are needed, also by forked children.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/process/channel.h"
#include "fuzz/process/fork_server.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

// How a worker was lost that had to be ended, or was not to be started.
struct Lost {
  enum class How : uint8_t { Died, Babbled, Late, Memory };
  How how = How::Died;
  Ending ending;           // Died
  bool lives = false;      // Died: it closed its end and had to be ended
  std::string log;         // Died: the end of what it wrote to stderr, where that is kept
  std::string last_begin;  // the body of its last `begin` in this exchange
};

struct ServiceOptions {
  double seconds_to_start = 10;   // of processor time, until its hello
  size_t megabytes = 0;           // of resident set; 0: no limit
  bool keep_log = false;          // of stderr, else it is ours
  std::string name = "a worker";  // in messages on stderr
  // Why no start can succeed, whatever is tried; asked with what the one that failed wrote to
  // stderr. Empty: one may.
  std::function<std::string(const std::string& log)> hopeless = {};
  bool keeps_time = false;      // is ended in time, so that who waits for it is alive (heartbeat.h)
  void (*give_up)() = nullptr;  // rights, before the command (confine.h)
};

class Service {
 public:
  // The words of the command that is the worker.
  explicit Service(std::vector<std::string> command, ServiceOptions options = {})
      : command_(std::move(command)), options_(options) {}

  Service(const Service&) = delete;
  ~Service();

  // While one lives, children that are forked talk to the workers that run here, one at a time:
  // whoever forks waits for the child and asks nothing meanwhile.
  class Lent {
   public:
    Lent() : before_(std::exchange(lent_, true)) {}
    ~Lent() { lent_ = before_; }

   private:
    bool before_;
  };

  // Starts its fork server, where it has one, so that forked children need not, with these ready.
  void nurse(const std::vector<std::string>& warm);
  // Does it run, or can it be started? A start without a hello is reported on stderr and tried
  // again, some times, each after a longer pause; where all of them fail it cannot for good.
  bool ready();
  // What it said of itself: name, version, forms, values...
  const std::map<std::string, std::string>& hello() const { return hello_; }
  // Sends `requests` (Channel::append) and receives so many answers. None when the worker had to be
  // ended: it died, babbled, or used so many seconds of processor time. Only when ready().
  std::optional<std::vector<Message>> exchange(const std::string& requests, size_t answers,
                                               double seconds);
  // Was the worker that runs asked nothing yet, by this process or by those that it was lent to?
  bool fresh() const { return asked_ && *asked_ == 0; }
  // How it was lost, after an exchange without answers, or a start that failed.
  const Lost& failure() const { return lost_; }
  std::string why_lost() const;  // for people
  // Counts the workers started: this one does not know what was sent to an earlier one.
  int generation() const { return generation_; }
  void stop();

 private:
  void open_log();
  void close_log();
  void start();
  bool start_once();
  bool try_again(int attempt) const;
  void spawn_worker();
  bool fork_worker();
  bool receive_hello();
  bool receive(Message& message, Deadline& deadline);
  bool receive_answer(Message& message, Deadline& deadline);
  void lose(Lost::How how);

  static inline thread_local bool lent_ = false;
  std::vector<std::string> command_;
  ServiceOptions options_;
  std::shared_ptr<ForkServer> fork_server_;
  Child child_;
  Channel channel_;
  Lost lost_;
  std::shared_ptr<std::atomic<int>> asked_;  // exchanges of the worker, counted by all who lend it
  int log_ = -1;
  int generation_ = 0;
  bool useless_ = false;
  std::map<std::string, std::string> hello_;
};

}  // namespace fusillade::fuzz
