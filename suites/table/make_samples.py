#!/usr/bin/python3
"""Writes samples/FAMILY.txt: PyTorch's answers to literal calls of ATen's operators, one a line.

Run with an interpreter that has PyTorch (Debian's python3-torch, 1.13.1) and torchvision
(python3-torchvision):

    /usr/bin/python3 suites/table/make_samples.py            # every family
    /usr/bin/python3 suites/table/make_samples.py casts      # one

Grammar of a line ('#' starts a comment line):
    line    = row '|' values arrow (values | 'error')
    arrow   = ' => '       every element equal bit by bit (NaN is NaN)
            | ' ~> '       within 4 ulp of f32 or f64, 1 ulp of f16 or bf16, at the expected value;
                           the sign of zero is free
            | ' ~B> '      within B, a hexadecimal float, of the expected value
    values  = value {', ' value}
    value   = tensor | number | 'True' | 'False' | 'None' | "'" text "'" | '[' [values] ']'
    tensor  = dtype '[' [size {', ' size}] ']' '{' [element {',' element}] '}'
    element = hexadecimal float, nan, inf, -inf | decimal integer | 0 or 1 for bool
A line "schema TEXT" states the schema of an op that the file calls.
Arguments are positional, in the schema's order, trailing defaults left out. dtype arguments are
ATen's codes. A call that PyTorch rejects is an 'error' line. Left out: kernels that 1.13.1 lacks on
the CPU for f16 or bf16, conversions and shifts that C++ leaves undefined, and calls whose answer
depends on an element's position in the tensor (vector and scalar kernels differ) or is an accident
(to.prim_other with copy=True reads the flag as a dtype).
"""

import argparse
import os

import sample_added_calls
import sample_checked_calls
import sample_complex_calls
import sample_index_calls
import sample_layer_calls
import sample_module_calls
import sample_pointwise_calls
import sample_scalar_calls
import sample_scripted_calls
import sample_special_calls
import sample_spectrum_calls
import sample_tensor_calls
import sample_vision_calls
import torch
from sample_text import OF_PAIRS, Samples, stated_schema

MODULES = (
    sample_pointwise_calls,
    sample_tensor_calls,
    sample_scalar_calls,
    sample_module_calls,
    sample_index_calls,
    sample_scripted_calls,
    sample_layer_calls,
    sample_special_calls,
    sample_checked_calls,
    sample_added_calls,
    sample_spectrum_calls,
    sample_complex_calls,
    sample_vision_calls,
)
FAMILIES = {f.__name__: f for module in MODULES for f in module.FAMILIES}
assert len(FAMILIES) == sum(len(module.FAMILIES) for module in MODULES), "two of one name"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("family", nargs="*", help="(default: all)")
    given = parser.parse_args().family
    if unknown := [name for name in given if name not in FAMILIES]:
        parser.error(f"no family: {' '.join(unknown)}")
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples")
    os.makedirs(folder, exist_ok=True)
    for name in given or FAMILIES:
        s = Samples()
        FAMILIES[name](s)
        with open(os.path.join(folder, name + ".txt"), "w") as out:
            out.write(
                f"# {name}: by make_samples.py from PyTorch {torch.__version__};"
                " see there for the grammar\n"
            )
            rows = {line.partition("|")[0] for line in s.lines}
            for op in sorted(op for op in rows if not op.startswith(OF_PAIRS)):
                out.write(f"schema {stated_schema(op)}\n")
            out.write("".join(line + "\n" for line in s.lines))
        print(f"{name}: {len(s.lines)} samples")


if __name__ == "__main__":
    main()
