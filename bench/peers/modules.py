#!/usr/bin/env python3
"""The two modules by hand (bench/programs/modules), forward and forward + backward, against
PyTorch's eager mode, script and compiler, one thread, one core, interleaved:
bench/peers/modules.py [--compile]

PyTorch (the interpreter of ci/setup.sh --engines, or --python) makes each module, writes its state
and input for our side, and stays to be asked; ours is `fusillade run`, a process per measurement,
which reports its first call too. Results and gradients are compared before anything is timed.
Gradients are those of the sum of all outputs by the parameters; with --inputs by the input too.
Each round measures every side in random order, by processor time, which other work on the machine
disturbs less; the table holds the least over the rounds, and ratios theirs / ours; first calls are
by the clock on the wall. With --compile torch.compile is met as well, whose first calls take
minutes.
"""

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from functools import partial

import options

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("FUSILLADE_BINARY", os.path.join(ROOT, "build/release/fusillade"))
ENGINES = os.path.join(ROOT, "build/engines/bin/python")
PROGRAMS = {  # file, module, sizes of its input
    "conv2d": ("conv2d_module.py", "Conv2dByHand(3, 16, 3)", (1, 3, 512, 512)),
    "lstm": ("lstm_module.py", "Layer(128, 128)", (64, 16, 128)),
}
EAGER = "eager"
FORWARD = "jit/o2,fuse(loopnest,llvm)"
BACKWARD = "vm/inline,lower_tuples,dce,autodiff(whole,mincut,2,loopnest,llvm)"
REPEATS = {"conv2d": 5, "lstm": 40}
CLOSE = 2e-3  # of the largest element: a sum of 260,100 products in another order


def server(folder, with_input):
    """Runs in the interpreter with PyTorch: a line is a program, a side and a mode; the answer
    [first, least] in seconds."""
    import importlib.util
    import time
    import warnings

    import numpy
    import torch

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries say of themselves is no answer
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    cases = {}

    def make(name):
        file, call, sizes = PROGRAMS[name]
        spec = importlib.util.spec_from_file_location(
            "program", os.path.join(ROOT, "bench/programs/modules", file)
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        net, x = eval(call, vars(module)), torch.randn(*sizes)  # our own text
        os.makedirs(os.path.join(folder, name, "state"))
        for key, value in net.state_dict().items():
            numpy.save(os.path.join(folder, name, "state", key + ".npy"), value.numpy())
        numpy.save(os.path.join(folder, name, "x.npy"), x.numpy())
        cases[name] = (
            {"eager": net, "script": torch.jit.script(net), "compile": torch.compile(net)},
            net,
            x.requires_grad_(with_input),
        )
        outputs = flat(net(x))
        backward(net, x, outputs)
        wanted = [*outputs, *(p.grad for p in net.parameters()), *([x.grad] if with_input else [])]
        for i, t in enumerate(wanted):
            numpy.save(os.path.join(folder, name, f"wanted{i}.npy"), t.detach().numpy())

    def flat(v):
        return [v] if isinstance(v, torch.Tensor) else [t for item in v for t in flat(item)]

    def backward(net, x, outputs):
        x.grad = None
        net.zero_grad(set_to_none=True)
        torch.autograd.backward(outputs, [torch.ones_like(t) for t in outputs])

    def call(name, side, mode):
        sides, net, x = cases[name]

        def once():
            start, processor = time.perf_counter(), time.process_time()
            if mode == "forward":
                with torch.no_grad():
                    sides[side](x)
            else:
                backward(net, x, flat(sides[side](x)))
            return time.perf_counter() - start, time.process_time() - processor

        first = once()[0]
        return first, min(once()[1] for _ in range(REPEATS[name]))

    for line in sys.stdin:
        words = line.split()
        answer = call(*words) if len(words) == 3 else make(words[0])
        print(json.dumps(answer), file=answers, flush=True)


class Theirs:
    def __init__(self, python, folder, with_input):
        command = [
            python,
            os.path.abspath(__file__),
            "--serve",
            folder,
            *(["--inputs"] if with_input else []),
        ]
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, *words):
        self.child.stdin.write(" ".join(words) + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            raise SystemExit(f"{' '.join(words)}: PyTorch's process ended")
        return json.loads(answer)


def ours(name, plan, mode, folder, with_input, out=None):
    file, call, _ = PROGRAMS[name]
    command = [
        BINARY,
        "run",
        os.path.join(ROOT, "bench/programs/modules", file),
        "--module",
        call,
        "--state",
        os.path.join(folder, name, "state"),
        "--in",
        os.path.join(folder, name, "x.npy"),
        "--plan",
        plan,
        "--cost",
        "1" if out or plan == EAGER else str(REPEATS[name]),
    ]
    if mode == "backward":
        command += ["--grad", "--leaves", "all" if with_input else "parameters"]
    if out:
        command += ["--out", out]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} {plan} {mode}: {done.stderr}")
    first, least = (
        float(re.search(pattern, done.stdout, re.M)[1]) * 1e-3
        for pattern in (r"^first call: ([0-9.]+) ms", r"^cost: .* ([0-9.]+) ms of processors")
    )
    return first, least


