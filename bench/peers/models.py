#!/usr/bin/env python3
"""Whole models, ours eager and fused against PyTorch's eager, one thread, one core, interleaved:
bench/peers/models.py

PyTorch (the interpreter of ci/setup.sh --engines, or --python; for the models of images
torchvision, of ci/setup.sh --models) makes each model with random weights, its archives, scripted
and frozen, and the inputs that both sides are called on, and stays to be asked; ours is `fusillade
bench`, a process per archive. Outputs are compared before anything is timed. Each round measures a
model here and there in random order, by processor time; a side counts its median of a round, the
table the least of these over the rounds. ours / theirs: below 1 we are faster.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("FUSILLADE_BINARY", os.path.join(ROOT, "build/release/fusillade"))
ENGINES = os.path.join(ROOT, "build/engines/bin/python")
EAGER, FUSED = "eager", "vm/o2,fuse(loopnest,llvm)"
NAMES = ("resnet18", "mobilenet_v3_small", "vit_small", "alexnet", "transformer", "lstm")
MOST = {"eager": 1.2, "fused": 1.0}


def makers():
    """How each model is built, and what it is called on; torchvision is imported where one of its
    models is built."""
    from torch import Tensor, nn, randn

    def vision(name, *sizes):
        import zoo

        zoo.load()
        try:
            import torchvision.models
        except ImportError:
            raise SystemExit(
                f"{name} is torchvision's, which is not there: ci/setup.sh --models installs it"
            ) from None

        return getattr(torchvision.models, name)(*sizes)

    class Outputs(nn.Module):
        """An LSTM by itself has two methods forward."""

        def __init__(self):
            super().__init__()
            self.net = nn.LSTM(64, 128, 2)

        def forward(self, x: Tensor):
            return self.net(x)[0]

    def image():
        return (randn(1, 3, 224, 224),)

    models_of = {
        name: (lambda name=name: vision(name), image)
        for name in ("resnet18", "mobilenet_v3_small", "alexnet")
    }
    return {
        **models_of,
        "vit_small": (lambda: vision("VisionTransformer", 224, 16, 12, 6, 384, 1536), image),
        "transformer": (
            lambda: nn.Transformer(256, 8, 3, 3, 1024),
            lambda: (randn(32, 4, 256), randn(24, 4, 256)),
        ),
        "lstm": (Outputs, lambda: (randn(50, 8, 64),)),
    }


def server(folder):
    """Runs in the interpreter with PyTorch: a line names a model; the answer to the first such line
    is where its archives lie, to each later one the seconds of a call."""
    import time
    import warnings

    import numpy
    import torch

    sys.path.insert(0, os.path.join(ROOT, "suites/external/pytorch"))
    import models
    import outputs

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries say of themselves is no answer
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    constructors, compiled_models = makers(), {}

    def make(name):
        torch.manual_seed(0)
        model, inputs = constructors[name][0]().eval(), constructors[name][1]()
        compiled_models[name] = model, inputs
        wanted = models.flatten(model(*inputs))
        given = []
        for form, archive in models.forms(model, inputs).items():
            if form == "traced":
                continue
            path = os.path.join(folder, f"{name}-{form}")
            torch.jit.save(archive, path + ".pt")
            for i, t in enumerate(inputs):
                numpy.save(f"{path}.{i}.npy", t.numpy())
            given = [word for i in range(len(inputs)) for word in ("--in", f"{path}.{i}.npy")]
            for plan in (EAGER, FUSED):
                far = models.differing(outputs.ran(path + ".pt", plan, given), wanted)
                if far:
                    raise SystemExit(f"{name} {form} {plan}: {far}")
        return 0.0

    def call(name):
        model, inputs = compiled_models[name]

        def seconds_per_call(batch):
            start = time.process_time()
            for _ in range(batch):
                model(*inputs)
            return (time.process_time() - start) / batch

        batch = max(int(0.002 / seconds_per_call(1)), 1)
        return sorted(seconds_per_call(batch) for _ in range(20))[10]

    for line in sys.stdin:
        name = line.strip()
        with torch.no_grad():
            print(
                json.dumps(call(name) if name in compiled_models else make(name)),
                file=answers,
                flush=True,
            )


class Theirs:
    def __init__(self, python, folder):
        command = [python, os.path.abspath(__file__), "--serve", folder]
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, name):
        self.child.stdin.write(name + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            raise SystemExit(f"{name}: PyTorch's process ended")
        return json.loads(answer)


def ours(name, folder):
    out = os.path.join(folder, "out.json")
    command = [
        BINARY,
        "bench",
        "--programs",
        folder,
        "--filter",
        f"^{name}-",
        "--plan",
        EAGER,
        "--plan",
        FUSED,
        "--processes",
        "1",
        "--iterations",
        "20",
        "--out",
        out,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr}")
    with open(out, encoding="utf-8") as file:
        rows = json.load(file)["benchmarks"]
    return {row["name"]: row["cpu_time"] * 1e-9 for row in rows}


def measure(name, theirs, folder, rounds):
    best = {}
    for _ in range(rounds):
        sides = [lambda: {"theirs": theirs.ask(name)}, lambda: ours(name, folder)]
        random.shuffle(sides)
        for side in sides:
            for key, seconds in side().items():
                best[key] = min(best.get(key, math.inf), seconds)
    return best


def main():
    import builds
    import options  # the file is loaded by its path, too

    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("models", nargs="*", default=NAMES, help=", ".join(NAMES))
    parser.add_argument("--rounds", type=options.rounds, default=3)
    parser.add_argument(
        "--python",
        default=ENGINES,
        help="an interpreter with PyTorch, and torchvision for models of images",
    )
    parser.add_argument("--core", type=options.core, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.serve:
        server(o.serve)
        return
    unknown = set(o.models) - set(NAMES)
    if unknown:
        parser.error(
            f"no model is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}"
        )
    options.need_interpreter(parser, o.python)
    os.sched_setaffinity(0, {o.core})
    print(f"PyTorch: {builds.of(o.python, 'torch', 'eager')}\n")
    print(
        "| model | PyTorch eager ms | eager ms | fused ms | frozen, eager ms | frozen, fused ms | "
        "eager / PyTorch | fused / PyTorch | frozen, fused / PyTorch "
        "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    above = []
    with tempfile.TemporaryDirectory(prefix="fusillade-models-") as folder:
        theirs = Theirs(o.python, folder)
        for name in o.models:
            theirs.ask(name)
            best = measure(name, theirs, folder, o.rounds)
            base = best["theirs"]
            times = [
                best[f"{name}-{form}/{plan}"]
                for form in ("scripted", "frozen")
                for plan in (EAGER, FUSED)
            ]
            ratios = [times[i] / base for i in (0, 1, 3)]
            print(
                f"| {name} | "
                + " | ".join(f"{1e3 * t:.2f}" for t in [base, *times])
                + " | "
                + " | ".join(f"{r:.2f}" for r in ratios)
                + " |",
                flush=True,
            )
            above += [
                f"{name} {word} {r:.2f}"
                for (word, most), r in zip(MOST.items(), ratios)
                if r > most
            ]
    print(
        f"\nAsked: eager at most {MOST['eager']}, fused at most {MOST['fused']}; above: "
        f"{', '.join(above) or 'none'}"
    )


if __name__ == "__main__":
    main()
