// Which nodes may run earlier than at their position: those that cannot raise an error.
#include "engine/passes/raises.h"

#include <gtest/gtest.h>

namespace fusillade {
namespace {

// The last node of a program that begins with these inputs and constants.
bool raises(const std::string& node) {
  const std::string ir =
      "graph(%f : Float(2, 3, strides=[3, 1]), %g : Float(3, strides=[1]), %i : Long(3, "
      "strides=[1]),"
      " %t : Tensor, %e : Float(0, 3, strides=[3, 1]), %n : int, %l : int[]):\n"
      "  %0 : int = prim::Constant[value=0]()\n"
      "  %1 : int = prim::Constant[value=1]()\n"
      "  %7 : int = prim::Constant[value=7]()\n"
      "  %no : bool = prim::Constant[value=0]()\n"
      "  %none : NoneType = prim::Constant()\n"
      "  %dims : int[] = prim::Constant[value=[0]]()\n  " +
      node + "\n  return (%r)\n";
  return may_raise(parse_graph(ir)->block()->last());
}

TEST(Raises, NotWhatTypesAndConstantsTellIsLegal) {
  EXPECT_FALSE(raises("%r : Float(2, 3, strides=[3, 1]) = aten::mul(%f, %g)"));
  EXPECT_FALSE(raises("%r : Float(2, 3, strides=[3, 1]) = aten::div(%f, %g)"));
  EXPECT_FALSE(raises("%r : Long(3, strides=[1]) = aten::mul(%i, %i)"));
  EXPECT_FALSE(raises("%r : Float(3, 2, strides=[1, 3]) = aten::t(%f)"));
  EXPECT_FALSE(raises("%r : Float(3, strides=[1]) = aten::select(%f, %0, %1)"));
  EXPECT_FALSE(raises("%r : Float(2, strides=[1]) = aten::mv(%f, %g)"));
  EXPECT_FALSE(raises("%r : Float(3, strides=[1]) = aten::amax(%f, %dims, %no)"));
  EXPECT_FALSE(raises("%r : int = aten::mul(%n, %n)"));
  EXPECT_FALSE(raises("%r : int = aten::len(%l)"));
  EXPECT_FALSE(raises("%r : int = aten::dim(%t)"));
  EXPECT_FALSE(raises("%r : bool = aten::lt(%n, %n)"));
  EXPECT_FALSE(raises("%r : Tensor[] = prim::ListConstruct(%t)"));
}

TEST(Raises, WhatElementsSizesOrNumbersDecide) {
  EXPECT_TRUE(raises("%r : Tensor = aten::mul(%f, %t)"));
  EXPECT_TRUE(raises("%r : Tensor = aten::mul(%e, %f)"));
  EXPECT_TRUE(raises("%r : Long(3, strides=[1]) = aten::floor_divide(%i, %i)"));
  EXPECT_TRUE(raises("%r : Tensor = aten::select(%f, %0, %7)"));
  EXPECT_TRUE(raises("%r : Tensor = aten::select(%f, %0, %n)"));
  EXPECT_TRUE(raises("%r : Tensor = aten::mv(%f, %t)"));
  EXPECT_TRUE(raises("%r : Tensor = aten::amax(%e, %dims, %no)"));
  EXPECT_TRUE(raises("%r : int = aten::floordiv(%1, %n)"));
  EXPECT_TRUE(raises("%r : int = aten::__getitem__(%l, %0)"));
  EXPECT_TRUE(raises("%r : int = aten::len(%t)"));  // of no dimensions: none
  EXPECT_TRUE(raises("%r : Float(2, 3, strides=[3, 1]) = aten::mul_(%f, %g)"));
  EXPECT_TRUE(raises("%r : Float(3, strides=[1]) = aten::index_select(%g, %0, %i)"));
}

}  // namespace
}  // namespace fusillade
