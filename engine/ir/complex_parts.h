// Complex tensors within a program, as pairs of real numbers: a tensor whose last dim has the
// size 2.
//
//   %c : Tensor = aten::view_as_complex(%x)        %c : Tensor = prim::complex_view_as_complex(%x)
//   %m : Tensor = aten::mul(%c, %freqs)       ==>  %f : Tensor = prim::complex_of(%freqs)
//   %y : Tensor = aten::abs(%m)                    %m : Tensor = prim::complex_mul(%c, %f)
//                                                  %y : Tensor = prim::complex_abs(%m)
//
// Complex values are tracked from where they are created: through branches, loops, lists and
// tuples; calls are inlined before. The operators that replace others are written in the language
// (aten/pairs, aten/fft), so gradients, passes, fusers and oracles know nothing of them. What has
// no such operator raises where it is reached, with its name, and so does a program that gives or
// takes complex numbers itself.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "engine/ir/graph.h"

namespace fusillade {

// Tensors that hold pairs although the program has them for complex ones: of constants, by
// identity; of objects, by class and field.
struct ComplexTensors {
  std::set<const void*> constants;
  std::set<std::pair<std::string, std::string>> fields;
};

// Does an operator on pairs give pairs, or lists of them? Others give real tensors, or numbers.
bool gives_pairs(const Operator& op);

// The program in these terms; null where it has no complex numbers.
std::unique_ptr<Graph> complex_as_pairs(const Graph& graph, const ComplexTensors& known = {});

}  // namespace fusillade
