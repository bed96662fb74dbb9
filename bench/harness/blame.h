// Finds the pass that causes a regression: the plan's pipeline is tried from nothing to all of it
// under both builds, instructions counted. To blame is the first pass after which the two builds'
// graphs differ, where most of what the new build costs more comes from there on: later passes cost
// more because they meet another graph. Where the graphs do not decide, it is the pass that adds
// most, if that is half of it or more.
//
// A program with gradients has a pipeline of its own behind the plan's (ready.h). Any pass brings
// it, so it is tried first, alone, and kept while the others are added before it:
//
//   vm    vm/autodiff(whole,mincut,2)    vm/inline,autodiff(whole,mincut,2)    ...
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/program.h"
#include "engine/run/plan.h"
#include "fuzz/run/commit.h"

namespace fusillade::bench {

// A part of a plan that is tried, and the pass that it has and the one before it has not.
struct Trial {
  std::string plan;
  std::string pass = {};   // its name; empty: the plan has none
  std::string words = {};  // as blamed: the pass with its words
  double before = 0;       // instructions of the old build, and of the new
  double after = 0;
  std::string before_code = {};  // hash of the graph and its kernels; "": not known
  std::string after_code = {};
};

// From no pass to all of them, nothing counted yet. `plan` is that by which the program is run
// (plan_of).
std::vector<Trial> trials_of(const Plan& plan, bool backward);

// In words: "pass cse: +0.00 % without it, +4.98 % with it", "no pass: ..." where it is there
// without any, "unknown: ..." where nothing adds half of it.
std::string blame_text(const std::vector<Trial>& trials);

struct Regressed {
  std::string program;
  std::string plan;
  bool compile = false;  // of the compile and the first call; else of a steady call
};

class Blamer {
 public:
  // `programs`: those that were measured; `words`: the flags of bench by which both load them;
  // `out`: a folder for what they say.
  Blamer(const fuzz::CommitBuild& before, const fuzz::CommitBuild& after,
         std::vector<Program> programs, std::vector<std::string> words, std::string out)
      : before_(before),
        after_(after),
        programs_(std::move(programs)),
        words_(std::move(words)),
        out_(std::move(out)) {}

  std::string blame(const Regressed& row);

 private:
  using Counts = std::map<std::string, double>;  // by plan
  struct Counted {
    Counts steady, first;
    std::map<std::string, std::string> code;
  };
  struct Pair {
    Counted before, after;
  };
  const Program& program_of(const Regressed& row) const;
  Counted count_trials(const fuzz::CommitBuild& build, const Regressed& row,
                       const std::vector<Trial>& trials);
  const Pair& counts_of(const Regressed& row, const std::vector<Trial>& trials);

  fuzz::CommitBuild before_, after_;
  std::vector<Program> programs_;
  std::vector<std::string> words_;
  std::string out_;
  std::map<std::pair<std::string, std::string>, Pair> known_;  // by program and plan
};

}  // namespace fusillade::bench
