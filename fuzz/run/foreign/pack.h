// Packs: independent programs merged into one, for external engines whose compiles cost more than
// their calls (Contract::packs). A pack concatenates the arguments, and so the results.
//
//   graph(%a):  return (f(%a))     graph(%b):  return (g(%b))
//   ->  graph(%a, %b):  return (f(%a), g(%b))
//
// A pack is a case like any other: a fault that shows only in a pack is saved and reduced as such.
// Some engines recompile for other sizes (Contract::recompiles). There, calls of a program that
// differ in more than elements are separate members: else each call would recompile the whole pack.
//
// A pack runs before its members are judged. If its outcome is not values, or the engine left a
// part to its interpreter, its halves run instead; single members do not. Not packed: programs with
// effects, programs that read tensors into numbers or raise in eager mode, and programs with ops
// that the engine declines or that made it fail so far (unanswered.h). Programs that write their
// inputs have packs of their own.
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
