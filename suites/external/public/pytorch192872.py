# pytorch#192872: a class made in the function loses what it got before a graph break.
# https://github.com/pytorch/pytorch/issues/192872
# Eager mode adds 2, the compiled function 1.
import torch

torch._dynamo.config.enable_trace_load_build_class = True


def f(t):
    class Holder:
        items = []

    Holder.items.append(1)
    y = t * 2
    torch._dynamo.graph_break()
    Holder.items.append(2)
    z = y * 3
    return z.sum() + len(Holder.items)
