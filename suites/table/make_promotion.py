#!/usr/bin/python3
"""Writes promotion.txt: what PyTorch answers for type promotion, one case a line.

Run with an interpreter that has PyTorch (Debian's python3-torch, 1.13.1):

    /usr/bin/python3 suites/table/make_promotion.py > suites/table/promotion.txt

Lines:
    promote A B R                  torch.promote_types(A, B) = R
    result A:KIND B:KIND R         torch.result_type of two operands
    result A:KIND B:KIND C:KIND R  the dtype of addcmul's result (bool where all three are bool,
                                   which addcmul itself has no kernel for)
KIND is dim (a tensor of rank 1), zero (a 0-d tensor) or number (a Python scalar: bool, i64, f64).
"""

import argparse
import itertools
import sys

import torch

DTYPES = {
    "bool": torch.bool,
    "u8": torch.uint8,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
NUMBERS = {"bool": True, "i64": 1, "f64": 1.0}


def operands():
    for name, dtype in DTYPES.items():
        yield f"{name}:dim", torch.ones(2, dtype=dtype)
        yield f"{name}:zero", torch.ones((), dtype=dtype)
    for name, value in NUMBERS.items():
        yield f"{name}:number", value


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    print(f"# made by make_promotion.py with PyTorch {torch.__version__}")
    for a, b in itertools.product(DTYPES, repeat=2):
        print("promote", a, b, NAMES[torch.promote_types(DTYPES[a], DTYPES[b])])
    for (a, x), (b, y) in itertools.product(operands(), repeat=2):
        print("result", a, b, NAMES[torch.result_type(x, y)])
    for kinds in itertools.product(
        ("bool:dim", "i32:dim", "bf16:dim", "bool:zero", "i64:zero", "f64:zero"), repeat=3
    ):
        tensors = [
            torch.ones(2 if k.endswith("dim") else (), dtype=DTYPES[k.split(":")[0]]) for k in kinds
        ]
        all_bool = all(t.dtype == torch.bool for t in tensors)
        result = "bool" if all_bool else NAMES[torch.addcmul(*tensors).dtype]
        print("result", *kinds, result)


if __name__ == "__main__":
    sys.exit(main())
