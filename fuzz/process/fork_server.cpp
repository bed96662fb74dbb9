// See fork_server.h.
#include "fuzz/process/fork_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace fusillade::fuzz {
namespace {

constexpr int kTick = 1000;  // milliseconds between two looks at the deadline

// A message and descriptors with it; false when nobody is there to take them.
bool send_with(int socket, std::string_view message, const std::array<int, 3>& descriptors) {
  iovec text{const_cast<char*>(message.data()), message.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr head{};
  head.msg_iov = &text;
  head.msg_iovlen = 1;
  head.msg_control = control;
  head.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&head);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(rights), descriptors.data(), sizeof descriptors);
  return sendmsg(socket, &head, MSG_NOSIGNAL) == static_cast<ssize_t>(message.size());
}

}  // namespace

void ForkServer::warm(const std::string& what) {
  std::string message;
  Channel::append(message, "warm", what);
  channel_.send(message);
}

std::optional<Child> ForkServer::fork(int channel, int errors, double seconds) {
  auto [mine, its] = Channel::make();
  std::string message;
  Channel::append(message, "fork", "");
  if (!send_with(channel_.fd(), message, {channel, errors, its.fd()})) return std::nullopt;
  its.close();
  Deadline deadline(process_, seconds);
  pollfd reply{mine.fd(), POLLIN, 0};
  while (poll(&reply, 1, kTick) <= 0)
    if (deadline.has_passed()) return std::nullopt;
  int32_t pid = 0;
  if (recv(mine.fd(), &pid, sizeof pid, MSG_WAITALL) != sizeof pid || pid <= 1) return std::nullopt;
  return Child::of_fork_server(pid, std::move(mine));
}

}  // namespace fusillade::fuzz
