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
    traits commutes
