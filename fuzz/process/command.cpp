// How the engine runs other programs (engine/base/command.h): in a child, whose stderr is kept.
#include "engine/base/command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/lack.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kMostErrors = 4096;

std::string run(const std::vector<std::string>& words) {
  const int errors = memfd_create("errors", MFD_CLOEXEC);
  if (errors < 0) {
    const int error = errno;
    note_lack("no file for what " + words[0] + " says", error);
    fail("no file for what {} says: {}", words[0], std::strerror(error));
  }
  const Ending ending =
      spawn([&] { become(words); }, {.name = words[0], .output = errors, .errors = errors}).wait();
  std::string said(kMostErrors, '\0');
  const ssize_t n = pread(errors, said.data(), said.size(), 0);
  said.resize(n > 0 ? static_cast<size_t>(n) : 0);
  close(errors);
  if (ending.clean()) return "";
  if (ending.status == kCannotExec) return fmt::format("there is no program {}", words[0]);
  return fmt::format("{} failed (signal {}, exit code {}): {}", words[0], ending.signal,
                     ending.status, said);
}

const bool registered = [] {
  set_command_runner(&run);
  return true;
}();

}  // namespace
}  // namespace fusillade::fuzz
