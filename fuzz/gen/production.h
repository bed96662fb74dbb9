// Productions: the steps that programs are built from. Each is a row, registered in the file that
// has its function: for graphs a step, for scripts a statement or an expression.
//
//   [[maybe_unused]] const bool kRegistered = add_productions(
//       Grammar::Step, 8, {{"loop", "a bounded loop with carried values", 0, loop, 1}});
//
// A policy (policy.h) gives productions other weights by name. The decision stream counts how often
// each was applied (Choices::productions).
#pragma once

#include <climits>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/base/table.h"
#include "fuzz/gen/source_text.h"

namespace fusillade {
struct Operator;
class Type;
}  // namespace fusillade

namespace fusillade::fuzz {

class Choices;
struct GraphState;
namespace source {
struct Writer;
}

// What a production makes, and where: one is drawn among those of a grammar.
enum class Grammar : uint8_t {
  Step,             // of a graph
  Statement,        // of a script
  TensorStatement,  // of a script, about tensors
  Int,              // and below: an expression of that type
  Count,            // an int, asked of containers and strings
  Float,
  Bool,
  Asked,  // a bool, asked of strings and lists
  Thing,  // a bool, asked of dicts, enums and objects
  Str,
  List,        // and below: an expression of a type that is given
  Dict,        //
  ListChange,  // and below: a statement
  DictChange,  //
  Exit,        // control leaves a block
  Python       // a statement of whole Python, with functions and classes of its own (python.h)
};
inline constexpr int kGrammars = 16;
const char* name_of(Grammar grammar);

// Does control reach what follows a statement? None: nothing was written, for nothing fits.
enum class End : uint8_t { None, Falls, Leaves };

// What makes it: a function of its grammar. Expressions that are empty, too: nothing fits.
struct Make {
  using Step = void (*)(GraphState&, int depth);
  using Statement = End (*)(source::Writer&, int depth);
  using Expression = Text (*)(source::Writer&, int depth);
  using Typed = Text (*)(source::Writer&, const Type& type, int depth);
  Step step = nullptr;
  Statement statement = nullptr;
  Expression expression = nullptr;
  Typed typed = nullptr;
  const char *top = nullptr, *body = nullptr;  // texts of whole Python

  Make() = default;
  template <std::convertible_to<Step> F>
  Make(F f) : step(f) {}
  template <std::convertible_to<Statement> F>
  Make(F f) : statement(f) {}
  template <std::convertible_to<Expression> F>
  Make(F f) : expression(f) {}
  template <std::convertible_to<Typed> F>
  Make(F f) : typed(f) {}
  Make(const char* top, const char* body) : top(top), body(body) {}
};

inline constexpr int kAnyDepth = INT_MAX;
inline constexpr bool kAskedFirst = true;

struct Production {
  std::string name;  // "branch"; of scripts "script.branch", "int.sum"
  std::string summary;
  double weight = 0;  // where a policy has none
  Make make = {};
  int deepest = kAnyDepth;   // how many blocks may enclose it
  bool asked_first = false;  // its weight is a chance, drawn before one of the others is
  bool (*may)(const source::Writer&) = nullptr;  // of those asked first: may it be drawn here?
  // Of a step that is one node: of which operators. It may do without `make`.
  const std::vector<const Operator*>& (*operators)(GraphState&) = nullptr;
  Grammar grammar = Grammar::Step;
  int order = 0;  // simple ones first: fuzz bytes that have ended draw the first
  size_t number = 0;
};

// Rows of one grammar, at positions `first` and following in its order.
bool add_productions(Grammar grammar, int first, std::initializer_list<Production> rows);

// A production under one policy.
struct Share {
  const Production* production;
  uint64_t weight;  // of those drawn by weight
  double chance;    // of those asked first
};
// Of one grammar, in their order.
struct Shares {
  std::vector<Share> asked_first;
  std::vector<Share> weighted;
};

// One of those that are allowed at that depth.
const Production& draw_by_weight(Choices& choices, const std::vector<Share>& shares, int depth);

}  // namespace fusillade::fuzz
