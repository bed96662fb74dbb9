// Which elements of memory the accesses of a kernel touch, as far as integer analysis shows, and
// whether two of them may touch one element in different iterations of a loop. For check() and for
// whoever moves statements.
//
// An index is followed where it is affine: a number, and numbers times terms. A term is a variable
// of a loop, an extent, or a quotient or remainder (floor_div, floor_mod by a number) of what is
// affine itself; lets are looked through. Anything else, an element that was loaded or an
// accumulator, is unknown, and so is a sum that may pass 2^40. What is unknown may touch anything.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/kernel/int_range.h"

namespace fusillade::kernel {

struct Term {
  int64_t times = 0;
  std::set<int> variables = {};     // of loops, that it depends on
  std::optional<Range> range = {};  // nothing: not known
};

struct Affine {
  int64_t constant = 0;
  std::map<std::string, Term> terms = {};  // by what they are: "v3", "v3/8", "(v3*8 + 1)%5"
  std::optional<Range> range() const;
  std::string text() const;
};

// What variables are in force at a place of a kernel.
struct Scope {
  std::map<int, const Stmt*> loops;     // For, by variable
  std::map<int, const ExprNode*> lets;  // of integers
  std::set<int> extents;                // scalar arguments, the same for all
};
std::optional<Affine> affine_of(const ExprNode* index, const Scope& scope);

struct Access {
  int buffer = -1;
  bool write = false;
  std::vector<std::optional<Affine>> at = {};
  std::vector<const Stmt*> loops = {};  // around it, outermost first
  const Stmt* statement = nullptr;
  bool under_if = false;
  const ExprNode* load = nullptr;  // of a read
  int number = 0;                  // of the statement, in the order of the text
};
// All of a kernel, in the order of the text.
std::vector<Access> accesses_of(const Kernel& kernel);

// Do `a` and `b`, at most one iteration of the loop over `var` each, touch no common element unless
// the iteration is the same? Variables of `outer` have one value for both, all others any. False
// where that is not known.
bool same_iteration_only(const Kernel& kernel, const Access& a, const Access& b, int var,
                         const std::set<int>& outer);
bool may_overlap(const Kernel& kernel, int a, int b);  // may they share memory?

// Does no iteration of the loop, which is one of those around `a`, touch what `a` touches in
// another?
bool disjoint_from_itself(const Kernel& kernel, const Access& a, const Stmt& loop);

}  // namespace fusillade::kernel
