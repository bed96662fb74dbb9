// Programs grown from given ones: ops inserted, dropped, exchanged, operands exchanged, dtypes and
// sizes of inputs changed.
//
//   given                                    a mutant
//   %y = aten::mul(%x, %w)                   %y = aten::atan2(%x, %w)
//   %z = aten::relu(%y)                      %t = aten::cumsum(%y, %c)
//                                            %z = aten::relu(%t)
//
// A mutation is tried on a copy; types are inferred anew, through branches and loops, and one that
// some op refuses is drawn again. What only a run shows (an index out of range) is not tried: a
// mutant may raise.
#pragma once

#include "fuzz/given/given.h"

namespace fusillade::fuzz {

struct MutateOptions {
  int calls = 4;
  std::function<bool(const Operator&)> operators = {};  // that may be inserted; empty: all
};

// A graph with calls; the given one itself where every mutation that was drawn was refused.
Case mutant(Choices& choices, const Given& given, const MutateOptions& options);

// Why there can be no mutants of it, or empty: mutants are graphs whose text is self-contained.
std::string unfit(const Given& given);

}  // namespace fusillade::fuzz
