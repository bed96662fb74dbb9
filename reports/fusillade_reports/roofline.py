"""The roofline of a bench: what each steady call achieves, against the most that the machine can
do.

Across: floating-point operations for each byte that moves; up: operations in a second. A slanted
line is a bandwidth (of a cache, of memory), a level one the rate of multiply-adds; no call lies
above all of them for long. Bytes and operations are counted, not measured (bench/harness/cost.h): a
value that is read twice counts twice, wherever it came from.
"""

import math
from dataclasses import dataclass

from matplotlib import ticker

from . import figures, verdict
from .cells import Cell, Column, number

STYLES = (("-", "drawn through"), ("--", "dashed"), ("-.", "dashed and dotted"), (":", "dotted"))
MOST_POINTS = 400  # those that compute most


@dataclass
class Point:
    program: str
    plan: str
    bytes: int
    flops: int
    footprint: int  # bytes that a cache must have to hold all of it
    seconds: float  # of a steady call

    @property
    def intensity(self):
        """Operations for each byte; None where nothing moves or nothing is computed."""
        return self.flops / self.bytes if self.flops and self.bytes else None

    @property
    def rate(self):
        return self.flops / self.seconds

    @property
    def bandwidth(self):
        return self.bytes / self.seconds


def points(bench):
    """Of every timing whose work is known and whose outputs are not wrong."""
    return [
        Point(
            t.program,
            t.plan,
            t.work["bytes"],
            t.work["flops"],
            t.work["footprint"],
            t.steady.estimate / 1e9,
        )
        for t in bench.timings
        if t.work and t.trusted and t.steady.estimate > 0
    ]


def _level(peaks, footprint):
    """The copy of as many bytes or more, else that in memory."""
    return next((c for c in peaks["copies"] if footprint <= c["bytes"]), peaks["copies"][-1])


def least_time(point, peaks):
    """Seconds that all threads of the machine would need at the least, and what that is by."""
    moving = point.bytes / _level(peaks, point.footprint)["all"]
    computing = point.flops / peaks["flops"]["all"]
    return (moving, "bytes") if moving >= computing else (computing, "operations")


def _size(count):
    return f"{count / 1024:,.0f} KiB" if count < 1 << 20 else f"{count / (1 << 20):,.0f} MiB"


def _decades(low, high):
    return 10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high))


def _plain(value, _=None):
    return f"{value:g}" if value >= 1e-3 else f"{value:.0e}"


def _roofs(axes, peaks, low, high):
    """The lines, from the left edge to where they meet the level one."""
    top = peaks["flops"]["all"] / 1e9
    for index, copy in enumerate(peaks["copies"]):
        gigabytes = copy["all"] / 1e9
        knee = min(top / gigabytes, high)
        axes.plot(
            [low, knee],
            [low * gigabytes, knee * gigabytes],
            color=figures.MUTED,
            lw=0.9,
            ls=STYLES[index % len(STYLES)][0],
        )
    left = min(*(top / (c["all"] / 1000000000.0) for c in peaks["copies"]), high)
    axes.plot([left, high], [top, top], color=figures.INK, lw=0.9)
    axes.plot([low, high], [peaks["flops"]["one"] / 1e9] * 2, color=figures.GRID, lw=0.9)


def draw(bench):
    """(caption, SVG), or None where there is nothing to draw."""
    peaks = bench.context.get("peaks")
    shown = sorted((p for p in points(bench) if p.intensity), key=lambda p: -p.flops)[:MOST_POINTS]
    if not (peaks and shown):
        return None
    figure, axes = figures.new(figures.WIDTH, 260, layout="constrained")
    low, high = _decades(
        min(p.intensity for p in shown) / 2, max(max(p.intensity for p in shown) * 2, 10)
    )
    for index, plan in enumerate(bench.plans):
        mine = [p for p in shown if p.plan == plan]
        axes.scatter(
            [p.intensity for p in mine],
            [p.rate / 1e9 for p in mine],
            s=12,
            color=figures.colour(index),
            alpha=0.8,
            lw=0,
            marker="os^Dv<"[index % 6],
            zorder=3,
        )
    _roofs(axes, peaks, low, high)
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(low, high),
        xlabel="floating-point operations for each byte",
        ylabel="GFLOP/s",
    )
    rates = [p.rate / 1e9 for p in shown] + [peaks["flops"]["all"] / 1e9]
    axes.set_ylim(*_decades(min(rates) / 1.5, max(rates) * 1.5))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(ticker.FuncFormatter(_plain))
        axis.set_minor_formatter(ticker.NullFormatter())
    axes.grid(color=figures.GRID, lw=0.4)
    axes.set_axisbelow(True)
    alt = (
        f"Roofline: operations in a second over operations for each byte, {len(shown)} timings; "
        "the table below has the numbers"
    )
    return caption(peaks), figures.inline(figure, "roofline", alt)


def caption(peaks):
    lines = [
        f"{STYLES[n % len(STYLES)][1]} {c['all'] / 1e9:,.3g} GB/s for {_size(c['bytes'])}"
        for n, c in enumerate(peaks["copies"])
    ]
    return (
        f"Copies by {verdict.count(peaks['threads'], 'thread')}: {', '.join(lines)}. Level: "
        f"multiply-adds of f32, {peaks['flops']['all'] / 1e9:,.3g} GFLOP/s; pale: by one thread, "
        f"{peaks['flops']['one'] / 1e9:,.3g}."
    )


def _microseconds(seconds):
    return f"{seconds * 1e6:,.0f}" if seconds >= 1e-4 else f"{seconds * 1e6:.3g}"


def _bound_cell(write):
    """A cell of the least time and what it is by; empty without the machine's peaks."""
    return lambda x: write(x[0], *least_time(*x)) if x[1] else Cell("", sort=-1)


def _least(point, least, by):
    return number(least, _microseconds(least))


def _share(point, least, by):
    return number(least / point.seconds, f"{100 * least / point.seconds:.1f} %")


COLUMNS = [  # (point, peaks or None)
    Column("program", "name", lambda x: Cell(x[0].program)),
    Column("plan", "name", lambda x: Cell(x[0].plan)),
    Column("moves", "n", lambda x: number(x[0].bytes, f"{x[0].bytes / 1024:,.1f} KiB")),
    Column("operations", "n", lambda x: number(x[0].flops, f"{x[0].flops:,}")),
    Column(
        "operations a byte",
        "n",
        lambda x: number(x[0].intensity or -1, f"{x[0].intensity:.3g}" if x[0].intensity else ""),
    ),
    Column("GB/s", "n", lambda x: number(x[0].bandwidth, f"{x[0].bandwidth / 1e9:.3g}")),
    Column("GFLOP/s", "n", lambda x: number(x[0].rate, f"{x[0].rate / 1e9:.3g}")),
    Column("least, \u00b5s", "n", _bound_cell(_least)),
    Column("share of it", "n", _bound_cell(_share)),
    Column("bound by", "line", lambda x: Cell(least_time(*x)[1] if x[1] else "")),
]
