// A program and its inputs as a module that holds them: forward(self) reads its attributes and
// gives what the program gives. What archives and freezing promise about state is asked of such
// modules.
//
//   %x0 : Tensor = prim::GetAttr[name="value"](prim::GetAttr[name="part0"](%self))
//
// A tensor lies in an object of one class, Part, that all tensors share; anything else in an
// attribute in0, in1, ... of the module, among it the module whose method the program is, put in
// evaluation mode. `again` lists the tensors once more, and `rest` a part of each that begins
// elsewhere in its storage: forward reads neither.
#pragma once

#include "engine/ir/unit.h"
#include "fuzz/case/case.h"

namespace fusillade::fuzz {

// The inputs become the module's own; give a copy to keep them. Throws Unsupported for inputs that
// hold objects but modules.
Module holding(const Graph& program, const Call& call);

// How two such modules differ in their state, bit for bit: types, values, sizes, strides, which
// tensors share memory at which offsets, which values are one. Empty when they do not.
std::string state_difference(const Module& wanted, const Module& found);

}  // namespace fusillade::fuzz
