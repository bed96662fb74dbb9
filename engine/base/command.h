// Other programs, run to their end. The engine makes no processes: who can says how, once, before
// any is asked for (fuzz/process/command.cpp).
#pragma once

#include <string>
#include <vector>

namespace fusillade {

// words[0] is looked for in PATH. Gives "" or how it failed, and what it wrote to stderr.
using CommandRunner = std::string (*)(const std::vector<std::string>& words);

void set_command_runner(CommandRunner runner);
// Throws Unsupported where nobody said how.
std::string run_command(const std::vector<std::string>& words);

}  // namespace fusillade
