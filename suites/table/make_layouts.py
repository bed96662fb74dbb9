#!/usr/bin/python3
"""Writes layouts.txt: how results lie in memory, as PyTorch answers.

Run with an interpreter that has PyTorch (Debian's python3-torch, 1.13.1):

    /usr/bin/python3 suites/table/make_layouts.py > suites/table/layouts.txt

Lines:
    x SIZES STRIDES                      the operand of the lines that follow, in f32
    EXPRESSION => SIZES STRIDES WHOSE    the result's; WHOSE is self (the operand itself), view (of
                                         its memory), fresh
    EXPRESSION => error
"""

import argparse
import sys

import torch

FORMATS = ["contiguous_format", "preserve_format", "channels_last", "channels_last_3d"]
FORMATTED = [
    "x.contiguous({})",
    "x.clone({})",
    "x.to({})",
    "x.to(torch.float64, {})",
    "x.to(torch.float32, copy=True, {})",
    "x.to(x, {})",
    "x.to('cpu', torch.float16, {})",
    "torch.zeros_like(x, {})",
    "torch.empty_like(x, {})",
    "torch.full_like(x, 2, dtype=torch.int64, {})",
    "torch.rand_like(x, {})",
    "torch.randint_like(x, 4, {})",
    "torch.empty(x.size(), {})",
]
PLAIN = [
    "x.clone()",
    "x.contiguous()",
    "x.to(torch.float64)",
    "torch.ones_like(x)",
    "torch.relu(x)",
    "x + 1",
    "x + torch.ones(x.size())",
    "torch.ones(x.size()) + x",
    "x * x.sum()",
    "torch.where(x > 0, x, x + 1)",
    "x.masked_fill(x > 0, 1)",
    "torch.nn.functional.hardtanh(x)",
    "torch.nan_to_num(x)",
    "torch.clamp(x, 0, 1)",
    "torch.pow(x, 2)",
    "torch.lerp(x, x, 0.5)",
]
IMAGES = [[2, 3, 4, 5], [2, 1, 4, 5], [1, 3, 1, 1], [2, 3, 1, 4], [1, 1, 1, 1], [2, 3, 1, 1]]
EMPTY = [[2, 0, 3, 4], [2, 3, 0, 4]]
VOLUMES = [[2, 3, 2, 2, 3], [1, 2, 3, 1, 2]]
OTHERS = [
    ([2, 3, 2, 5], [60, 20, 10, 1]),
    ([2, 3, 4, 5], [20, 0, 5, 1]),
    ([4, 3, 2], [1, 4, 12]),
    ([2, 3], [1, 2]),
    ([], []),
    ([2, 2, 3, 2], [24, 1, 4, 2]),
    ([2, 3, 4, 5], [1, 2, 6, 24]),
    ([3, 1, 1, 1], [5, 1, 1, 1]),
    ([2, 3, 1, 4], [12, 1, 12, 3]),
    ([1, 3, 2, 2], [1, 1, 6, 3]),
    ([2, 1, 3, 1], [3, 3, 1, 1]),
    ([2, 1, 3, 1], [3, 1, 1, 1]),
    ([2, 4], [0, 1]),
    ([2, 3, 4, 5], [120, 2, 30, 6]),
]


def layouts():
    for sizes in IMAGES + EMPTY + VOLUMES:
        last = torch.channels_last if len(sizes) == 4 else torch.channels_last_3d
        yield sizes, list(torch.empty(sizes).stride())
        yield sizes, list(torch.empty(sizes, memory_format=last).stride())
    yield from OTHERS


def operand(sizes, strides):
    reach = (
        1 + sum((size - 1) * stride for size, stride in zip(sizes, strides)) if all(sizes) else 1
    )
    return torch.zeros(max(reach, 1)).as_strided(sizes, strides)


def answer(expression, x):
    try:
        y = eval(expression, {"torch": torch, "x": x})
    except RuntimeError:
        return "error"
    shares = y.numel() > 0 and y.data_ptr() == x.data_ptr()
    return (
        f"{list(y.shape)} {list(y.stride())} {'self' if y is x else 'view' if shares else 'fresh'}"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    expressions = [e.format("memory_format=torch." + f) for f in FORMATS for e in FORMATTED] + PLAIN
    print(f"# made by make_layouts.py with PyTorch {torch.__version__}")
    for sizes, strides in layouts():
        print("x", sizes, strides)
        for expression in expressions:
            print(expression, "=>", answer(expression, operand(sizes, strides)))


if __name__ == "__main__":
    sys.exit(main())
