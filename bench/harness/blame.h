// Which pass a regression is of: the plan's pipeline is tried from nothing to all of it under both
// builds, instructions counted. To blame is the first pass behind which the two builds' graphs
// differ, where most of what the new build costs more comes from there on: later passes cost more
// because they meet another graph. Where graphs do not tell, it is the pass that adds most.
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
    std::map<std::string, std::string> code;  // hash of the graph and its kernels; "": not known
  };
  struct Pair {
    Counted before, after;
  };
  Counted counted(const fuzz::CommitBuild& build, const Regressed& row,
                  const std::vector<std::string>& plans);
  static size_t other_graph(const Pair& both, const std::vector<std::string>& plans,
                            const std::vector<double>& excess);
  const Pair& counts_of(const Regressed& row, const std::vector<std::string>& plans);

  fuzz::CommitBuild before_, after_;
  std::vector<std::string> words_;
  std::string out_;
  std::map<std::pair<std::string, std::string>, Pair> known_;  // by program and plan
};

}  // namespace fusillade::bench
