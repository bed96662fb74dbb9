"""What compiling consists of: bars of each plan, and a table of all phases from the source text to
the steady call.

Stages count in whichever call they ran: an engine that compiles as calls come has most of them in
its second. What of compile and first call is in none of them (making bytecode, the call itself) is
the rest.
"""

from dataclasses import dataclass

from . import figures, tables
from .cells import NOTHING, Cell, Column, number

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
    for index, plan in enumerate(bench.plans):
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
        out.append((plan, figures.inline(figure, f"stages{index}", alt)))
    return out


@dataclass
class Row:
    t: object  # model.Timing
    calls: float | None  # from which on it pays; None: never, 0: it is the base

    def of(self, name):
        """Nanoseconds of a stage, or None."""
        return self.t.stages[name].estimate if name in self.t.stages else None


def _stage(name):
    return Column(f"{name}, ms", "n", lambda r: tables.ms(r.of(name)))


COLUMNS = [
    Column("program", "name", lambda r: Cell(r.t.program)),
    Column("plan", "name", lambda r: Cell(r.t.plan)),
    *(_stage(name) for name in STAGES if name != "rest"),
    Column("compile, ms", "n", lambda r: tables.ms(r.t.compile.estimate)),
    Column("first call, ms", "n", lambda r: tables.ms(r.t.first_call.estimate)),
    Column("to steady, ms", "n", lambda r: tables.ms(r.of("to_steady"))),
    Column(
        "call, \u00b5s", "n", lambda r: number(r.t.steady.estimate, tables.us(r.t.steady.estimate))
    ),
    Column("pays after", "n", lambda r: NOTHING if r.calls == 0 else tables.pays(r.calls)),
]


def rows(bench, speedups):
    pays = {(s.program, s.plan): s.break_even for s in speedups}
    return [Row(t, pays.get((t.program, t.plan), 0)) for t in bench.timings]
