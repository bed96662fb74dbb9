// The operators that code puts into programs by name, each looked up once: what a rewrite builds,
// or a production that generates programs for one pass. A name of no operator fails in a test
// (suites/unit/traits_test.cpp). Facts of operators are lines of their entries (ops/entry.h).
#pragma once

#include "engine/ops/operator.h"

namespace fusillade::aten {

// function, name
#define FUS_NAMED_OPERATORS(X)    \
  X(add, "add.Tensor")            \
  X(add_scalar, "add.Scalar")     \
  X(add_, "add_.Tensor")          \
  X(mul, "mul.Tensor")            \
  X(mul_, "mul_.Tensor")          \
  X(neg, "neg")                   \
  X(neg_, "neg_")                 \
  X(abs, "abs")                   \
  X(relu, "relu")                 \
  X(sin, "sin")                   \
  X(add_int, "add.int")           \
  X(sub_int, "sub.int")           \
  X(mul_int, "mul.int")           \
  X(div_float, "div.float")       \
  X(floordiv_int, "floordiv.int") \
  X(lt_int, "lt.int")             \
  X(gt_int, "gt.int")             \
  X(and_bool, "__and__.bool")     \
  X(cast_double, "_cast_Double")  \
  X(cast_float, "_cast_Float")    \
  X(cast_long, "_cast_Long")      \
  X(zeros_like, "zeros_like")     \
  X(ones_like, "ones_like")       \
  X(rand, "rand")                 \
  X(rand_like, "rand_like")       \
  X(dropout, "dropout")           \
  X(zero_, "zero_")               \
  X(copy_, "copy_")               \
  X(clone, "clone")               \
  X(cat, "cat")                   \
  X(stack, "stack")               \
  X(mm, "mm")                     \
  X(matmul, "matmul")             \
  X(lt, "lt.Tensor")              \
  X(where, "where.self")          \
  X(select, "select.int")         \
  X(slice, "slice.Tensor")        \
  X(narrow, "narrow")             \
  X(view, "view")                 \
  X(reshape, "reshape")           \
  X(unsqueeze, "unsqueeze")       \
  X(expand, "expand")             \
  X(t, "t")                       \
  X(transpose, "transpose.int")   \
  X(append, "append.t")           \
  X(extend, "extend.t")           \
  X(insert, "insert.t")           \
  X(pop, "pop.t")                 \
  X(reverse, "reverse.t")         \
  X(set_item, "_set_item.t")

#define FUS_NAMED_OPERATOR(function, name)                    \
  inline const Operator& function() {                         \
    static const Operator& r = operator_named("aten::" name); \
    return r;                                                 \
  }
FUS_NAMED_OPERATORS(FUS_NAMED_OPERATOR)
#undef FUS_NAMED_OPERATOR

}  // namespace fusillade::aten
