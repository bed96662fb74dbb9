#!/usr/bin/python3
"""Writes NAME.txt beside every NAME.py here: what TorchScript 1.13.1 gives.

One line per call: function, a, b, result, for each function t<N>(a, b) and a in -1..5, b in 0..2;
"error" where the call raises. Needs python3-torch; the results are kept in the repository.
"""

import argparse
import glob
import importlib.util
import os

import torch


def functions(path):
    spec = importlib.util.spec_from_file_location("m", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [
        (n, torch.jit.script(f)) for n, f in vars(module).items() if n[0] == "t" and n[1:].isdigit()
    ]


def result(f, a, b):
    try:
        return str(f(a, b))
    except Exception:
        return "error"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    for path in sorted(glob.glob(os.path.join(here, "*.py"))):
        if path.endswith("make_expected.py"):
            continue
        with open(path[:-3] + ".txt", "w", encoding="utf-8") as out:
            for name, f in functions(path):
                for a in range(-1, 6):
                    for b in range(3):
                        print(name, a, b, result(f, a, b), file=out)


if __name__ == "__main__":
    main()
