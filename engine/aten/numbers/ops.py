# How arguments of Python's functions on numbers and strings are drawn.

aten::__lshift__.int, aten::__rshift__.int
    draw b=0..63
aten::__range_length
    draw step=1..3
aten::_infer_size
    draw a=<N,1> b=<1,M>|<M>
aten::acos.float, aten::asin.float
    draw a=-1.0..1.0
aten::acos.int, aten::asin.int
    draw a=-1..1
aten::acosh.float
    draw a=1.0..9.5
aten::acosh.int, aten::gamma.int, aten::lgamma.int
    draw a=1..9
aten::atanh.float
    draw a=-0.9..0.9
aten::atanh.int
    draw a=0
aten::factorial.int
    draw a=0..20
aten::mul.left_t, aten::mul.right_, aten::mul_.t
    draw n=-1..3
aten::sqrt.float
    draw a=0.0..9.5

aten::add, aten::add.int, aten::add.float, aten::mul, aten::mul.int, aten::mul.float, aten::eq,
aten::eq.int, aten::eq.float, aten::ne, aten::ne.int, aten::ne.float
    traits commutes, total

aten::add.float_int, aten::add.int_float, aten::mul.float_int, aten::mul.int_float,
aten::eq.float_int, aten::eq.int_float, aten::ne.float_int, aten::ne.int_float, aten::eq.bool,
aten::ne.bool, aten::sub, aten::sub.int, aten::sub.float, aten::sub.float_int, aten::sub.int_float,
aten::lt, aten::lt.int, aten::lt.float, aten::lt.float_int, aten::lt.int_float, aten::le,
aten::le.int, aten::le.float, aten::le.float_int, aten::le.int_float, aten::gt, aten::gt.int,
aten::gt.float, aten::gt.float_int, aten::gt.int_float, aten::ge, aten::ge.int, aten::ge.float,
aten::ge.float_int, aten::ge.int_float, aten::neg.Scalar, aten::neg.int, aten::neg.float, prim::max,
prim::max.int, prim::max.float, prim::max.float_int, prim::max.int_float, prim::min, prim::min.int,
prim::min.float, prim::min.float_int, prim::min.int_float, aten::__and__.int, aten::__and__.bool,
aten::__or__.int, aten::__or__.bool, aten::__not__, aten::Bool.int, aten::Bool.float,
aten::Float.Scalar, aten::Float.int, aten::Float.bool
    traits total
