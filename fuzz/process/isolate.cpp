// See isolate.h.
#include "fuzz/process/isolate.h"

#include <poll.h>

#include <algorithm>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/lack.h"
#include "engine/base/visible.h"
#include "fuzz/process/channel.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/loop_limit.h"
#include "fuzz/process/unit_clock.h"
#include "fuzz/process/unstartable.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kMostResult = size_t{1} << 30;
constexpr int kTick = 50;  // milliseconds between two looks at the limits

// Reads what the child sends and writes until it closes both, or is beyond its limits.
ChildResult::Kind follow(Child& child, Channel& channel, SharedHeartbeat& heartbeats,
                         const Limits& limits, const std::function<bool()>& stop, Message& answer) {
  const int64_t start = now_us();
  UnitClock clock;
  clock.seconds(child, start);
  ChildResult::Kind kind = ChildResult::Kind::Done;
  while (channel.is_open() || child.log_fd() >= 0) {
    pollfd fds[2] = {{channel.fd(), POLLIN, 0}, {child.log_fd(), POLLIN, 0}};
    poll(fds, 2, kTick);
    if (fds[1].revents) child.read_log();
    if (fds[0].revents) {
      Channel::Got got = channel.receive(answer, 0);
      if (got == Channel::Got::Gone || got == Channel::Got::Babble) channel.close();
    }
    if (kind != ChildResult::Kind::Done) continue;
    if (clock.seconds(child, std::max(start, heartbeats.last())) > kLoopGrace * limits.seconds)
      kind = ChildResult::Kind::Hang;
    else if (child.beyond(limits.megabytes)) kind = ChildResult::Kind::Memory;
    else if (stop && stop()) kind = ChildResult::Kind::Crash;
    else continue;
    child.kill();
  }
  return kind;
}

// What the machine did not let it have; empty: that was not why it ended.
std::string missing_resource(const Ending& ending, const std::string& log) {
  if (ending.signal == SIGXCPU) return "the limit of processor time is reached (ulimit -t)";
  if (ending.signal != 0 || ending.status != kLackStatus) return "";
  const size_t line = log.find_last_not_of('\n');
  return line == std::string::npos ? "a child lacked something" : log.substr(0, line + 1);
}

// What the child said of it (spawn.cpp), on its last line.
Unstartable unstartable(std::string log) {
  log.erase(log.find_last_not_of('\n') + 1);
  const size_t at = log.rfind(kErrorHead);
  return {at == std::string::npos ? log : log.substr(at + std::strlen(kErrorHead))};
}

}  // namespace

std::string ChildResult::how_lost() const {
  if (kind == Kind::Memory) return "takes too much memory";
  if (kind == Kind::Crash) return "dies";
  const size_t at = log.rfind(kStillInLoop);
  const std::string place = at == std::string::npos ? "" : log.substr(at, log.find('\n', at) - at);
  return place.empty() ? "does not end in time" : "does not end in time: " + visible_lines(place);
}

ChildResult run_isolated(const std::function<std::string()>& job, const Limits& limits,
                         const std::function<bool()>& stop) {
  auto [mine, its] = Channel::make(kMostResult);
  SpawnOptions options{
      .name = "the isolated job threw", .keep_log = true, .confined_to = no_grounds()};
  options.megabytes = limits.megabytes;
  SharedHeartbeat heartbeats;
  Child child = spawn(
      [&] {
        heartbeat_at(heartbeats.place());
        limit_loops(limits.seconds, true);
        std::string message;
        Channel::append(message, "done", job());
        its.send(message);
      },
      options);
  its.close();
  ChildResult result;
  Message answer;
  result.kind = follow(child, mine, heartbeats, limits, stop, answer);
  result.log = child.log();
  Ending ending = child.wait();
  if (result.kind != ChildResult::Kind::Done) return result;
  if (ending.clean() && answer.kind == "done") {
    result.output = std::move(answer.body);
    return result;
  }
  if (const std::string lacks = missing_resource(ending, result.log); !lacks.empty()) {
    note_lack(lacks);
    fail("{}", lacks);
  }
  if (ending.signal == 0 && ending.status == kCannotStart) throw unstartable(result.log);
  if (ending.signal == 0 && ending.status == kEndlessLoop) {
    result.kind = ChildResult::Kind::Hang;
    return result;
  }
  bool memory = ending.signal == 0 && ending.status == kOutOfMemory;
  result.kind = memory ? ChildResult::Kind::Memory : ChildResult::Kind::Crash;
  result.signal = ending.signal;
  result.status = ending.status;
  return result;
}

}  // namespace fusillade::fuzz
