// How the arguments of an operator hang together where its schema does not say: the line `draw` of
// its entry (engine/ops/entry.h).
//
//   aten::baddbmm_
//       draw self=f[B,N,M] batch1==[B,N,K] batch2==[B,K,M]
//
// Arguments that it does not name are drawn by type and name alone (drawn_call.h).
// prim::complex_NAME, which takes pairs for complex tensors, has that of aten::NAME unless it has
// its own. An argument's form:
//
//   f[B,2N,K+1]   a tensor: its dtypes and its sizes. f floats, w float and double, s float,
//                 i integers, l int64, h int32, b bool, n numbers, a any, = the dtype of the first
//                 tensor. Letters are sizes, one value each per call; * are some dimensions more,
//                 the same wherever
//   l[N]{0..C-1}  whose elements lie in that range
//   (f[N];f[M])   a list of tensors
//   <N,2,1..3>    a list of ints; of floats, where such are wanted: <0.5,0.3..2.6>
//   N+1, 1..3     an int; a number between these
//   fro|nuc       one of these words (or of these numbers)
//   None, True, False, 1.5
//   ?             before any of these: or None;  ~: or the default
//
// A capital letter as an argument sets what that size may be: N=2..4.
#pragma once

#include <string_view>

#include "engine/ops/operator.h"

namespace fusillade::fuzz {

// Empty: there is none.
std::string_view recipe_of(const Operator& op);

}  // namespace fusillade::fuzz
