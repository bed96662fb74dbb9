"""The figures, by Matplotlib: each one function from a model to a Drawing.

An SVG takes its colours from the page: what is drawn in the colours below is written as CSS
variables, so that light and dark are one drawing. Text stays text. Widths are those of a narrow
screen; the page sets figures side by side.
"""

import io
import math
import re
from dataclasses import dataclass, replace

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from markupsafe import Markup, escape
from matplotlib import ticker

from . import model

INK, MUTED, GRID = "#1b1c1d", "#6b6c6d", "#d9dadb"
# after Okabe and Ito, dark enough for text
SERIES = [
    "#0b5fa5",
    "#b8500a",
    "#0f7b5c",
    "#a1477f",
    "#8a6500",
    "#43729b",
]
CSS = {INK: "currentColor", MUTED: "var(--muted)", GRID: "var(--line)"} | {
    c: f"var(--s{i})" for i, c in enumerate(SERIES)
}
WIDTH = 364  # CSS pixels
MOST_PROGRAMS = 40

plt.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "fusillade",
        "text.parse_math": False,
        "font.size": 7.5,
        "font.family": "sans-serif",
        "axes.titlesize": 8,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": MUTED,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.minor.size": 0,
        "ytick.minor.size": 0,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "legend.frameon": False,
        "legend.fontsize": 7.5,
    }
)


def colour(index):
    return SERIES[index % len(SERIES)]


def short(text, most=28):
    return text if len(text) <= most else text[: most - 9] + "\u2026" + text[-8:]


def new(width, height, **more):
    return plt.subplots(figsize=(width / 96, height / 96), **more)


