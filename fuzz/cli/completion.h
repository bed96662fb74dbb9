// Scripts by which shells complete the command's words, generated from its tables
// (docs/reference/generate.py) and embedded.
#pragma once

#include <string>
#include <vector>

namespace fusillade::cli {

struct Completion {
  std::string file;  // as shells name it: fusillade.bash, _fusillade, fusillade.fish
  const char* text;
};

const std::vector<Completion>& completions();

}  // namespace fusillade::cli
