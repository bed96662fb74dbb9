#!/usr/bin/env python3
"""ratio_iou here and in TorchScript, one thread, rounds interleaved:  bench/peers/torchscript.py
[ROUNDS]

Needs PyTorch 1.13.1's own wheel (ci/setup.sh --torchscript), whose fuser has LLVM. In each round a
fresh process of either side measures the same source file, in random order; the tables hold medians
over rounds and their ratio: of processor time, which other work on the machine disturbs less.
Unfused, a call on 16 elements is the cost of its ops and of the call itself.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile

import builds
import options

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.path.join(ROOT, "build/release/fusillade")
PYTHON = os.environ.get("FUSILLADE_TORCHSCRIPT", os.path.join(ROOT, "build/torchscript/bin/python"))
SIZES = (16, 4096, 1048576)
FUSED = "vm/o2,fuse(loopnest,llvm)"
UNFUSED = ("vm/o2", "jit/o2")
PLANS = ("eager", FUSED) + UNFUSED

THEIRS = """
import importlib.util, json, sys, time, torch
torch.set_num_threads(1)
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)
script = torch.jit.script(module.ratio_iou)
out = {}
for n in json.loads(sys.argv[2]):
    x = [torch.rand(n) for _ in range(8)]
    for name, f in (("eager", module.ratio_iou), ("script", script)):
        for _ in range(20): f(*x)
        batch = max(1, int(2e6 / max(n, 1000)))
        best = []
        for _ in range(7):
            start = time.process_time()
            for _ in range(batch): f(*x)
            best.append((time.process_time() - start) / batch)
        out[f"{name} {n}"] = sorted(best)[3]
print(json.dumps(out))
"""


def theirs():
    program = os.path.join(ROOT, "bench/programs/ratio_iou.py")
    run = subprocess.run(
        [PYTHON, "-c", THEIRS, program, json.dumps(SIZES)],
        env=builds.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return {"torch " + key: value for key, value in json.loads(run.stdout).items()}


def ours():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "b.json")
        command = [BINARY, "bench", "--filter", "^ratio_iou/N:", "--processes", "1", "--out", path]
        command += [word for size in ("small", "medium", "large") for word in ("--size", size)]
        for plan in PLANS:
            command += ["--plan", plan]
        subprocess.run(command, capture_output=True, text=True, check=True)
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["benchmarks"]
    nanoseconds = {row["name"]: row["cpu_time"] for row in rows}
    return {
        f"ours {plan} {n}": nanoseconds[f"ratio_iou/N:{n}/{plan}"] * 1e-9
        for n in SIZES
        for plan in PLANS
    }


def main(rounds):
    print(f"theirs: {builds.of(PYTHON, 'torch', 'script')}\n")
    series = {}
    for _ in range(rounds):
        sides = [theirs, ours]
        random.shuffle(sides)
        for side in sides:
            for key, value in side().items():
                series.setdefault(key, []).append(value)
    level = {key: statistics.median(values) for key, values in series.items()}
    print(
        "| elements | torch 1.13.1 eager us | TorchScript us | our eager us | fused us | "
        "TorchScript / fused | our eager / fused |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for n in SIZES:
        row = [
            level[f"torch eager {n}"],
            level[f"torch script {n}"],
            level[f"ours eager {n}"],
            level[f"ours {FUSED} {n}"],
        ]
        us = " | ".join(f"{v * 1e6:.2f}" for v in row)
        print(f"| {n} | {us} | {row[1] / row[3]:.1f} | {row[2] / row[3]:.1f} |")
    print(
        "\n| elements, unfused | TorchScript us | "
        + " | ".join(f"{p} us | TorchScript / {p}" for p in UNFUSED)
        + " |"
    )
    print("|---:|---:|" + "---:|---:|" * len(UNFUSED))
    for n in SIZES:
        script = level[f"torch script {n}"]
        cells = [level[f"ours {p} {n}"] for p in UNFUSED]
        print(
            f"| {n} | {script * 1e6:.2f} | "
            + " | ".join(f"{v * 1e6:.2f} | {script / v:.1f}" for v in cells)
            + " |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("rounds", nargs="?", type=options.rounds, default=5)
    main(parser.parse_args().rounds)
