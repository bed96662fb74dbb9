// Which pass a regression is of: the plan's pipeline is tried from nothing to all of it under both
// builds, instructions counted; the pass that adds most to what the new build costs more is to
// blame.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/run/commit.h"

namespace fusillade::bench {

struct Regressed {
  std::string program;
  std::string plan;
  bool compile = false;  // of the compile and the first call; else of a steady call
};

class Blamer {
 public:
  // `words`: the flags of bench by which both load the programs; `out`: a folder for what they say.
  Blamer(const fuzz::CommitBuild& before, const fuzz::CommitBuild& after,
         std::vector<std::string> words, std::string out)
      : before_(before), after_(after), words_(std::move(words)), out_(std::move(out)) {}

  // In words: "pass cse: +0.00 % without it, +4.98 % with it", "no pass: ..." where it is there
  // without any.
  std::string blame(const Regressed& row);

 private:
  using Counts = std::map<std::string, double>;  // by plan
  struct Counted {
    Counts steady, first;
  };
  struct Pair {
    Counted before, after;
  };
  Counted counted(const fuzz::CommitBuild& build, const Regressed& row,
                  const std::vector<std::string>& plans);
  const Pair& counts_of(const Regressed& row, const std::vector<std::string>& plans);

  fuzz::CommitBuild before_, after_;
  std::vector<std::string> words_;
  std::string out_;
  std::map<std::pair<std::string, std::string>, Pair> known_;  // by program and plan
};

}  // namespace fusillade::bench
