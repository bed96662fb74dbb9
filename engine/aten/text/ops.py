# How arguments of Python's functions on strings are drawn.

aten::Float.str
    draw a=10|-7.5|inf|1e3
aten::Int.str
    draw a=10|-7|0
aten::center, aten::ljust, aten::rjust, aten::zfill
    draw width=0..12
aten::chr
    draw i=32..1000
aten::device
    draw a=cpu
aten::index.str
    draw self=Hello|abcel substr=el
aten::rindex
    draw self=abcab substr=ab|b
aten::mul.int_str, aten::mul.str_int
    draw n=-1..4
aten::ord
    draw string=a|b|0
