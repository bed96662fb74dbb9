// Independent programs made one, for engines outside whose compiles cost more than their calls
// (Contract::packs): the arguments one behind the other, and so the results.
//
//   graph(%a):  return (f(%a))     graph(%b):  return (g(%b))
//   ->  graph(%a, %b):  return (f(%a), g(%b))
//
// A pack is a case like any other, so a fault that shows only there is saved and reduced as such.
// It is asked before its members are judged; an outcome that is no values, or of which the engine
// left a part to its interpreter, is asked again of its halves, and of single programs not at all.
// Stay apart: programs that write their inputs, have branches or effects, read tensors into
// numbers, or raise in eager mode.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// May this program be a part of one?
bool may_pack(const Graph& program);
// The cases as one; at least two, of programs that may, and with calls of one number.
Case packed(std::span<const Case* const> members);

// What was answered in packs, until somebody asks for it.
class Foreseen {
 public:
  static Foreseen& of_thread();
  struct Answer {
    std::vector<Outcome> eager, observed;  // of each call
    std::shared_ptr<const Case> pack;      // in which the plan met it
  };
  // Asks the plan and its family's eager mode of these cases, in packs as large as the engine's
  // contract has them.
  void ask(std::span<const Case* const> cases, const std::string& plan);
  // The answer on such a program and such calls, once.
  std::optional<Answer> take(const Case& c, const std::string& plan);
  void clear() { answers_.clear(); }

 private:
  struct Member {
    const Case* given;
    std::vector<Outcome> eager;
  };
  void ask_pack(std::span<Member> members, const std::string& plan);
  std::vector<std::pair<std::string, Answer>> answers_;
};

}  // namespace fusillade::fuzz
