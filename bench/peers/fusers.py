#!/usr/bin/env python3
"""Fused programs against PyTorch's and JAX's compilers, pinned to as many cores as threads:
bench/peers/fusers.py [--threads 2]

Sides: our fusers on machine code; PyTorch 2.13 eager and torch.compile, and jax.jit (the
interpreter of ci/setup.sh --engines); PyTorch 1.13.1 eager and script (its own wheel, ci/setup.sh
--torchscript: Debian's has no LLVM and fuses nothing). Sides that are not here are left out. All
run the same source: bench/programs and bench/programs/modules; jax through torch_in_jax.py.

A round starts a fresh process of each side, asks every program and size of all, the sides in random
order for each, and ends them. A process calls a program until it has 12 batches of 2 ms or 0.3 s
and reports the median; the table has the least over the rounds: processor time on one core, time by
the clock on more. Before anything is timed each side computes every program once on the same
inputs, and results are compared. torch.compile compiles for exact sizes and keeps its output in a
folder, so that later rounds need seconds; of modules both compilers take minutes and are asked with
--slow.
"""

import argparse
import contextlib
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import builds
import options
from fuser_points import (
    BACKWARD,
    CALL,
    FORWARD,
    L1,
    MEMORY,
    MODULE_PLANS,
    MODULE_REPEATS,
    MODULES,
    OURS,
    POINTS,
    STREAMS,
)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("FUSILLADE_BINARY", os.path.join(ROOT, "build/release/fusillade"))
ENGINES = os.path.join(ROOT, "build/engines/bin/python")
TORCHSCRIPT = os.path.join(ROOT, "build/torchscript/bin/python")
PROGRAMS = os.path.join(ROOT, "bench/programs")
PEERS = {  # name: interpreter, what it needs, how it calls
    "torch 2.13 eager": (ENGINES, "torch", "eager"),
    "torch.compile": (ENGINES, "torch", "compile"),
    "jax.jit": (ENGINES, "jax", "jit"),
    "torch 1.13 eager": (TORCHSCRIPT, "torch", "eager"),
    "torch 1.13 script": (TORCHSCRIPT, "torch", "script"),
}


GOALS = {"torch.compile": 1.5, "jax.jit": 1.5, "torch 1.13 script": 5.0}
CLOSE = 2e-3  # of the largest element


def source_of(program):
    return os.path.join(PROGRAMS, program + ".py")


# What runs in a peer's process --------------------------------------------------------------------


def import_path(path):
    import importlib.util

    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TorchSide:
    def __init__(self, way, threads):
        import torch

        sys.path.insert(0, builds.WORKERS)
        import torch_build

        torch_build.link_own()
        torch.set_num_threads(threads)
        self.torch, self.way = torch, way

    def inputs(self, files):
        import numpy

        return [self.torch.from_numpy(numpy.load(f)) for f in files]

    def wrap(self, f):
        if self.way == "compile":
            self.torch._dynamo.reset()
            return self.torch.compile(f, dynamic=False)
        return self.torch.jit.script(f) if self.way == "script" else f

    def function(self, f, x):
        f = self.wrap(f)

        def call():
            with self.torch.no_grad():
                return f(*x)

        return call

    def module(self, net, state, x, backward):
        with self.torch.no_grad():
            for name, p in net.named_parameters():
                p.copy_(self.inputs([state[name]])[0])
        called = self.wrap(net)
        if not backward:
            return (
                self.function(called, x) if self.way == "eager" else lambda: self.quiet(called, x)
            )

        def call():
            net.zero_grad(set_to_none=True)
            outputs = self.flat(called(*x))
            self.torch.autograd.backward(outputs, [self.torch.ones_like(t) for t in outputs])
            return [p.grad for p in net.parameters()]

        return call

    def quiet(self, called, x):
        with self.torch.no_grad():
            return called(*x)

    def flat(self, v):
        return (
            [v] if isinstance(v, self.torch.Tensor) else [t for item in v for t in self.flat(item)]
        )

    def arrays(self, v):
        return [t.detach().numpy() for t in self.flat(v)]


