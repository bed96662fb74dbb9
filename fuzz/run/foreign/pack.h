// Independent programs made one, for external engines whose compiles cost more than their calls
// (Contract::packs): the arguments one behind the other, and so the results.
//
//   graph(%a):  return (f(%a))     graph(%b):  return (g(%b))
//   ->  graph(%a, %b):  return (f(%a), g(%b))
//
// A pack is a case like any other, so a fault that shows only there is saved and reduced as such.
// Where an engine compiles anew what is called with other sizes (Contract::recompiles), the calls
// of a program that differ in more than elements are members of their own: else each call of the
// whole would compile the whole again.
//
// It is asked before its members are judged; an outcome that is no values, or of which the engine
// left a part to its interpreter, is asked again of its halves, and of single members not at all.
// Stay apart: programs with effects, that read tensors into numbers, that raise in eager mode, of
// ops that the engine declines, or of such as made it fail so far (unanswered.h).
// Those that write their inputs have packs of their own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// With which others may this program be a part of one?
enum class Packs : uint8_t { Alone, WithReaders, WithWriters };
Packs packs_of(const Graph& program);

// A program and some of its calls, by number.
struct PackMember {
  const Case* given;
  std::vector<size_t> calls;
};
// The members as one program, of as many calls as the most have; those of fewer repeat the last. At
// least two, of programs of one kind.
Case pack_cases(std::span<const PackMember> members);

// What was answered in packs, until somebody asks for it.
class Foreseen {
 public:
  static Foreseen& of_thread();
  struct Answer {
    std::vector<Outcome> eager, observed;            // of each call
    std::vector<std::shared_ptr<const Case>> packs;  // in which the plan met each
  };
  // Asks the plan and its family's eager mode of these cases, in packs as large as the engine's
  // contract has them.
  void ask(std::span<const Case* const> cases, const Plan& plan);
  // The answer on such a program and such calls, once.
  std::optional<Answer> take(const Case& c, const Plan& plan);
  void clear() { answers_.clear(); }

 private:
  struct Asked {
    const Case* given;
    Answer answer;
    size_t answered = 0;  // calls
  };
  using Members = std::vector<std::pair<Asked*, PackMember>>;
  static void ask_pack(std::span<Members::value_type> members, const Plan& plan);
  std::vector<std::pair<std::string, Answer>> answers_;
};

}  // namespace fusillade::fuzz
