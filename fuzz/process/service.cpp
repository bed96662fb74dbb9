// See service.h. Time is the processor time that the worker uses: a busy machine changes no answer.
#include "fuzz/process/service.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <sstream>
#include <utility>

#include "fuzz/process/confine.h"
#include "fuzz/process/descriptors.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/shared_memory.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTick = 1000;       // milliseconds between two looks at the deadline
constexpr int kMostBegun = 16;    // programs, until the answer of one
constexpr off_t kLogTail = 2000;  // bytes
constexpr off_t kMostLog = 1 << 22;
constexpr int kStarts = 4;           // of a worker that ends or babbles at its start
constexpr int kLateStarts = 2;       // of one that is silent, for a minute each
constexpr double kFirstPause = 0.1;  // seconds before the second start; then four times as long
constexpr int kTicksToEnd = 100;     // of 10 milliseconds, for one that hung up to be gone

bool is_answer(const Message& m) {
  return m.kind == "values" || m.kind == "error" || m.kind == "declined" || m.kind == "limit" ||
         m.kind == "outcome";
}

// In memory that forked children share.
std::shared_ptr<std::atomic<int>> shared_count() {
  using Count = std::atomic<int>;
  return {new (map_shared(sizeof(Count))) Count(0),
          [](Count* count) { munmap(count, sizeof(Count)); }};
}

std::string tail_of(int log) {
  off_t size = log < 0 ? 0 : lseek(log, 0, SEEK_END);
  std::string out(static_cast<size_t>(std::clamp<off_t>(size, 0, kLogTail)), '\0');
  ssize_t n = out.empty() ? 0 : pread(log, out.data(), out.size(), size - std::ssize(out));
  out.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  return out;
}

}  // namespace

Service::~Service() { close_log(); }

void Service::open_log() {
  if (!options_.keep_log || log_ >= 0) return;
  log_ = memfd_create("worker", MFD_CLOEXEC);
  if (log_ >= 0) keep_in_children(log_);
}

void Service::close_log() {
  if (log_ < 0) return;
  forget_in_children(log_);
  close(std::exchange(log_, -1));
}

bool Service::ready() {
  if (useless_) return false;
  if (child_.alive() && !child_.ours() && !lent_) stop();
  // A child that was lent it may have ended it.
  if (child_.alive() && child_.ours() && child_.try_reap()) channel_.close();
  if (!child_.alive()) start();
  return child_.alive();
}

void Service::start() {
  open_log();
  ++generation_;
  asked_ = shared_count();
  int attempt = 1;
  while (!start_once()) {
    useless_ = !try_again(attempt++);
    if (useless_) return;
    heartbeat();  // no program's time
  }
}

bool Service::start_once() {
  lost_ = {};
  if (fork_server_ && fork_worker()) return true;
  fork_server_ = nullptr;
  spawn_worker();
  if (!receive_hello()) {
    lose(lost_.how);
    return false;
  }
  if (!hello_.count("forks")) return true;
  fork_server_ = std::make_shared<ForkServer>(std::move(child_), std::move(channel_));
  return fork_worker();
}

// After the start of that number failed; waits.
bool Service::try_again(int attempt) const {
  const int most = lost_.how == Lost::How::Late ? kLateStarts : kStarts;
  const bool absent = lost_.ending.signal == 0 && lost_.ending.status == kCannotExec;
  if (attempt >= most || absent) return false;
  if (options_.hopeless && !options_.hopeless(lost_.log).empty()) return false;
  const double pause = kFirstPause * std::pow(4, attempt - 1);
  std::fprintf(stderr, "fusillade: %s did not start: %s; start %d of %d follows in %.1f s\n",
               options_.name.c_str(), why_lost().c_str(), attempt + 1, most, pause);
  usleep(static_cast<useconds_t>(pause * 1e6));
  return true;
}

std::string Service::why_lost() const {
  const Ending& e = lost_.ending;
  switch (lost_.how) {
    case Lost::How::Babbled:
      return "it wrote to its stdout what is no hello message";
    case Lost::How::Late:
      return "it said nothing";
    case Lost::How::Memory:
      return fmt::format("it took more than {} MB", options_.megabytes);
    case Lost::How::Died:
      break;
  }
  if (lost_.lives) return "it closed its stdout";
  return e.signal ? fmt::format("it ended by signal {}", e.signal)
                  : fmt::format("it ended with exit code {}", e.status);
}

