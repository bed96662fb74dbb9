#!/usr/bin/env python3
"""results/conformance.md: which constructs of Python our front end takes, TorchScript takes, and
what they give.

    make_conformance.py [--check] [FUSILLADE]

Each block of the files next to this one, headed `#: construct`, is a program; its function `main`
is run by Python, by PyTorch's scripter and by `fusillade run` (default: build/release/fusillade).
Python's result is what counts. --check writes nothing and ends with code 1 when the committed table
is another.
"""

import argparse
import ast
import difflib
import importlib.util
import os
import subprocess
import sys
import tempfile
import warnings

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
TABLE = os.path.join(ROOT, "results", "conformance.md")
FILES = ("statements", "expressions", "types", "programs")
HEADER = """import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn.functional as F
from torch import Tensor

"""
INTRODUCTION = """# Conformance of the scripter

Made by `suites/table/conformance/make_conformance.py`, which runs every construct in Python, \
in TorchScript {version} and
in Fusillade, and which a test runs again. Python decides: *yes* means the same result as \
Python's, *no* that the
program is refused, *wrong* that another result comes out.

"""


def blocks(name):
    with open(os.path.join(HERE, name + ".py"), encoding="utf-8") as file:
        text = file.read()
    for part in text.split("#: ")[1:]:
        title, _, source = part.partition("\n")
        yield title.strip(), HEADER + source


def load(source, folder, number):
    path = os.path.join(folder, f"construct_{number}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    spec = importlib.util.spec_from_file_location(f"construct_{number}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module, path


def verdict(result, expected):
    same = result == expected and (not isinstance(expected, str) or isinstance(result, str))
    return "yes" if same else f"wrong: `{result!r}`"


def by_torchscript(source, folder, number, expected):
    try:
        module, _ = load(source, folder, number)
        result = torch.jit.script(module.main)()
    except Exception:
        return "no"
    return verdict(result, expected)


def by_fusillade(binary, path, expected):
    run = subprocess.run(
        [binary, "run", path, "--fn", "main", "--plan", "vm"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if run.returncode != 0:
        return "no"
    line = [x for x in run.stdout.splitlines() if x.startswith("out0: ")][0][len("out0: ") :]
    return verdict(ast.literal_eval(line), expected)


def table(binary):
    out = INTRODUCTION.format(version=torch.__version__.split("+")[0])
    counts = [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        number = 0
        for name in FILES:
            out += (
                f"## {name.capitalize()}\n\n| construct | Python gives | Fusillade | TorchScript "
                "|\n|---|---|---|---|\n"
            )
            for title, source in blocks(name):
                number += 1
                plain = source.replace("@torch.jit.script\n", "")
                module, path = load(plain, folder, f"{number}p")
                expected = module.main()
                ours = by_fusillade(binary, path, expected)
                theirs = by_torchscript(source, folder, f"{number}t", expected)
                counts = [counts[0] + 1, counts[1] + (ours == "yes"), counts[2] + (theirs == "yes")]
                out += (
                    f"| {title.replace('|', chr(92) + '|')} | `{expected!r}` | {ours} | {theirs} "
                    "|\n"
                )
            out += "\n"
    return (
        out
        + f"{counts[0]} constructs; as Python: Fusillade {counts[1]}, TorchScript {counts[2]}.\n"
    )


def main(argv):
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    built = os.path.join(ROOT, "build", "release", "fusillade")
    parser.add_argument("fusillade", nargs="?", default=built)
    given = parser.parse_args(argv[1:])
    produced = table(given.fusillade)
    if not given.check:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(produced)
        return 0
    with open(TABLE, encoding="utf-8") as file:
        there = file.read()
    sys.stdout.writelines(
        difflib.unified_diff(there.splitlines(True), produced.splitlines(True), "committed", "made")
    )
    return int(there != produced)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
