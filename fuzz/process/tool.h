// Other programs that are needed (git, cmake, ninja, strip, valgrind, other builds of this one),
// run to their end.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fusillade::fuzz {

struct Tool {
  std::vector<std::string> words;  // words[0] is looked for in PATH
  std::string package = {};        // of Debian, for who lacks it
  std::map<std::string, std::string> environment = {};
  bool shows = false;                  // what it prints and says goes to stderr as it comes
  int also_fine = 0;                   // an exit code that is no failure, too
  std::function<bool()> stopped = {};  // asked while it runs; true kills it
};

// Throws Error with what it said last where it fails.
void run_tool(const Tool& tool);

// What it prints, without blanks at the end.
std::string output_of(const Tool& tool);

}  // namespace fusillade::fuzz
