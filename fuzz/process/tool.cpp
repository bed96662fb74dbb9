// See tool.h.
#include "fuzz/process/tool.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/lack.h"
#include "engine/base/text.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTick = 50;  // milliseconds between two questions whether to stop

void run_into(const Tool& tool, int output) {
  SpawnOptions options{.name = tool.words[0], .keep_log = !tool.shows};
  options.output = output;
  Child child = spawn(
      [&] {
        for (const auto& [name, value] : tool.environment) setenv(name.c_str(), value.c_str(), 1);
        become(tool.words);
      },
      options);
  while (child.log_fd() >= 0) {
    pollfd more{child.log_fd(), POLLIN, 0};
    poll(&more, 1, tool.stopped ? kTick : -1);
    if (more.revents) child.read_log();
    if (tool.stopped && tool.stopped()) child.kill();
  }
  const Ending ending = child.wait();
  if (ending.clean() || (ending.signal == 0 && ending.status == tool.also_fine)) return;
  if (ending.signal == 0 && ending.status == kCannotExec)
    fail("{} cannot be run, which this needs (Debian: {})", tool.words[0], tool.package);
  const std::string how = ending.signal ? fmt::format("signal {}", ending.signal)
                                        : fmt::format("exit code {}", ending.status);
  fail("{} failed ({}){}{}", join(tool.words, " "), how, child.log().empty() ? "" : ": ",
       child.log());
}

}  // namespace

void run_tool(const Tool& tool) { run_into(tool, STDERR_FILENO); }

std::string output_of(const Tool& tool) {
  const int file = memfd_create("output", MFD_CLOEXEC);
  if (file < 0) {
    const int error = errno;
    note_lack("no file for what " + tool.words[0] + " prints", error);
    fail("no file for what {} prints: {}", tool.words[0], std::strerror(error));
  }
  try {
    run_into(tool, file);
  } catch (...) {
    close(file);
    throw;
  }
  std::string out(static_cast<size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t n = pread(file, out.data(), out.size(), 0);
  close(file);
  out.resize(n > 0 ? static_cast<size_t>(n) : 0);
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  return out;
}

}  // namespace fusillade::fuzz
