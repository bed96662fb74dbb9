# What the host asks of a program's values.

aten::div.out
    draw self=f[N] other==[N] out==[N]
