// Ops that cost packs (pack.h): an external engine failed on a program that has them, or left a
// part of it to its interpreter, and has answered none that does. A pack with one of them is asked
// for nothing, and so are its halves, down to that program.
//
//   failed on {add, exp}, answered {exp, mul}   ->   add
//
// An op that did no wrong is cleared by the first program of it that is answered, alone or in a
// pack. What is kept hangs on what was asked before, and decides how programs are asked, never
// what is said of them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

class Unanswered {
 public:
  static Unanswered& of_thread(const std::string& engine);
  void record(const Graph& program, bool answered);
  bool in(const Graph& program) const;

 private:
  std::set<const Operator*> answered_, failed_;
};

}  // namespace fusillade::fuzz
