// See channel.h.
#include "fuzz/process/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/lack.h"
#include "fuzz/process/descriptors.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTick = 1000;  // milliseconds between two questions whether to give up

bool may_go_on() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Channel::Channel(int fd, size_t most) : fd_(fd), most_(most) {
  if (fd_ >= 0) keep_in_children(fd_);
}

Channel& Channel::operator=(Channel&& other) noexcept {
  if (this == &other) return *this;
  close();
  fd_ = std::exchange(other.fd_, -1);
  most_ = other.most_;
  inbox_ = std::move(other.inbox_);
  at_ = std::exchange(other.at_, 0);
  return *this;
}

std::pair<Channel, Channel> Channel::make(size_t most) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    const int error = errno;
    note_lack("cannot make a socket pair", error);
    fail("cannot make a socket pair: {}", std::strerror(error));
  }
  return {Channel(ends[0], most), Channel(ends[1], most)};
}

void Channel::close() {
  if (fd_ >= 0) {
    forget_in_children(fd_);
    ::close(fd_);
  }
  fd_ = -1;
  inbox_.clear();
  at_ = 0;
}

void Channel::append(std::string& messages, std::string_view kind, std::string_view body) {
  messages += std::to_string(body.size());
  messages += ' ';
  messages += kind;
  messages += '\n';
  messages += body;
}

bool Channel::send(std::string_view messages, const std::function<bool()>& give_up) {
  while (!messages.empty()) {
    ssize_t n = ::send(fd_, messages.data(), messages.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      messages.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    if (n == 0 || !may_go_on()) return false;
    pollfd p{fd_, POLLIN | POLLOUT, 0};
    poll(&p, 1, kTick);
    if ((p.revents & POLLIN) && !fill()) return false;
    if (give_up && give_up()) return false;
  }
  return true;
}

bool Channel::fill() {
  char buffer[65536];
  ssize_t n = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
  if (n <= 0) return n < 0 && may_go_on();
  if (at_ > 0) inbox_.erase(0, std::exchange(at_, 0));
  inbox_.append(buffer, static_cast<size_t>(n));
  return true;
}

Channel::Got Channel::take(Message& message) {
  std::string_view rest = std::string_view(inbox_).substr(at_);
  size_t line = rest.substr(0, kMostHead).find('\n');
  if (line == std::string_view::npos) return rest.size() < kMostHead ? Got::Nothing : Got::Babble;
  size_t size = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + line, size);
  std::string_view kind(end, rest.data() + line);
  if (error != std::errc() || kind.size() < 2 || kind[0] != ' ' || size > most_) return Got::Babble;
  if (rest.size() - line - 1 < size) return Got::Nothing;
  message.kind = kind.substr(1);
  message.body = rest.substr(line + 1, size);
  at_ += line + 1 + size;
  return Got::Whole;
}

Channel::Got Channel::receive(Message& message, int milliseconds) {
  for (;;) {
    Got got = take(message);
    if (got != Got::Nothing) return got;
    pollfd p{fd_, POLLIN, 0};
    if (poll(&p, 1, milliseconds) <= 0) return Got::Nothing;
    if (!fill()) return Got::Gone;
  }
}

}  // namespace fusillade::fuzz