class JaxSide:
    def __init__(self, way, threads):
        sys.path.insert(0, os.path.join(ROOT, "bench/peers"))
        import jax
        import torch_in_jax

        torch_in_jax.install()
        self.jax, self.words = jax, torch_in_jax

    def inputs(self, files):
        import numpy

        return [self.jax.numpy.asarray(numpy.load(f)) for f in files]

    def function(self, f, x):
        compiled = self.jax.jit(lambda *arrays: self.words.flat(f(*map(self.words.T, arrays))))
        return lambda: self.jax.block_until_ready(compiled(*x))

    def module(self, net, state, x, backward):
        values = [(p, self.inputs([state[name]])[0]) for name, p in net.named()]

        def outputs(arrays, image):
            for (p, _), a in zip(values, arrays):
                p.a = a
            return self.words.flat(net(self.words.T(image)))

        def gradients(arrays, image):
            return self.jax.value_and_grad(lambda a: sum(o.sum() for o in outputs(a, image)))(
                arrays
            )[1]

        compiled = self.jax.jit(gradients if backward else outputs)
        arrays = [a for _, a in values]
        return lambda: self.jax.block_until_ready(compiled(arrays, *x))

    def arrays(self, v):
        import numpy

        return [numpy.asarray(a) for a in v]


def seconds_per_call(call, batch):
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(batch):
        call()
    return (time.perf_counter() - wall) / batch, (time.process_time() - processor) / batch


def levels(call):
    """Seconds of a call by the clock and of the processor: medians of batches of 2 ms."""
    call()
    once = max(seconds_per_call(call, 1)[0], 1e-7)
    batch = min(max(int(0.002 / once), 1), 5000)
    seconds_per_call(call, batch)
    batches = [
        seconds_per_call(call, batch) for _ in range(min(12, max(3, int(0.3 / (batch * once)))))
    ]
    return [statistics.median(kind) for kind in zip(*batches)]


def copies(size):
    """The best of two copy loops: whole, and in pieces that stay in the second-level cache."""
    import numpy

    n = size // 8  # half is read, half is written
    a, b = numpy.ones(n, numpy.float32), numpy.zeros(n, numpy.float32)

    def pieces():
        for at in range(0, n, 1 << 15):
            b[at : at + (1 << 15)] = a[at : at + (1 << 15)]

    return [min(kind) for kind in zip(levels(lambda: numpy.copyto(b, a)), levels(pieces))]


def serve(kind, way, threads):
    """A line of JSON asks for one program, a line answers: [first call, clock, processor], in
    seconds."""
    import warnings

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    side = (JaxSide if kind == "jax" else TorchSide)(way, threads)
    for line in sys.stdin:
        asked = json.loads(line)
        if "copy" in asked:
            print(json.dumps([0, *copies(asked["copy"])]), file=answers, flush=True)
            continue
        program = import_path(asked["source"])
        start = time.perf_counter()
        if "module" in asked:
            net = eval(asked["module"], vars(program))  # our own text
            call = side.module(net, asked["state"], side.inputs(asked["inputs"]), asked["backward"])
        else:
            call = side.function(getattr(program, asked["name"]), side.inputs(asked["inputs"]))
        first = call()
        took = time.perf_counter() - start
        if asked["out"]:
            import numpy

            for i, a in enumerate(side.arrays(first)):
                numpy.save(f"{asked['out']}{i}.npy", a)
        print(
            json.dumps([took, *([0, 0] if asked["out"] else levels(call))]),
            file=answers,
            flush=True,
        )


# What asks ----------------------------------------------------------------------------------------


