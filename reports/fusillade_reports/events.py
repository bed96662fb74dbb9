"""What the compiler did while a plan was measured: marks in the panels of the warm-up gallery, and
a table.

A mark is at the round of its event, or left of the rounds: before the first call, in the first,
in the second. Events of all processes are one mark where family and place agree; which they are and
what they took is shown where the pointer rests, and in the words of the figure.
"""

import statistics
from typing import NamedTuple

from . import figures
from .cells import Column, number, text

# family: marker of Matplotlib, the same as a character, number of its colour, what it is
FAMILIES = {
    "compiled": (
        "o",
        "\u25cf",
        0,
        "something was compiled: passes, groups, kernels, versions, gradients",
    ),
    "found": ("D", "\u25c6", 2, "something was found that was compiled before: a plan, a kernel"),
    "profiled": ("s", "\u25a0", 4, "a call was profiled"),
    "left": (
        "^",
        "\u25b2",
        1,
        (
            "compiled code was left or not to be had: a guard failed, a group declined, "
            "operators run one by one"
        ),
    ),
}
FAMILY = {
    "passes run": "compiled",
    "group specialised": "compiled",
    "group lowered": "compiled",
    "kernel compiled": "compiled",
    "kernel linked": "compiled",
    "version compiled": "compiled",
    "gradients derived": "compiled",
    "kernel known": "found",
    "kernel from disk": "found",
    "plan added": "found",
    "cache hit": "found",
    "call profiled": "profiled",
    "group declined": "left",
    "guard failed": "left",
    "generic call": "left",
    "fallback": "left",
}
LEGEND = [(character, colour, text) for _, character, colour, text in FAMILIES.values()]
MOST_ROWS = 1000
MOST_NAMED = 6  # places in the words of a figure
BEFORE = ("before the first call", "call 0", "call 1")  # left of the rounds
SLOT = 0.06  # of the rounds' width, for each of these


def place(event):
    """Its position: -3 to -1 before the rounds, else its round."""
    if event["call"] is None:
        return -3
    return event["call"] - 2 if event["round"] is None else event["round"]


def _name(at):
    return BEFORE[at + 3] if at < 0 else f"round {at}"


def _kind(event):
    what = f" ({event['what']})" if event["what"] else ""
    return event["kind"] + figures.short(what, 90)


def _marks(t):
    """By (family, place): kind to its (count, ns) in each process that had it."""
    out = {}
    for events in t.events:
        seen = {}
        for e in events:
            key = FAMILY[e["kind"]], place(e), _kind(e)
            count, took = seen.get(key, (0, 0.0))
            seen[key] = count + e["count"], took + e["took_ns"]
        for (family, at, kind), one in seen.items():
            out.setdefault((family, at), {}).setdefault(kind, []).append(one)
    return dict(sorted(out.items(), key=lambda kv: (kv[0][1], kv[0][0])))


def _amount(kind, seen, processes):
    count = statistics.median(n for n, _ in seen)
    took = statistics.median(ns for _, ns in seen)
    times = f" \u00d7{count:g}" if count != 1 else ""
    share = f", in {len(seen)} of {processes} processes" if len(seen) < processes else ""
    return kind + times + (f", {took / 1e6:.2f} ms" if took else "") + share


def mark(t):
    """What draws the marks of a timing into its panel, or None: (axes, rounds) to (their words, a
    tip for each)."""
    marks = _marks(t)
    if not marks:
        return None

    def draw(axes, rounds):
        slot = max(rounds - 1, 1) * SLOT
        axes.set_xticks([x for x in axes.get_xticks() if 0 <= x < rounds])
        axes.set_xlim(-3.6 * slot, max(rounds - 1, 1))
        axes.axvline(-0.3 * slot, color=figures.GRID, lw=0.8)
        tips, height = [], {}
        for (family, at), kinds in marks.items():
            shape, _, colour, _ = FAMILIES[family]
            above = height[at] = height.get(at, -1) + 1
            axes.scatter(
                [at if at >= 0 else at * slot],
                [1.05 + 0.075 * above],
                s=9,
                marker=shape,
                lw=0,
                clip_on=False,
                color=figures.SERIES[colour],
                transform=axes.get_xaxis_transform(),
                zorder=4,
                gid=f"tip:{len(tips)}",
            )
            tips.append(
                f"{_name(at)}: "
                + "; ".join(_amount(k, seen, len(t.events)) for k, seen in kinds.items())
            )
        places = list(dict.fromkeys(at for _, at in marks))
        shown = [
            f"{_name(p)}: "
            + ", ".join(k for (_, at), kinds in marks.items() if at == p for k in kinds)
            for p in places[:MOST_NAMED]
        ]
        more = f"; and {len(places) - MOST_NAMED} more places" if len(places) > MOST_NAMED else ""
        return "events: " + "; ".join(shown) + more, tips

    return draw


class Row(NamedTuple):
    program: str
    plan: str
    kind: str
    what: str
    when: str
    first_call: int
    processes: int  # that had it
    of: int
    times: float  # a median over these, as is ms
    ms: float


COLUMNS = [
    Column("program", "name", text("program")),
    Column("plan", "name", text("plan")),
    Column("event", "line", text("kind")),
    Column("which, why", "wide", text("what")),
    Column("when", "line", lambda r: number(r.first_call, r.when)),
    Column("processes", "n", lambda r: number(r.processes, f"{r.processes} of {r.of}")),
    Column("times", "n", lambda r: number(r.times, f"{r.times:g}")),
    Column("took, ms", "n", lambda r: number(r.ms, f"{r.ms:,.2f}" if r.ms else "")),
]


def _when(at, calls):
    if at < 0:
        return BEFORE[at + 3]
    low, high = min(calls), max(calls)
    return f"call {low:,}" if low == high else f"calls {low:,} to {high:,}"


def rows(bench):
    for t in bench.timings:
        kept = {}
        for p, events in enumerate(t.events):
            for e in events:
                kept.setdefault((e["kind"], e["what"], min(place(e), 0)), {}).setdefault(
                    p, []
                ).append(e)
        for (kind, what, at), seen in sorted(
            kept.items(),
            key=lambda kv: (kv[0][2], min(e["at_ns"] for es in kv[1].values() for e in es)),
        ):
            calls = [e["call"] for es in seen.values() for e in es if e["call"] is not None] or [-1]
            yield Row(
                t.program,
                t.plan,
                kind,
                what,
                _when(at, calls),
                min(calls),
                len(seen),
                len(t.events),
                statistics.median(sum(e["count"] for e in es) for es in seen.values()),
                statistics.median(sum(e["took_ns"] for e in es) for es in seen.values()) / 1e6,
            )
