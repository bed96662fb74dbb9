// See worker.h. The worker's own limits (worker.py) come first; a worker that does not answer at
// all is killed. All of these are limits of the processor time that the worker uses: a busy machine
// changes no answer. Only a worker that waits for something itself, and so uses none, is killed by
// the clock.
#include "fuzz/python/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade::fuzz {
namespace {

constexpr double kSecondsPerCall = 3;  // of processor time, as the next
constexpr double kSecondsToStart = 10;
constexpr double kPatience = 60;  // of the clock, while the worker uses no processor time
constexpr size_t kMostAnswer = size_t{64} << 20;
constexpr size_t kMostHead = 20;  // the answer's length, in digits

std::string interpreter() {
  const char* given = std::getenv("FUSILLADE_PYTHON");
  return given ? given : "/usr/bin/python3";
}

void append_string(std::string& out, const std::string& s) {
  out += '"';
  for (unsigned char c : s) {
    if (c >= 32 && c < 127 && c != '"' && c != '\\') out += static_cast<char>(c);
    else fmt::format_to(std::back_inserter(out), "\\x{:02x}", c);
  }
  out += '"';
}

void append_float(std::string& out, double v) {
  if (std::isnan(v)) {
    out += "nan";
    return;
  }
  std::string s = fmt::format("{:.17g}", v);
  out += s;
  if (s.find_first_of(".ein") == std::string::npos) out += ".0";
}

void append(std::string& out, const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None:
      out += "None";
      return;
    case IValue::Tag::Int:
      fmt::format_to(std::back_inserter(out), "{}", v.as_int());
      return;
    case IValue::Tag::Float:
      return append_float(out, v.as_double());
    case IValue::Tag::Bool:
      out += v.as_bool() ? "True" : "False";
      return;
    case IValue::Tag::Device:
      return append_string(out, to_string(v.as_device()));
    case IValue::Tag::Str:
      return append_string(out, v.as_str());
    case IValue::Tag::List:
    case IValue::Tag::Tuple: {
      bool list = v.tag() == IValue::Tag::List;
      out += list ? '[' : '(';
      for (size_t i = 0; i < v.items().size(); ++i) {
        if (i) out += ", ";
        append(out, v.items()[i]);
      }
      if (!list && v.items().size() == 1) out += ',';
      out += list ? ']' : ')';
      return;
    }
    case IValue::Tag::Dict: {
      out += '{';
      for (const auto& [key, value] : v.as_dict().items()) {
        if (out.back() != '{') out += ", ";
        append(out, key);
        out += ": ";
        append(out, value);
      }
      out += '}';
      return;
    }
    default:
      out += "<" + describe(v) + ">";
  }
}

[[noreturn]] void become_worker(const std::string& python, int socket, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  dup2(socket, STDIN_FILENO);
  dup2(socket, STDOUT_FILENO);
  signal(SIGINT, SIG_IGN);
  execl(python.c_str(), python.c_str(), "-I", "-S", "-c", kPythonWorkerText, nullptr);
  _exit(127);
}

std::string request_of(const std::string& script, const char* mode,
                       const std::vector<std::string>& calls) {
  std::string out = script + '\0' + mode + '\0' + std::to_string(calls.size());
  for (const std::string& c : calls) out += '\0' + c;
  return out;
}

}  // namespace

std::string python_text(const IValue& v) {
  std::string out;
  append(out, v);
  return out;
}

PythonWorker& PythonWorker::instance() {
  thread_local PythonWorker worker;
  return worker;
}

PythonWorker::~PythonWorker() { stop(); }

void PythonWorker::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    fail("cannot make a socket pair");
  std::string python = interpreter();
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid < 0) fail("cannot fork a Python worker");
  if (pid == 0) become_worker(python, ends[1], parent);
  close(ends[1]);
  timeval once_a_second{1, 0};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &once_a_second, sizeof once_a_second);
  pid_ = pid;
  owner_ = parent;
  socket_ = ends[0];
  answered_ = false;
}

