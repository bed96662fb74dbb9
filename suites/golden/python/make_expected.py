#!/usr/bin/python3
"""Writes NAME.txt beside every NAME.py here: what CPython gives for each function t<N>(a, b), a in
-1..5, b in 0..2.

One line per call: function, a, b, repr(result), or "error" and the exception's class. Where
TorchScript 1.13.1 gives something else, or refuses the function, differs.txt says so. Needs
python3-torch; the results are kept.
"""

import argparse
import glob
import importlib.util
import os
import signal

import torch

SECONDS = 10


def functions(path):
    spec = importlib.util.spec_from_file_location("m", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [(n, f) for n, f in vars(module).items() if n[0] == "t" and n[1:].isdigit()]


def result(f, a, b):
    try:
        return repr(f(a, b))
    except Exception as e:
        return "error " + type(e).__name__


def difference(f, expected):
    """What TorchScript does otherwise, or None; in a process of its own, since it may crash."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        os.write(write, compare(f, expected).encode()[:4000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    code = os.waitpid(pid, 0)[1]
    return "hangs" if code == signal.SIGALRM else "crashes" if code else text


def compare(f, expected):
    try:
        script = torch.jit.script(f)
    except Exception:
        return "is refused"
    for (a, b), wanted in expected.items():
        got = result(script, a, b)
        both_raise = got.startswith("error") and wanted.startswith("error")
        if got != wanted and not both_raise:
            return (
                f"({a}, {b}) gives {got.split()[0] if got.startswith('error') else got}, in "
                f"Python {wanted}"
            )
    return ""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    differs = []
    for path in sorted(glob.glob(os.path.join(here, "*.py"))):
        if path.endswith("make_expected.py"):
            continue
        name = os.path.basename(path)[:-3]
        with open(path[:-3] + ".txt", "w", encoding="utf-8") as out:
            for fn, f in functions(path):
                expected = {(a, b): result(f, a, b) for a in range(-1, 6) for b in range(3)}
                for (a, b), text in expected.items():
                    print(fn, a, b, text, file=out)
                other = difference(f, expected)
                if other:
                    differs.append(f"{name} {fn} {other}")
    with open(os.path.join(here, "differs.txt"), "w", encoding="utf-8") as out:
        print("\n".join(differs), file=out)


if __name__ == "__main__":
    main()
