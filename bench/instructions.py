#!/usr/bin/env python3
"""Instructions a program costs in each kind of campaign, for one or several builds of fusillade:

    bench/instructions.py build/release/fusillade [OTHER/fusillade ...]

Counted by callgrind over a campaign's processes, the difference between a longer and a shorter run,
so that starting up is left out. The same binary gives the same figures on a busy machine. Compiling
by LLVM and CPython count too. Needs Debian's valgrind and binutils (`strip`: valgrind 3.19 does not
read clang 19's debug information).
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

PLANS = ["--calls", "2", "--oracle", "differential", "--plan", "vm/o2"]
RATES = {  # name: (flags, runs of the shorter, runs of the longer)
    "gen": (["gen", "--format", "none"], 1000, 4000),
    "interp": (["fuzz", *PLANS, "--plan", "vm/o2,fuse(loopnest,interp)"], 40, 200),
    "llvm": (["fuzz", *PLANS, "--plan", "vm/o2,fuse(loopnest,llvm)"], 4, 16),
    "source": (["fuzz", "--policy", "source", "--oracle", "frontends", "--seed", "5"], 64, 256),
    "source_tensors": (
        ["fuzz", "--policy", "source_tensors", "--oracle", "frontends", "--seed", "5"],
        40,
        200,
    ),
}


def instructions(binary, flags, runs, folder):
    for old in glob.glob(os.path.join(folder, "callgrind.*")):
        os.remove(old)
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={folder}/callgrind.%p",
        binary,
        *flags,
        "--runs",
        str(runs),
    ]
    if flags[0] == "fuzz":
        command += ["--jobs", "1", "--out", os.path.join(folder, f"out{runs}")]
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "FUSILLADE_PYTHON": "/bin/false"},
    )
    if run.returncode != 0:
        sys.exit(
            f"{' '.join(command)} ended with {run.returncode}:\n"
            f"{run.stdout[-1000:]}{run.stderr[-1000:]}"
        )
    total = 0
    for path in glob.glob(os.path.join(folder, "callgrind.*")):
        with open(path, encoding="utf-8") as file:
            total += sum(int(n) for n in re.findall(r"^totals: (\d+)", file.read(), re.M))
    return total


def rate(binary, name):
    flags, few, many = RATES[name]
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "fusillade")
        subprocess.run(["strip", "-g", "-o", stripped, binary], check=True)
        return (
            instructions(stripped, flags, many, folder) - instructions(stripped, flags, few, folder)
        ) / (many - few)


def lacking(binaries):
    """What is wrong before anything is counted; None: nothing."""
    for tool in ("valgrind", "strip"):
        if not shutil.which(tool):
            return f"'{tool}' is not here: Debian's valgrind and binutils are needed"
    for binary in binaries or [""]:
        if not os.path.isfile(binary) or not os.access(binary, os.X_OK):
            return (
                f"'{binary}' is no program: builds of fusillade are expected, "
                "build/release/fusillade"
            )
    return None


def main(binaries):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("binary", nargs="*", help="at least one")
    binaries = parser.parse_args(binaries).binary
    if wrong := lacking(binaries):
        parser.error(wrong)
    print("| instructions a program |" + "".join(f" {b} |" for b in binaries) + " last / first |")
    print("|---|" + "---:|" * (len(binaries) + 1))
    for name in RATES:
        rates = [rate(b, name) for b in binaries]
        print(
            f"| {name} |"
            + "".join(f" {r:,.0f} |" for r in rates)
            + f" {rates[-1] / rates[0]:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