class Point:
    def __init__(self, program, size, sizes, folder):
        self.program, self.size = program, size
        self.name = f"{program}, {size}"
        self.folder = os.path.join(folder, re.sub(r"\W+", "_", self.name))
        self.backward = size == BACKWARD
        self.inputs = []
        for text in sizes:
            self.inputs.append([int(n) for n in text.split(",")])
        os.makedirs(self.folder)

    def files(self):
        return [os.path.join(self.folder, f"in{i}.npy") for i in range(len(self.inputs))]

    def write(self):
        import numpy

        generator = numpy.random.default_rng(7)
        for file, sizes in zip(self.files(), self.inputs):
            scale = (
                sizes[-1] ** -0.5
                if len(sizes) > 1 and self.program in ("lstm_cell", "resnet_block")
                else 1
            )
            numpy.save(file, (scale * generator.standard_normal(sizes)).astype(numpy.float32))
        if self.program in MODULES:
            os.makedirs(os.path.join(self.folder, "state"))
            for key, sizes in self.shapes().items():
                numpy.save(
                    self.state()[key],
                    (0.1 * generator.standard_normal(sizes)).astype(numpy.float32),
                )
            return
        text = open(source_of(self.program), encoding="utf-8").read()
        os.makedirs(os.path.join(self.folder, "programs"))
        with open(
            os.path.join(self.folder, "programs", self.program + ".py"), "w", encoding="utf-8"
        ) as file:
            marked = re.compile(r"# bench:(.*\\\n)*.*\n")
            specs = " ".join("f32[" + ",".join(map(str, s)) + "]" for s in self.inputs)
            file.write(f"# bench: {specs}\n" + marked.sub("", text))

    def shapes(self):
        if self.program == "conv2d":
            return {"weight": [16, 3, 9], "bias": [16]}
        return {
            "cell.weight_ih": [512, 128],
            "cell.weight_hh": [512, 128],
            "cell.bias_ih": [512],
            "cell.bias_hh": [512],
        }

    def state(self):
        return {key: os.path.join(self.folder, "state", key + ".npy") for key in self.shapes()}

    def source(self):
        return (
            os.path.join(PROGRAMS, "modules", MODULES[self.program][0])
            if self.program in MODULES
            else source_of(self.program)
        )

    def request(self, out=""):
        words = {"source": self.source(), "name": self.program, "inputs": self.files(), "out": out}
        if self.program in MODULES:
            words |= {
                "module": MODULES[self.program][1],
                "state": self.state(),
                "backward": self.backward,
            }
        return words

    def plans(self):
        return MODULE_PLANS[self.size] if self.program in MODULES else OURS

    def bytes(self):
        """What must move: inputs, and of these programs one output as large as the first."""
        return 4 * (sum(map(math.prod, self.inputs)) + math.prod(self.inputs[0]))


def peer_environment(o):
    kept = os.path.join(o.keep, "inductor")
    return builds.environment(TORCHINDUCTOR_CACHE_DIR=kept, OMP_NUM_THREADS=str(o.threads))