def compare(name, plan, folder, with_input):
    """Outputs, then gradients in the order of parameters, then of the input, against PyTorch's."""
    import numpy

    out = os.path.join(folder, name, "out")
    ours(name, plan, "backward", folder, with_input, out)
    files = sorted(f for f in os.listdir(out) if f.startswith("out"))
    text = open(
        os.path.join(ROOT, "bench/programs/modules", PROGRAMS[name][0]), encoding="utf-8"
    ).read()
    keys = sorted(
        (f for f in os.listdir(out) if re.match(r"grad0\.", f)),
        key=lambda f: text.index(f"self.{f.split('.')[-2]} = nn.Parameter"),
    )
    files += keys + (["grad1.npy"] if with_input else [])
    for i, file in enumerate(files):
        got = numpy.load(os.path.join(out, file)).astype(numpy.float64)
        wanted = numpy.load(os.path.join(folder, name, f"wanted{i}.npy")).astype(numpy.float64)
        far = (
            abs(got - wanted).max() / max(abs(wanted).max(), 1e-30)
            if got.shape == wanted.shape
            else math.inf
        )
        if not far <= CLOSE:
            raise SystemExit(f"{name} {plan}: {file} differs by {far:.2g} of the largest element")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), help=", ".join(PROGRAMS))
    parser.add_argument("--rounds", type=options.rounds, default=5)
    parser.add_argument("--compile", action="store_true", help="torch.compile too: minutes")
    parser.add_argument(
        "--eager", action="store_true", help="our eager mode too: minutes of the convolution"
    )
    parser.add_argument("--inputs", action="store_true", help="gradients by the input too")
    parser.add_argument("--python", default=ENGINES, help="an interpreter with PyTorch")
    parser.add_argument("--core", type=options.core, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.serve:
        return server(o.serve, o.inputs)
    if unknown := set(o.programs) - set(PROGRAMS):
        parser.error(
            f"no program is called {', '.join(sorted(unknown))}; there are {', '.join(PROGRAMS)}"
        )
    options.need_interpreter(parser, o.python)
    os.sched_setaffinity(0, {o.core})
    sides = ["eager", "script", *(["compile"] if o.compile else [])]
    print(
        "| program | "
        + " | ".join(f"PyTorch {s} ms" for s in sides)
        + (" | our eager ms" if o.eager else "")
        + " | ours ms | "
        + " | ".join(f"{s} / ours" for s in sides)
        + " | first calls, s: "
        + ", ".join(sides)
        + "; ours |\n|---"
        + "|---:" * (2 * len(sides) + 1 + o.eager)
        + "|---|"
    )
    with tempfile.TemporaryDirectory(prefix="fusillade-modules-") as folder:
        theirs = Theirs(o.python, folder, o.inputs)
        for name in o.programs:
            theirs.ask(name)
            compare(name, BACKWARD, folder, o.inputs)
            for mode, plan in (("forward", FORWARD), ("backward", BACKWARD)):
                asked = {s: partial(theirs.ask, name, s, mode) for s in sides}
                asked["ours"] = partial(ours, name, plan, mode, folder, o.inputs)
                if o.eager:
                    asked["our eager"] = partial(ours, name, EAGER, mode, folder, o.inputs)
                first, least = {}, {}
                for _ in range(o.rounds):
                    for side in random.sample(list(asked), len(asked)):
                        once, best = asked[side]()
                        first[side] = (
                            min(first.get(side, math.inf), once)
                            if side == "ours"
                            else first.get(side, once)
                        )
                        least[side] = min(least.get(side, math.inf), best)
                row = (
                    [least[s] for s in sides]
                    + ([least["our eager"]] if o.eager else [])
                    + [least["ours"]]
                )
                words = f"{name}, forward" + (" + backward" if mode == "backward" else "")
                print(
                    f"| {words} | "
                    + " | ".join(f"{1e3 * t:.1f}" for t in row)
                    + " | "
                    + " | ".join(f"{least[s] / least['ours']:.2f}" for s in sides)
                    + " | "
                    + ", ".join(f"{first[s]:.2f}" for s in sides)
                    + f"; {first['ours']:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
