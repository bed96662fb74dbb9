// What a finding in an external engine claims, as an expression of Python can ask it again: where
// among results and inputs, what was expected there, and how far from it is legal.
//
// What was expected comes from a run of the family's eager mode, or, where that mode itself is
// judged, from ours under the shadow.
#pragma once

#include "fuzz/run/foreign/literal.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

// "output 2[0]", as verdicts name it.
struct Place {
  bool of_input = false;
  size_t index = 0;
  std::vector<size_t> path;  // into lists
  int64_t element = -1;      // none: the whole
};

struct Claim {
  enum class Kind : uint8_t {
    Element,  // a number
    Facts,    // dtype and sizes
    Strides,
    Aliases,  // which share memory
    Whole,    // type or length
    Raises,   // an error where none is expected
    Missing,  // none where one is
    Classes,  // another class of error
    Dies,
    Late
  };
  Kind kind = Kind::Element;
  Place place;
  bool single = false;   // Element: the only one of its tensor
  Place other;           // Aliases: what it shares memory with, on one of the two sides
  bool offsets = false;  // Aliases: and where in it
  size_t call = 0;       // the one that shows it
  // Where ours is expected: its Python, or a text of it. Empty: the engine's eager mode says it.
  std::string expected;
  std::string got_is_legal;  // a condition over `expected` and `got`
  // Is `expected` what a script computes, so that it may fail that condition itself?
  bool expected_is_asked = false;
  // Of the eager mode: what it gave in that call.
  std::vector<IValue> outputs;
};

// Does it say that ONNX Runtime gave another shape or dtype than the graph has? ort's worker raises
// then.
bool of_another_shape(const Verdict& verdict);

// Runs the case again. Throws Unsupported where the verdict says nothing that a script can ask.
Claim claim_of(const Case& c, const Verdict& verdict, const Dialect& dialect);

}  // namespace fusillade::fuzz