void PythonWorker::stop() {
  if (socket_ < 0) return;
  close(socket_);
  socket_ = -1;
  if (owner_ != getpid()) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool PythonWorker::send_all(const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    ssize_t n = send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

// Processor time that the worker has used in its life.
double PythonWorker::seconds_used() const {
  clockid_t clock;
  timespec t{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Appends what comes next; false when nothing comes before the worker has used `seconds` in its
// life.
bool PythonWorker::receive(std::string& bytes, double seconds) {
  using Clock = std::chrono::steady_clock;
  char buffer[65536];
  double used = -1;
  Clock::time_point seen;
  for (;;) {
    ssize_t n = recv(socket_, buffer, sizeof buffer, 0);
    if (n > 0) {
      bytes.append(buffer, static_cast<size_t>(n));
      return true;
    }
    bool waits = n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
    if (!waits) return false;
    double now = seconds_used();
    if (now > seconds) return false;
    if (now > used) seen = Clock::now();
    used = std::max(used, now);
    if (std::chrono::duration<double>(Clock::now() - seen).count() > kPatience) return false;
  }
}

// One answer: its length in digits, a newline, and that many bytes.
bool PythonWorker::receive_frame(std::string& answer, double seconds) {
  std::string bytes;
  size_t head = std::string::npos, size = 0;
  while (head == std::string::npos || bytes.size() < head + 1 + size) {
    if (!receive(bytes, seconds)) return false;
    if (head != std::string::npos) continue;
    head = bytes.find('\n');
    if (head == std::string::npos && bytes.size() <= kMostHead) continue;
    if (head > kMostHead) return false;
    size = std::strtoull(bytes.c_str(), nullptr, 10);
    if (size > kMostAnswer) return false;
  }
  answer = bytes.substr(head + 1, size);
  return true;
}

bool PythonWorker::begin() {
  if (!problem_.empty()) return false;
  if (socket_ >= 0 && owner_ != getpid()) stop();
  if (socket_ < 0) start();
  return true;
}

std::vector<std::string> PythonWorker::exchange(const std::string& requests, size_t calls,
                                                double seconds) {
  std::string answer;
  seconds += seconds_used();
  if (!answered_) seconds += kSecondsToStart;
  if (!send_all(fmt::format("{}\n", requests.size()) + requests) ||
      !receive_frame(answer, seconds)) {
    bool never = !answered_;
    stop();
    if (never) problem_ = "no Python: " + interpreter() + " does not run the worker";
    return {};
  }
  answered_ = true;
  std::vector<std::string> out;
  for (size_t at = 0; at <= answer.size() && out.size() < calls;) {
    size_t end = std::min(answer.find('\0', at), answer.size());
    out.push_back(answer.substr(at, end - at));
    at = end + 1;
  }
  FUS_CHECK(out.size() == calls, "the Python worker gave {} answers to {} calls", out.size(),
            calls);
  return out;
}

std::vector<std::string> PythonWorker::ask(const std::string& script, const char* mode,
                                           const std::vector<std::string>& calls) {
  if (calls.empty()) return {};
  std::string request = request_of(script, mode, calls);
  if (owner_ != getpid()) ready_.clear();
  auto known = std::find_if(ready_.begin(), ready_.end(),
                            [&](const Answered& a) { return a.request == request; });
  if (known != ready_.end()) return known->answers;
  std::vector<std::string> out;
  if (begin())
    out = exchange(request, calls.size(), kSecondsPerCall * static_cast<double>(calls.size()));
  if (!problem_.empty()) throw Unsupported(problem_);
  return out.empty() ? std::vector<std::string>(calls.size(), "limit the worker died") : out;
}

void PythonWorker::ahead(const std::vector<Question>& questions) {
  ready_.clear();
  std::vector<std::string> single;
  std::string requests;
  size_t calls = 0;
  for (const Question& q : questions) {
    single.push_back(request_of(q.script, q.mode, q.calls));
    requests += (requests.empty() ? "" : std::string(1, '\0')) + single.back();
    calls += q.calls.size();
  }
  std::vector<std::string> answers;
  if (begin()) answers = exchange(requests, calls, kSecondsPerCall);
  if (answers.empty()) return;
  auto from = std::make_move_iterator(answers.begin());
  for (size_t i = 0; i < questions.size(); ++i) {
    auto to = from + static_cast<std::ptrdiff_t>(questions[i].calls.size());
    ready_.push_back({std::move(single[i]), {from, to}});
    from = to;
  }
}

}  // namespace fusillade::fuzz
