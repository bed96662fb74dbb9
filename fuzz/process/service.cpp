// See service.h. Time is the processor time that the worker uses: a busy machine changes no answer.
#include "fuzz/process/service.h"

#include <sstream>

namespace fusillade::fuzz {
namespace {

constexpr double kSecondsToStart = 10;
constexpr int kTick = 1000;  // milliseconds between two looks at the deadline

bool is_answer(const Message& m) {
  return m.kind == "values" || m.kind == "error" || m.kind == "declined" || m.kind == "limit";
}

}  // namespace

bool Service::ready() {
  if (useless_) return false;
  if (child_.alive() && !child_.ours()) stop();
  if (!child_.alive()) start();
  return child_.alive();
}

void Service::start() {
  auto [mine, its] = Channel::make();
  SpawnOptions options{.name = "worker"};
  options.input = options.output = its.fd();
  child_ = spawn([this] { become(command_); }, options);
  channel_ = std::move(mine);
  its.close();
  useless_ = !greeted();
  if (useless_) stop();
}

bool Service::greeted() {
  Deadline deadline(child_, kSecondsToStart);
  Message m;
  if (!receive(m, deadline) || m.kind != "hello") return false;
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
    if (got != Channel::Got::Nothing) return got == Channel::Got::Whole;
    if (deadline.passed()) return false;
  }
}

void Service::stop() {
  channel_.close();
  child_.end();
}

std::optional<std::vector<Message>> Service::exchange(const std::string& requests, size_t answers,
                                                      double seconds) {
  Deadline deadline(child_, seconds);
  std::vector<Message> out(answers);
  Message unasked;
  bool good = channel_.receive(unasked, 0) == Channel::Got::Nothing && !channel_.has_more();
  good = good && channel_.send(requests, [&] { return deadline.passed(); });
  for (size_t i = 0; good && i < answers; ++i)
    good = receive(out[i], deadline) && is_answer(out[i]);
  if (good) return out;
  stop();
  return std::nullopt;
}

}  // namespace fusillade::fuzz
