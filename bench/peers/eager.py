#!/usr/bin/env python3
"""Our eager engine against PyTorch's, one thread, pinned to one core, interleaved:
bench/peers/eager.py

Each op of eager_ops.py at three sizes is a script, the same text for both sides. PyTorch stays in
one process (the interpreter of ci/setup.sh --engines, or --python); ours is `fusillade bench`, a
process per op. Each round measures an op here and there in random order, by the processor time of
the measuring process; each side counts its median of 20 batches, the table the least of these side
over its rounds, and theirs / ours: above 1 we are faster. Inputs are normal numbers, drawn before
the clock starts.
"""

import argparse
import inspect
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import builds
import eager_ops
import options

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("FUSILLADE_BINARY", os.path.join(ROOT, "build/release/fusillade"))
ENGINES = os.path.join(ROOT, "build/engines/bin/python")
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n\n\n"
LEAST = 0.4
SIZES = [word for size in ("small", "medium", "large") for word in ("--size", size)]


def server():
    """Runs in the interpreter with PyTorch: a line of JSON asks for one op, a line answers."""
    import time

    import torch

    torch.set_num_threads(1)
    dtypes = {
        "f16": torch.float16,
        "bf16": torch.bfloat16,
        "f32": torch.float32,
        "f64": torch.float64,
        "u8": torch.uint8,
        "i32": torch.int32,
        "i64": torch.int64,
        "bool": torch.bool,
    }

    def make_input(spec):
        dtype, sizes, limit = re.fullmatch(r"(\w+)\[(.*)\](?:<(\d+))?", spec).groups()
        sizes = [int(s) for s in sizes.split(",")]
        if limit:
            return torch.randint(0, int(limit), sizes)
        normal = torch.randn(sizes)
        if dtype in ("u8", "i32", "i64"):
            return (16 * normal).round().to(torch.int64).to(dtypes[dtype])
        return normal > 0 if dtype == "bool" else normal.to(dtypes[dtype])

    def seconds_per_call(function, inputs, batch):
        start = time.process_time()
        for _ in range(batch):
            function(*inputs)
        return (time.process_time() - start) / batch

    for line in sys.stdin:
        asked = json.loads(line)
        space = {}
        exec(asked["source"], space)  # the text of eager_ops.py
        with torch.no_grad():
            inputs = [make_input(spec) for spec in asked["inputs"]]
            function = space[asked["name"]]
            function(*inputs)
            once = seconds_per_call(function, inputs, 1)
            batch = min(max(int(0.002 / max(once, 1e-7)), 1), 2000)
            seconds_per_call(function, inputs, batch)
            series = sorted(seconds_per_call(function, inputs, batch) for _ in range(20))
            print(json.dumps(series[10]), flush=True)


class Op:
    def __init__(self, group, line):
        self.name, inputs, sizes, body = (part.strip() for part in line.split(" | "))
        self.group = group
        self.inputs = inputs.split()
        self.sizes = eager_ops.SIZES.get(sizes) or tuple(int(s) for s in sizes.split(","))
        names = "abcd"[: len(self.inputs)]
        self.source = (
            HEAD
            + f"def {self.name}({', '.join(f'{n}: Tensor' for n in names)}):\n    return {body}\n"
        )

    def program(self):
        sizes = ",".join(str(s) for s in self.sizes)
        return f"# bench: {' '.join(self.inputs)} N={sizes}\n{self.source}"


class Theirs:
    def __init__(self, python):
        code = "import json, re, sys\n" + inspect.getsource(server) + "server()\n"
        self.child = subprocess.Popen(
            [python, "-c", code],
            env=builds.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, op):
        out = []
        for n in op.sizes:
            inputs = [
                spec[: spec.index("[")] + spec[spec.index("[") :].replace("N", str(n))
                for spec in op.inputs
            ]
            self.child.stdin.write(
                json.dumps({"name": op.name, "source": op.source, "inputs": inputs}) + "\n"
            )
            self.child.stdin.flush()
            answer = self.child.stdout.readline()
            if not answer:
                raise SystemExit(f"{op.name} {n}: PyTorch's process ended")
            out.append(json.loads(answer))
        return out


def ours(op, folder):
    out = os.path.join(folder, "out.json")
    command = [
        BINARY,
        "bench",
        "--programs",
        folder,
        "--filter",
        f"^{op.name}/",
        "--plan",
        "eager",
        "--no-check",
        "--processes",
        "1",
        "--iterations",
        "20",
        "--out",
        out,
        *SIZES,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{op.name}: {done.stderr}")
    with open(out, encoding="utf-8") as file:
        rows = {row["name"]: row for row in json.load(file)["benchmarks"]}
    return [rows[f"{op.name}/N:{n}/eager"]["cpu_time"] * 1e-9 for n in op.sizes]


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def summary(rows):
    ratios = [(their / our, f"{op.name} {n}") for op, n, their, our in rows]
    below = sorted(r for r in ratios if r[0] < LEAST)
    print(
        f"\n{len(ratios)} points, geometric mean {geometric_mean([r for r, _ in ratios]):.2f}, "
        f"least {min(ratios)[0]:.3f} ({min(ratios)[1]}), below {LEAST}: {len(below)}"
    )
    groups = {}
    for op, n, their, our in rows:
        groups.setdefault(op.group, {}).setdefault(op.sizes.index(n), []).append(their / our)
    print("\n| group | small | medium | large |\n|---|---:|---:|---:|")
    for group, by_size in groups.items():
        print(
            f"| {group} | "
            + " | ".join(f"{geometric_mean(by_size[i]):.2f}" for i in sorted(by_size))
            + " |"
        )
    print("\nThe least: " + ", ".join(f"{name} {ratio:.2f}" for ratio, name in sorted(ratios)[:40]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=options.rounds, default=3)
    parser.add_argument(
        "--filter", type=options.pattern, default="", help="regular expression on the names of ops"
    )
    parser.add_argument("--python", default=ENGINES, help="an interpreter with PyTorch")
    parser.add_argument("--core", type=options.core, default=max(os.sched_getaffinity(0)))
    o = parser.parse_args()
    options.need_interpreter(parser, o.python)
    os.sched_setaffinity(0, {o.core})
    ops = [
        Op(group, line)
        for group, text in eager_ops.OPS.items()
        for line in text.strip().split("\n")
    ]
    ops = [op for op in ops if re.search(o.filter, op.name)]
    if not ops:
        parser.error(
            f"argument --filter: no op is called like '{o.filter}'; their names stand in "
            "eager_ops.py"
        )
    print(f"theirs: {builds.of(o.python, 'torch', 'eager')}\n")
    theirs = Theirs(o.python)
    rows = []
    print("| group | op | N | theirs us | ours us | theirs / ours |\n|---|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for op in ops:
            with open(os.path.join(folder, op.name + ".py"), "w", encoding="utf-8") as file:
                file.write(op.program())
        for op in ops:
            best = {"theirs": [math.inf] * 3, "ours": [math.inf] * 3}
            for _ in range(o.rounds):
                sides = [("theirs", theirs.measure), ("ours", lambda op: ours(op, folder))]
                random.shuffle(sides)
                for side, measure in sides:
                    best[side] = [min(pair) for pair in zip(best[side], measure(op))]
            for n, their, our in zip(op.sizes, best["theirs"], best["ours"]):
                rows.append((op, n, their, our))
                print(
                    f"| {op.group} | {op.name} | {n} | {their * 1e6:.2f} | {our * 1e6:.2f} | "
                    f"{their / our:.2f} |",
                    flush=True,
                )
    summary(rows)


if __name__ == "__main__":
    main()
