// See spawn.h. Memory is limited by watching the resident set (address space limits do not work
// under ASan, which reserves terabytes) and by the engine's own allocation budget.
#include "fuzz/process/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <new>
#include <set>

#include "engine/base/error.h"
#include "engine/base/lack.h"
#include "engine/base/visible.h"
#include "engine/ir/loop_watch.h"
#include "engine/tensor/tensor.h"
#include "fuzz/process/confine.h"
#include "fuzz/process/descriptors.h"
#include "fuzz/process/strays.h"
#include "fuzz/process/unstartable.h"

// What a sanitizer finds ends the process with a signal, as any other crash. A main may say more.
extern "C" {
#ifdef FUSILLADE_WRITES_PROFILE
int __llvm_profile_write_file();
#endif
[[gnu::weak]] const char* __asan_default_options() { return "abort_on_error=1"; }
const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }
}

namespace fusillade::fuzz {
namespace {

constexpr size_t kLogTail = 64 * 1024;
constexpr double kPatience = 60;  // of the clock, while a child uses no processor time
constexpr int kTicksToEnd = 100;  // of 10 milliseconds, for one that was killed to be gone

// Children of this process alone that are not reaped: a forked one begins with none. Threads that
// compile start commands at any time, so a child is in it from its fork until it is reaped.
std::mutex g_spawned_mutex;
std::set<int> g_spawned;

// As fork(2). Allocates nothing once there is a child.
pid_t fork_spawned() {
  const std::lock_guard lock(g_spawned_mutex);  // in the child, too, it is this thread's
  auto place = g_spawned.extract(g_spawned.insert(0).first);
  const pid_t pid = fork();
  if (pid == 0) g_spawned.clear();
  if (pid <= 0) return pid;
  place.value() = pid;
  g_spawned.insert(std::move(place));
  return pid;
}

// As waitpid(2) of one that was spawned; `flags` may be WNOHANG.
pid_t reap_spawned(pid_t pid, int& status, int flags) {
  siginfo_t ended;
  while (flags == 0 && waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  const std::lock_guard lock(g_spawned_mutex);
  const pid_t reaped = waitpid(pid, &status, flags);
  if (reaped == pid) g_spawned.erase(pid);
  return reaped;
}

void redirect(int from, int to) {
  if (from >= 0 && from != to) dup2(from, to);
}

void enter_child(const SpawnOptions& options, int parent, int log) {
  redirect(options.input, STDIN_FILENO);
  redirect(options.output, STDOUT_FILENO);
  redirect(options.keep_log ? log : options.errors, STDERR_FILENO);
  prctl(PR_SET_PDEATHSIG, options.death_signal);
  if (getppid() != parent) _exit(1);  // it died before it could be asked for
  for (int s : {SIGTERM, SIGPIPE, SIGCHLD, SIGXCPU}) signal(s, SIG_DFL);
  for (int s : {SIGINT, SIGHUP, SIGUSR1}) signal(s, SIG_IGN);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  watch_loops(nullptr);  // the parent's limits are not its own
  if (options.megabytes) Storage::set_budget(options.megabytes * 1024 * 1024);
#ifndef FUSILLADE_WRITES_PROFILE
  if (options.confined_to && is_sandboxed()) {
    if (options.input < 0) redirect(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    close_other_descriptors(options.keep_log ? -1 : options.errors);
    confine_worker(*options.confined_to);
  }
#endif
}

[[noreturn]] void run_child(const std::function<void()>& body, const SpawnOptions& options) {
  try {
    body();
  } catch (const std::bad_alloc&) {
    if (noted_lack().empty()) _exit(kOutOfMemory);
    std::fprintf(stderr, "%s: %s\n", options.name.c_str(), noted_lack().c_str());
    _exit(kLackStatus);
  } catch (const Unstartable& e) {
    std::fprintf(stderr, "%s%s\n", kErrorHead, visible_lines(e.why).c_str());
    _exit(kCannotStart);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", options.name.c_str(),
                 visible_lines(with_lack(e.what())).c_str());
    _exit(noted_lack().empty() ? 1 : kLackStatus);
  }
#ifdef FUSILLADE_WRITES_PROFILE  // cmake/profile: at _exit nothing is written
  __llvm_profile_write_file();
#endif
  _exit(0);
}

[[noreturn]] void lack(const std::string& what, int error) {
  note_lack(what, error);
  fail("{}: {}", what, std::strerror(error));
}

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {WTERMSIG(status), 0};
  return {0, WEXITSTATUS(status)};
}

}  // namespace

Child& Child::operator=(Child&& other) noexcept {
  if (this == &other) return *this;
  end();
  pid_ = std::exchange(other.pid_, 0);
  owner_ = other.owner_;
  status_ = std::move(other.status_);
  log_fd_ = std::exchange(other.log_fd_, -1);
  log_ = std::move(other.log_);
  return *this;
}

Child Child::of_fork_server(int pid, Channel status) {
  Child child;
  child.pid_ = pid;
  child.owner_ = getpid();
  child.status_ = std::move(status);
  return child;
}

std::optional<int> Child::peek_status(bool wait) const {
  int32_t status = 0;
  const int how = MSG_PEEK | (wait ? MSG_WAITALL : MSG_DONTWAIT);
  ssize_t n = -1;
  do n = recv(status_.fd(), &status, sizeof status, how);
  while (n < 0 && errno == EINTR);
  if (n == sizeof status) return status;
  if (n < 0 && !wait) return std::nullopt;
  return SIGKILL;  // the fork server is gone, and takes its workers along
}

bool Child::ours() const { return owner_ == getpid(); }

void Child::kill() const {
  if (!alive() || !ours() || (status_.is_open() && peek_status(false))) return;
  end_descendants(pid_);
  ::kill(pid_, SIGKILL);
}

void Child::kill_borrowed() const {
  if (!alive() || owner_ != getppid() || ended_borrowed()) return;
  end_descendants(pid_);
  ::kill(pid_, SIGKILL);
  for (int i = 0; i < kTicksToEnd && !ended_borrowed(); ++i) usleep(10'000);
}

std::optional<Ending> Child::ended_borrowed() const {
  if (!alive() || owner_ != getppid()) return std::nullopt;
  if (status_.is_open()) {
    const std::optional<int> how = peek_status(false);
    return how ? std::optional(ending_of(*how)) : std::nullopt;
  }
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid_);
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return Ending{};  // reaped already
  // "PID (NAME) STATE ... STATUS": of a zombie, what wait() will say comes last.
  const size_t state = line.rfind(')') + 2;
  if (state >= line.size() || line[state] != 'Z') return std::nullopt;
  return ending_of(std::atoi(line.c_str() + line.rfind(' ')));
}

std::optional<Ending> Child::try_reap() {
  int status = 0;
  if (!alive() || !ours()) return std::nullopt;
  if (status_.is_open()) {
    const std::optional<int> how = peek_status(false);
    if (!how) return std::nullopt;
    status = *how;
  } else if (reap_spawned(pid_, status, WNOHANG) <= 0) {
    return std::nullopt;
  }
  pid_ = 0;
  return ending_of(status);
}

Ending Child::wait() {
  int status = 0;
  if (!alive() || !ours()) return {};
  if (status_.is_open()) status = *peek_status(true);
  else reap_spawned(pid_, status, 0);
  pid_ = 0;
  return ending_of(status);
}

void Child::end() {
  kill();
  wait();
  pid_ = 0;
  status_.close();
  if (log_fd_ >= 0) close(log_fd_);
  log_fd_ = -1;
}

double Child::processor_seconds() const {
  clockid_t clock;
  timespec t{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Of Linux's schedstat: how long a thread ran, and how long it was queued. A wait counts when it
// ends.
static std::pair<double, double> ran_and_queued(int pid) {
  const std::string path = fmt::format("/proc/{}/schedstat", pid);
  FILE* f = std::fopen(path.c_str(), "r");
  if (!f) return {0, 0};
  unsigned long long ran = 0;
  unsigned long long queued = 0;
  const int got = std::fscanf(f, "%llu %llu", &ran, &queued);
  std::fclose(f);
  if (got != 2) return {0, 0};
  return {static_cast<double>(ran) * 1e-9, static_cast<double>(queued) * 1e-9};
}

double Child::queued_seconds() const { return ran_and_queued(pid_).second; }
double Child::running_seconds() const { return ran_and_queued(pid_).first; }

bool Child::wants_processor() const { return state() == 'R'; }
bool Child::is_stopped() const { return state() == 'T' || state() == 't'; }

char Child::state() const {
  const std::string path = fmt::format("/proc/{}/stat", pid_);
  FILE* f = std::fopen(path.c_str(), "r");
  if (!f) return 0;
  char text[128] = {};  // "17 (name) R ...", of a name of 15 characters at most
  const size_t got = std::fread(text, 1, sizeof text - 1, f);
  std::fclose(f);
  const std::string_view line(text, got);
  const size_t name = line.rfind(") ");
  return name != std::string_view::npos && name + 2 < got ? line[name + 2] : '\0';
}

size_t Child::resident_megabytes() const {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/statm", pid_);
  FILE* f = std::fopen(path, "r");
  if (!f) return 0;
  unsigned long total = 0;
  unsigned long resident = 0;
  int got = std::fscanf(f, "%lu %lu", &total, &resident);
  std::fclose(f);
  return got == 2 ? resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20 : 0;
}

void Child::read_log() {
  char buffer[65536];
  if (log_fd_ < 0) return;
  ssize_t n = read(log_fd_, buffer, sizeof buffer);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    close(log_fd_);
    log_fd_ = -1;
    return;
  }
  log_.append(buffer, static_cast<size_t>(n));
  if (log_.size() > 2 * kLogTail) log_.erase(0, log_.size() - kLogTail);
}

Child spawn(const std::function<void()>& body, const SpawnOptions& options) {
  int log[2] = {-1, -1};
  if (options.keep_log && pipe2(log, O_CLOEXEC) != 0) lack("cannot make a pipe", errno);
  if (options.confined_to && is_sandboxed()) worker_walls();
  std::fflush(nullptr);
  pid_t parent = getpid();
  pid_t pid = fork_spawned();
  if (pid == 0) {
    enter_child(options, parent, log[1]);
    run_child(body, options);
  }
  int error = errno;
  if (options.keep_log) {
    close(log[1]);
    fcntl(log[0], F_SETFL, O_NONBLOCK);
  }
  Child child;
  child.log_fd_ = log[0];
  if (pid < 0) lack("cannot fork", error);
  child.pid_ = pid;
  child.owner_ = parent;
  return child;
}

bool is_spawned(int pid) {
  const std::lock_guard lock(g_spawned_mutex);
  return g_spawned.count(pid) > 0;
}

void become(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& w : copies) argv.push_back(w.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(kCannotExec);
}

Deadline::Deadline(double seconds) : seconds_(seconds) {}

Deadline::Deadline(const Child& child, double seconds)
    : child_(&child), seconds_(seconds), used_(child.processor_seconds()) {
  if (seconds > 0) seconds_ += used_;
}

bool Deadline::has_passed() {
  if (seconds_ <= 0) return false;
  constexpr auto kMostGap = std::chrono::seconds(1);
  Clock::time_point now = Clock::now();
  if (child_ && now - looked_ > kMostGap) since_ += now - looked_ - kMostGap;
  looked_ = now;
  double waited = std::chrono::duration<double>(now - since_).count();
  if (!child_) return waited > seconds_;
  double used = child_->processor_seconds();
  if (used > seconds_) return true;
  if (used <= used_) return waited > kPatience;
  used_ = used;
  since_ = now;
  return false;
}

}  // namespace fusillade::fuzz