class Peer:
    def __init__(self, name, o):
        python, kind, way = PEERS[name]
        self.name = name
        self.child = subprocess.Popen(
            [python, os.path.abspath(__file__), "--serve", kind, way, str(o.threads)],
            env=peer_environment(o),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, **words):
        self.child.stdin.write(json.dumps(words) + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        return json.loads(answer) if answer else None

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def present(name):
    python, needed, _ = PEERS[name]
    return (
        shutil.which(python)
        and not subprocess.run([python, "-c", f"import {needed}"], capture_output=True).returncode
    )


def run_ours(command, threads):
    env = builds.environment(FUSILLADE_THREADS=str(threads))
    done = subprocess.run([BINARY, *command], capture_output=True, text=True, env=env)
    if done.returncode:
        raise SystemExit(f"fusillade {' '.join(command)}: {done.stderr}")
    return done.stdout


def run_words(point, plan):
    words = ["run", point.source(), "--plan", plan]
    if point.program in MODULES:
        words += [
            "--module",
            MODULES[point.program][1],
            "--state",
            os.path.join(point.folder, "state"),
        ]
    else:
        words += ["--fn", point.program]
    for file in point.files():
        words += ["--in", file]
    return words + (["--grad", "--leaves", "parameters"] if point.backward else [])


def ours(point, plan, threads):
    if point.program in MODULES:
        text = run_ours(
            [*run_words(point, plan), "--cost", str(MODULE_REPEATS[point.program])], threads
        )
        first = float(re.search(r"^first call: ([0-9.]+) ms", text, re.M)[1])
        wall, processor = re.search(
            r"^cost: .*?([0-9.]+) ms, ([0-9.]+) ms of processors", text, re.M
        ).groups()
        return [1e-3 * float(v) for v in (first, wall, processor)]
    out = os.path.join(point.folder, "bench.json")
    run_ours(
        [
            "bench",
            "--programs",
            os.path.join(point.folder, "programs"),
            "--plan",
            plan,
            "--no-check",
            "--processes",
            "1",
            "--iterations",
            "20",
            "--out",
            out,
        ],
        threads,
    )
    with open(out, encoding="utf-8") as file:
        row = json.load(file)["benchmarks"][0]
    phases = row["phases"]
    first = phases["compile"]["estimate"] + phases["first_call"]["estimate"]
    return [1e-9 * v for v in (first, row["real_time"], row["cpu_time"])]


def compare(points, names, o):
    """Every side's results at each program's first size, against the fused ones of ours."""
    import numpy

    sides = {name: Peer(name, o) for name in names}
    for point in points:
        if point.size not in (CALL, L1, FORWARD, BACKWARD):
            continue
        folder = os.path.join(point.folder, "ours")
        run_ours([*run_words(point, point.plans()["loopnest"]), "--out", folder], o.threads)
        keys = (
            [f"grad0.{key}.npy" for key in point.shapes()]
            if point.backward
            else sorted(f for f in os.listdir(folder) if f.startswith("out"))
        )
        wanted = [numpy.load(os.path.join(folder, f)) for f in keys]
        for name, peer in sides.items():
            if is_skipped(point, name, o):
                continue
            out = os.path.join(point.folder, "theirs")
            if peer.ask(**point.request(out)) is None:
                raise SystemExit(f"{name}: {point.name}: its process ended")
            for i, mine in enumerate(wanted):
                theirs = numpy.load(f"{out}{i}.npy")
                far = (
                    abs(mine - theirs).max() / max(abs(theirs).max(), 1e-30)
                    if mine.shape == theirs.shape
                    else math.inf
                )
                if not far <= CLOSE:
                    raise SystemExit(
                        f"{point.name}: result {i} of {name} differs by {far:.2g} of the largest "
                        "element"
                    )
    for peer in sides.values():
        peer.end()


def is_skipped(point, name, o):
    return point.program in MODULES and name in ("torch.compile", "jax.jit") and not o.slow


def measure(points, names, o):
    """After each round least[point][side] = [first, clock, processor], the least of each over the
    rounds until then."""
    least = {}

    def keep(point, side, answer):
        if answer:
            seen = least.setdefault(point, {}).setdefault(side, answer)
            least[point][side] = [min(pair) for pair in zip(seen, answer)]

    for finished in range(1, o.rounds + 1):
        peers = [Peer(name, o) for name in names]
        for point in random.sample(points, len(points)):
            asked = [
                (p.name, lambda p=p, point=point: p.ask(**point.request()))
                for p in peers
                if not is_skipped(point, p.name, o)
            ]
            asked += [
                (side, lambda point=point, plan=plan: ours(point, plan, o.threads))
                for side, plan in point.plans().items()
            ]
            if point.program in STREAMS and point.size == MEMORY and peers:
                asked.append(
                    ("copy", lambda ask=peers[0].ask, point=point: ask(copy=point.bytes()))
                )
            for side, ask in random.sample(asked, len(asked)):
                keep(point, side, ask())
        for peer in peers:
            peer.end()
        yield finished, least


# The report ---------------------------------------------------------------------------------------


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def report(points, names, least, o, rounds, load, seconds):
    column = 2 if o.threads == 1 else 1
    plans = [p for p in OURS if any(p in least[x] for x in points)]
    fused = [p for p in plans if p != "unfused"]

    def us(point, side):
        return least[point][side][column] * 1e6 if side in least[point] else None

    best = {p: min((us(p, s), s) for s in fused if s in least[p]) for p in points}
    lines = [
        f"## {o.threads} thread{'s' if o.threads > 1 else ''}",
        "",
        "```sh",
        "bench/peers/fusers.py " + " ".join(sys.argv[1:]),
        "```",
        "",
        f"{builds.processor_name()}, {'one core' if o.threads == 1 else f'{o.threads} cores'}, "
        f"{time.strftime('%Y-%m-%d %H:%M')} UTC, load {load[0]:.1f} before and "
        f"{os.getloadavg()[0]:.1f} after, {seconds:.0f} s, commit {commit()}; "
        + ("processor time" if o.threads == 1 else "time by the clock")
        + f", us, the least of {rounds} round{'s' if rounds > 1 else ''}.",
        "",
    ]
    lines += [f"- {n}: {o.builds[n]}" for n in names] + [""]
    ratios = {n: {p: us(p, n) / best[p][0] for p in points if us(p, n)} for n in names}
    lines += [
        "| peer / the best of ours | points | geometric mean | asked | below 1 | least |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for n in names:
        if not ratios[n]:
            continue
        worst = min(ratios[n], key=ratios[n].get)
        lines.append(
            f"| {n} | {len(ratios[n])} | {geometric_mean(ratios[n].values()):.2f} | "
            f"{GOALS.get(n, '')} | {sum(r < 1 for r in ratios[n].values())} | "
            f"{ratios[n][worst]:.2f} {worst.name} |"
        )
    lines += [
        "",
        "The worst first, by the least ratio to torch.compile, jax.jit and TorchScript:",
        "",
    ]
    lines += [
        "| program | "
        + " | ".join(plans)
        + " | "
        + " | ".join(names)
        + " | "
        + " | ".join(f"{n} / best" for n in names)
        + " |",
        "|---" + "|---:" * (len(plans) + 2 * len(names)) + "|",
    ]
    judges = [n for n in names if n in GOALS] or names

    def cell(v, form):
        return "" if v is None else form.format(v)

    for p in sorted(
        points,
        key=lambda p: min([ratios[n][p] for n in judges if p in ratios[n]], default=math.inf),
    ):
        mine = [
            f"**{us(p, s):.2f}**" if s == best[p][1] else cell(us(p, s), "{:.2f}") for s in plans
        ]
        lines.append(
            f"| {p.name} | "
            + " | ".join(
                mine
                + [cell(us(p, n), "{:.2f}") for n in names]
                + [cell(ratios[n].get(p), "{:.2f}") for n in names]
            )
            + " |"
        )
    lines += streams(points, names, least, best, column) + first_calls(points, names, least, fused)
    return "\n".join(lines) + "\n"


def streams(points, names, least, best, column):
    wanted = [p for p in points if "copy" in least[p]]
    if not wanted:
        return []
    out = [
        "",
        "| of memory | MB that must move | copy loop GB/s | share of it: ours | "
        + " | ".join(names)
        + " |",
        "|---" + "|---:" * (3 + len(names)) + "|",
    ]
    for p in wanted:
        copy = least[p]["copy"][column]
        shares = [
            f"{100 * copy / least[p][n][column]:.0f} %" if n in least[p] else "" for n in names
        ]
        out.append(
            f"| {p.name} | {p.bytes() / 1e6:.1f} | {p.bytes() / copy / 1e9:.1f} | "
            f"{100e6 * copy / best[p][0]:.0f} % ({best[p][1]}) | " + " | ".join(shares) + " |"
        )
    return out


def first_calls(points, names, least, fused):
    """Compile and first call, ms by the clock; torch.compile's of later rounds find what the first
    one made."""
    out = [
        "",
        "| first call, ms | " + " | ".join(fused + names) + " |",
        "|---" + "|---:" * len(fused + names) + "|",
    ]
    for p in points:
        if p.size in (CALL, L1, FORWARD, BACKWARD):
            out.append(
                f"| {p.name} | "
                + " | ".join(
                    f"{1e3 * least[p][s][0]:.1f}" if s in least[p] else "" for s in fused + names
                )
                + " |"
            )
    return out


def commit():
    return (
        subprocess.run(
            ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
        ).stdout.strip()
        or "unknown"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--threads", type=options.threads, default=1)
    parser.add_argument("--rounds", type=options.rounds, default=3)
    parser.add_argument(
        "--filter", type=options.pattern, default="", help="regular expression on 'program, size'"
    )
    parser.add_argument(
        "--peers", type=options.pattern, default="", help="regular expression on the names of peers"
    )
    parser.add_argument(
        "--slow", action="store_true", help="torch.compile and jax.jit of the modules too: minutes"
    )
    parser.add_argument(
        "--keep",
        default=os.path.join(tempfile.gettempdir(), "fusillade-fusers"),
        help="what torch.compile made",
    )
    parser.add_argument(
        "--out", type=options.file_to_write, help="a file of Markdown, written after each round"
    )
    parser.add_argument("--serve", nargs=3, help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.serve:
        return serve(o.serve[0], o.serve[1], int(o.serve[2]))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-o.threads :])
    names = [n for n in PEERS if re.search(o.peers, n) and present(n)]
    o.builds = {n: builds.of(*PEERS[n], o.threads, peer_environment(o)) for n in names}
    load, start = os.getloadavg(), time.monotonic()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fusillade-fusers-"))
        points = [
            Point(program, size, sizes, folder)
            for program, by_size in POINTS.items()
            for size, sizes in by_size.items()
        ]
        points += [
            Point(m, mode, [MODULES[m][2]], folder) for m in MODULES for mode in (FORWARD, BACKWARD)
        ]
        points = [p for p in points if re.search(o.filter, p.name)]
        if not points:
            parser.error(f"no point is called like '{o.filter}'")
        for p in points:
            p.write()
        compare(points, names, o)
        for rounds, least in measure(points, names, o):
            text = report(points, names, least, o, rounds, load, time.monotonic() - start)
            if o.out:
                with open(o.out, "w", encoding="utf-8") as file:
                    file.write(text)
    print(text)


if __name__ == "__main__":
    main()
