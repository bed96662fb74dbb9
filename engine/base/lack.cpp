// See lack.h.
#include "engine/base/lack.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

namespace fusillade {
namespace {

constexpr size_t kSmall = size_t{1} << 20;

const std::string kNoMemory = "a small block of memory could not be had";
std::mutex g_mutex;
std::string g_first;
std::atomic<bool> g_no_memory{false};

}  // namespace

bool is_lack(int error) {
  constexpr int kLacks[] = {EAGAIN, ENOMEM, EMFILE, ENFILE, ENOSPC, EDQUOT, EFBIG, EIO, EROFS};
  return std::find(std::begin(kLacks), std::end(kLacks), error) != std::end(kLacks);
}

std::string error_text(int error) {
  const std::string said = std::strerror(error);
  rlimit most{};
  if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
    return fmt::format("{} (ulimit -f allows a file of {} bytes)", said, most.rlim_cur);
  return said;
}

void note_lack(const std::string& what) {
  const std::lock_guard lock(g_mutex);
  if (g_first.empty()) g_first = what;
}

void note_lack(const std::string& what, int error) {
  if (is_lack(error)) note_lack(what + ": " + error_text(error));
}

void note_no_memory(size_t bytes) noexcept {
  if (bytes < kSmall) g_no_memory = true;
}

bool lacked_memory() { return g_no_memory; }

const std::string& noted_lack() {
  if (g_no_memory) return kNoMemory;
  const std::lock_guard lock(g_mutex);
  return g_first;
}

std::string with_lack(const std::string& message) {
  const std::string& lack = noted_lack();
  if (lack.empty() || message.find(lack) != std::string::npos) return message;
  return fmt::format("{} ({})", message, lack);
}

}  // namespace fusillade
