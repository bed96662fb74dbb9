"""What compiling is made of: bars of each plan, and a table of all phases from the source text to
the steady call.

Stages count in whichever call they ran: an engine that compiles as calls come has most of them in
its second. What of compile and first call is in none of them (making bytecode, the call itself) is
the rest.
"""

from . import figures

# stage: its colour, what it is
STAGES = {
    "script": (figures.SERIES[0], "source text or archive to graphs"),
    "passes": (figures.SERIES[1], "passes over graphs"),
    "lowering": (figures.SERIES[2], "groups to kernels"),
    "codegen": (figures.SERIES[3], "kernels to machine code"),
    "linking": (figures.SERIES[4], "machine code into memory"),
    "rest": (figures.GRID, "the rest of compile and first call"),
}
LEGEND = [(figures.CSS[colour], text) for colour, text in STAGES.values()]
COMPILING = ("passes", "lowering", "codegen", "linking")


def parts(t):
    """Nanoseconds of each stage that is known, the rest last."""
    out = {name: t.stages[name].estimate for name in STAGES if name in t.stages}
    within = sum(out.get(name, 0.0) for name in COMPILING)
    return out | {"rest": max(0.0, t.compile.estimate + t.first_call.estimate - within)}


def draw(bench):
    """(caption, SVG) of each plan of which stages are known; programs with the longest bars."""
    out = []
    for number, plan in enumerate(bench.plans):
        mine = {t.program: parts(t) for t in bench.timings if t.plan == plan and t.stages}
        if not mine:
            continue
        kept = set(sorted(mine, key=lambda p: sum(mine[p].values()))[-figures.MOST_PROGRAMS :])
        programs = [p for p in bench.programs if p in kept]
        figure, axes = figures.new(figures.WIDTH, 40 + 15 * len(programs), layout="constrained")
        for at, program in enumerate(programs):
            left = 0.0
            for name, ns in mine[program].items():
                axes.barh(at, ns / 1e6, 0.7, left=left, color=STAGES[name][0])
                left += ns / 1e6
        axes.set_yticks(range(len(programs)), [figures.short(p) for p in programs])
        axes.set_ylim(len(programs) - 0.4, -0.6)
        axes.set_xlabel("ms")
        axes.grid(axis="x", color=figures.GRID, lw=0.5)
        axes.set_axisbelow(True)
        alt = (
            f"What compiling under {plan} is made of, {len(programs)} programs; the table below "
            "has the numbers"
        )
        out.append((plan, figures.inline(figure, f"stages{number}", alt)))
    return out


COLUMNS = [
    ("program", "name"),
    ("plan", "name"),
    *((f"{name}, ms", "n") for name in STAGES if name != "rest"),
    ("compile, ms", "n"),
    ("first call, ms", "n"),
    ("to steady, ms", "n"),
    ("call, \u00b5s", "n"),
    ("pays after", "n"),
]


def rows(bench, speedups):
    """(program, plan, ns of each column or None, calls or None: never, or it is the base)."""
    pays = {(s.program, s.plan): s.break_even for s in speedups}
    for t in bench.timings:
        known = [
            t.stages[name].estimate if name in t.stages else None
            for name in STAGES
            if name != "rest"
        ]
        steady = t.stages["to_steady"].estimate if "to_steady" in t.stages else None
        yield (
            t.program,
            t.plan,
            [*known, t.compile.estimate, t.first_call.estimate, steady],
            t.steady.estimate,
            pays.get((t.program, t.plan), 0),
        )