void Service::spawn_worker() {
  auto [mine, its] = Channel::make();
  SpawnOptions options{.name = "worker"};
  options.input = options.output = its.fd();
  if (log_ >= 0 && ftruncate(log_, 0) == 0 && lseek(log_, 0, SEEK_SET) == 0) options.errors = log_;
  if (options_.give_up) engine_walls();
  child_ = spawn(
      [this] {
        close_descriptors_on_exec();
        if (options_.give_up) options_.give_up();
        // Sets of texts have one order in every worker, so that nothing differs for that alone.
        setenv("PYTHONHASHSEED", "0", 1);
        become(command_);
      },
      options);
  channel_ = std::move(mine);
}

bool Service::fork_worker() {
  auto [mine, its] = Channel::make();
  if (log_ >= 0 && (ftruncate(log_, 0) != 0 || lseek(log_, 0, SEEK_SET) != 0)) return false;
  const int errors = log_ >= 0 ? log_ : STDERR_FILENO;
  std::optional<Child> child = fork_server_->fork(its.fd(), errors, options_.seconds_to_start);
  if (!child) return false;
  child_ = std::move(*child);
  channel_ = std::move(mine);
  its.close();
  if (receive_hello()) return true;
  lose(lost_.how);
  return false;
}

void Service::nurse(const std::vector<std::string>& warm) {
  if (!ready()) return;
  stop();
  close_log();  // of its own in each child
  for (const std::string& what : warm)
    if (fork_server_) fork_server_->warm(what);
}

bool Service::receive_hello() {
  Deadline deadline(child_, options_.seconds_to_start);
  Message m;
  if (!receive(m, deadline)) return false;
  lost_.how = Lost::How::Babbled;
  if (m.kind != "hello") return false;
  hello_.clear();
  std::istringstream lines(m.body);
  for (std::string line; std::getline(lines, line);) {
    size_t colon = line.find(": ");
    if (colon == std::string::npos) return false;
    hello_[line.substr(0, colon)] = line.substr(colon + 2);
  }
  for (const char* key : {"name", "version", "forms", "values"}) {
    if (!hello_.count(key)) return false;
  }
  return hello_["protocol"] == "1";
}

bool Service::receive(Message& message, Deadline& deadline) {
  for (;;) {
    Channel::Got got = channel_.receive(message, kTick);
    if (got == Channel::Got::Whole) return true;
    lost_.how = got == Channel::Got::Gone     ? Lost::How::Died
                : got == Channel::Got::Babble ? Lost::How::Babbled
                                              : Lost::How::Late;
    if (got != Channel::Got::Nothing || deadline.has_passed()) return false;
    lost_.how = Lost::How::Memory;
    if (child_.beyond(options_.megabytes)) return false;
    if (options_.keeps_time) heartbeat();
  }
}

// The next answer; the last message that a program began is kept.
bool Service::receive_answer(Message& message, Deadline& deadline) {
  for (int begun = 0; begun <= kMostBegun && receive(message, deadline); ++begun) {
    if (is_answer(message)) return true;
    lost_.how = Lost::How::Babbled;
    if (message.kind != "begin") return false;
    lost_.last_begin = std::move(message.body);
  }
  return false;
}

void Service::stop() {
  channel_.close();
  if (lent_) child_.kill_borrowed();
  child_.end();
}

void Service::lose(Lost::How how) {
  lost_.how = how;
  lost_.lives = how == Lost::How::Died && child_.alive();
  for (int i = 0; lost_.lives && i < kTicksToEnd; ++i) {
    std::optional<Ending> ending = child_.ours() ? child_.try_reap() : child_.ended_borrowed();
    if (ending) lost_.ending = *ending;
    if (ending) lost_.lives = false;
    else usleep(10'000);
  }
  lost_.log = tail_of(log_);
  stop();
}

std::optional<std::vector<Message>> Service::exchange(const std::string& requests, size_t answers,
                                                      double seconds) {
  if (log_ >= 0 && lseek(log_, 0, SEEK_END) > kMostLog && ftruncate(log_, 0) == 0)
    lseek(log_, 0, SEEK_SET);
  Deadline deadline(child_, seconds);
  lost_ = {};
  std::vector<Message> out(answers);
  ++*asked_;
  Message unasked;
  const Channel::Got before = channel_.receive(unasked, 0);
  bool good = before == Channel::Got::Nothing && !channel_.has_more();
  if (!good && before != Channel::Got::Gone) lost_.how = Lost::How::Babbled;
  good = good && channel_.send(requests, [&] { return deadline.has_passed(); });
  for (size_t i = 0; good && i < answers; ++i) good = receive_answer(out[i], deadline);
  if (good) return out;
  lose(lost_.how);
  return std::nullopt;
}

}  // namespace fusillade::fuzz