def log_axis(axes, unit=""):
    """Across, of what is drawn already: numbers at powers of ten, or where these are few, between
    them too."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    if high / low < 500:
        between = (
            ticker.MaxNLocator(4, steps=[1, 2, 5, 10])
            if high / low < 8
            else ticker.LogLocator(subs=(1, 2, 5) if high / low < 50 else (1, 3))
        )
        axes.xaxis.set_major_locator(between)
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,g}{unit}"))


@dataclass
class Drawing:
    """A figure for the page (`inline`), and as files next to it, named after it: in light
    colours on white."""

    name: str
    alt: str
    inline: Markup
    svg: str
    png: bytes

    def __html__(self):
        return self.inline

    def replace(self, pattern, replacement):
        """With re.sub of what was drawn, on the page and in the file; on the page ids begin with
        the name and a hyphen."""
        inline, svg = (
            re.sub(pattern, replacement, text, flags=re.S) for text in (self.inline, self.svg)
        )
        return replace(self, inline=Markup(inline), svg=svg)


def inline(figure, name, alt):
    """The figure as an SVG element, its ids beginning with `name`, its text for screen readers
    `alt`; and as files."""
    out, picture = io.StringIO(), io.BytesIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    figure.savefig(picture, format="png", dpi=2 * 96, metadata={"Software": None})
    plt.close(figure)
    text = out.getvalue()
    alone = re.sub(
        "(<svg .*?>)",
        r'\1<rect width="100%" height="100%" fill="#ffffff"/>',
        text,
        count=1,
        flags=re.S,
    )
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
    text = re.sub(r'((?:\s|:)(?:id|href)="#?|url\(#)', rf"\g<1>{name}-", text)
    for given, css in CSS.items():
        text = text.replace(given, css)
    text = re.sub(r"'DejaVu Sans'[^;]*sans-serif", "sans-serif", text)
    head = f'<svg role="img" aria-label="{escape(alt)}" '
    return Drawing(name, alt, Markup(text.replace("<svg ", head, 1)), alone, picture.getvalue())


def _by_gain(speedups):
    """Names of programs, least gain first: one order for all plans."""
    logs = {}
    for s in speedups:
        logs.setdefault(s.program, []).append(math.log(s.ratio.estimate))
    return sorted(logs, key=lambda p: sum(logs[p]) / len(logs[p]))


def _times(value, _=None):
    return f"{value:.3g}\u00d7" if value >= 1e5 else f"{value:g}\u00d7"


def _ratio_ticks(axes):
    """Powers of two, 1 among them, at most seven; four where numbers grow long."""
    low, high = (math.log2(x) for x in axes.get_xlim())
    step = max(1, math.ceil((high - low) / (7 if high - low < 10 else 4)))
    powers = [k for k in range(math.ceil(low), math.floor(high) + 1) if k % step == 0]
    axes.set_xticks([2.0**k for k in powers], [_times(2.0**k) for k in powers])


def _ratio_axis(axes):
    axes.set_xscale("log", base=2)
    axes.axvline(1, color=INK, lw=0.7)
    axes.grid(axis="x", color=GRID, lw=0.5)
    axes.set_axisbelow(True)


DECIDED = ("faster", "slower")


def speedup(speedups, plan, base, number):
    """One plan against the first: estimate and interval of each program; filled where the interval
    excludes 1."""
    programs = _by_gain(speedups)[-MOST_PROGRAMS:]
    mine = {s.program: s for s in speedups if s.plan == plan}
    figure, axes = new(WIDTH, 34 + 15 * len(programs), layout="constrained")
    _ratio_axis(axes)
    for at, program in enumerate(programs):
        s = mine.get(program)
        if s is None:
            continue
        decided = s.status in DECIDED
        c = colour(number) if decided else MUTED
        if s.ratio.lower is not None:
            axes.plot(
                [s.ratio.lower, s.ratio.upper], [at, at], color=c, lw=1.4, solid_capstyle="butt"
            )
        axes.plot([s.ratio.estimate], [at], "o", ms=4, color=c, mfc=c if decided else "none")
    _ratio_ticks(axes)
    axes.set_yticks(range(len(programs)), [short(p) for p in programs])
    axes.set_ylim(-0.7, len(programs) - 0.3)
    alt = (
        f"Speed-up of {plan} over {base} with 95 % intervals, {len(mine)} programs; the table "
        "below has the numbers"
    )
    return plan, inline(figure, f"speedup{number}", alt)


def _programs_shown(bench):
    """Programs that figures have room for: the longest calls."""
    cost = {
        p: max(t.steady.estimate for t in bench.timings if t.program == p) for p in bench.programs
    }
    kept = set(sorted(cost, key=cost.get)[-MOST_PROGRAMS:])
    return [p for p in bench.programs if p in kept]


def _rows(bench):
    """(position, timing, number of its plan), plans of a program together, and the positions of
    programs."""
    step = 0.8 / len(bench.plans)
    rows, ticks = [], []
    for at, program in enumerate(_programs_shown(bench)):
        ticks.append((at, short(program)))
        for i, plan in enumerate(bench.plans):
            t = bench.of(program, plan)
            if t:
                rows.append((at + (i - (len(bench.plans) - 1) / 2) * step, t, i))
    return rows, ticks, step


def _program_axis(axes, ticks):
    axes.set_yticks([at for at, _ in ticks], [name for _, name in ticks])
    axes.set_ylim(len(ticks) - 0.4, -0.6)
    axes.grid(axis="x", color=GRID, lw=0.5)
    axes.set_axisbelow(True)


def phases(bench):
    """Two figures: what is paid before the first result, and what each steady call then takes."""
    rows, ticks, step = _rows(bench)
    height = 46 + len(ticks) * (8 * len(bench.plans) + 8)
    figure, axes = new(WIDTH, height, layout="constrained")
    for at, t, i in rows:
        compiled, first = t.compile.estimate / 1e6, t.first_call.estimate / 1e6
        axes.barh(at, compiled, step * 0.8, color=colour(i))
        axes.barh(
            at, first, step * 0.8, left=compiled, facecolor="none", edgecolor=colour(i), lw=0.8
        )
    _program_axis(axes, ticks)
    axes.set_xlabel("ms")
    before = (
        "Before the first result: compile (filled), first call (hollow)",
        inline(
            figure,
            "before",
            "Compile and first call of each program and plan; the table below has the numbers",
        ),
    )
    figure, axes = new(WIDTH, height, layout="constrained")
    for at, t, i in rows:
        if t.steady.lower is not None:
            axes.plot(
                [t.steady.lower / 1e3, t.steady.upper / 1e3],
                [at, at],
                color=colour(i),
                lw=1.4,
                solid_capstyle="butt",
            )
        axes.plot([t.steady.estimate / 1e3], [at], "o", ms=3.5, color=colour(i))
    log_axis(axes)
    _program_axis(axes, ticks)
    axes.set_xlabel("\u00b5s, log")
    steady = inline(
        figure, "steady", "Steady call of each program and plan; the table below has the numbers"
    )
    return [before, ("A steady call, with its 95 % interval over processes", steady)]


def _with_titles(svg, before, tips):
    """What was drawn as the group tip:I says tips[I] where the pointer rests."""
    return re.sub(
        rf'<g id="{before}tip:(\d+)">',
        lambda m: f"<g><title>{escape(tips[int(m[1])])}</title>",
        svg,
    )


def warmup(t, number, mark=None):
    """Each process's calls over rounds, over the steady median; a tick where its steady state
    begins; marks of events.py."""
    figure, axes = new(180, 112 if mark else 100)
    level = sorted(x for s in t.steady_samples for x in s)
    level = level[len(level) // 2]
    for p, (series, (kind, start)) in enumerate(zip(t.samples, t.warm)):
        axes.plot(range(len(series)), [x / level for x in series], color=colour(p), lw=0.7)
        if kind not in model.UNSTEADY:
            axes.plot(
                [start],
                [0.0],
                "|",
                color=colour(p),
                ms=8,
                mew=1.2,
                clip_on=False,
                transform=axes.get_xaxis_transform(),
            )
    axes.set_yscale("log")
    top, bottom = max(max(s) for s in t.samples) / level, min(min(s) for s in t.samples) / level
    axes.set_ylim(min(0.7, bottom * 0.9), max(1.5, top * 1.15))
    ticks = [
        x for x in (0.1, 1, 10, 100, 1000, 10000) if axes.get_ylim()[0] <= x <= axes.get_ylim()[1]
    ]
    if len(ticks) == 1:
        ticks = [x for x in (0.5, 1, 2, 5) if axes.get_ylim()[0] <= x <= axes.get_ylim()[1]]
    axes.set_yticks(ticks, [_times(x) for x in ticks])
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.grid(axis="y", color=GRID, lw=0.5)
    axes.set_xlim(0, max(len(s) for s in t.samples) - 1)
    axes.xaxis.set_major_locator(ticker.MaxNLocator(4, integer=True))
    figure.subplots_adjust(left=0.2, right=0.97, top=0.82 if mark else 0.96, bottom=0.17)
    said, tips = mark(axes, max(len(s) for s in t.samples)) if mark else ("", [])
    alt = (
        f"Time of each call of {t.name} over {len(t.samples[0])} rounds in {len(t.samples)} "
        f"processes: {t.warm_class}"
    )
    name = f"warmup{number}"
    drawing = inline(figure, name, alt + (f"; {said}" if said else ""))
    drawing.inline, drawing.svg = (
        Markup(_with_titles(drawing.inline, f"{name}-", tips)),
        _with_titles(drawing.svg, "", tips),
    )
    return drawing
