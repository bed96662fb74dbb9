# pytorch#195488: an error within autocast leaves autocast entered.
import torch


def f(x, index):
    with torch.amp.autocast("cpu", dtype=torch.bfloat16):
        return x.index_select(0, index)
