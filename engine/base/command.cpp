// See command.h.
#include "engine/base/command.h"

#include <atomic>

#include "engine/base/error.h"

namespace fusillade {
namespace {

std::atomic<CommandRunner> how{nullptr};

}  // namespace

void set_command_runner(CommandRunner runner) { how = runner; }

std::string run_command(const std::vector<std::string>& words) {
  const CommandRunner runner = how;
  if (!runner) decline("this process runs no other program, as {}", words[0]);
  return runner(words);
}

}  // namespace fusillade
