// Errors of a program, kept until all of them are known.
//
// A problem is reported once, at its location; the chain says which functions were being compiled
// when it was found. What a failed statement would have computed is unknown, and so is what depends
// on it: using it is not a problem of its own.
#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"

namespace fusillade::front {

struct Problem {
  std::string text;   // message, file, line, context, caret
  std::string chain;  // a line for each caller, innermost first, or empty
};
using Problems = std::vector<Problem>;

inline constexpr size_t kReportedProblems = 20;  // in one message
inline constexpr size_t kKeptProblems = 200;     // of one function; it is given up then

inline constexpr size_t kLongestChain = 4096;  // bytes of a problem's chain of callers

// Adds what is not there yet; of two with one text the longer chain is kept.
void add_problem(Problems& to, Problem problem);
// The first of them in one message, and how many more there are. A chain follows the last of the
// consecutive problems that have it.
std::string summary_of(const Problems& problems);

// A function cannot be used, for these reasons.
class Failed : public Error {
 public:
  explicit Failed(Problems problems)
      : Error(summary_of(problems)), problems_(std::move(problems)) {}
  const Problems& problems() const { return problems_; }

 private:
  Problems problems_;
};

// Something of a failed statement is used.
class Unknown : public Error {
 public:
  Unknown() : Error("unknown because of an earlier error") {}
};

// The problems that an error contains: none for an Unknown.
Problems problems_of(const Error& error);

}  // namespace fusillade::front
