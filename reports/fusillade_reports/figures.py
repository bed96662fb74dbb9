"""The figures, by Matplotlib: each one function from a model to inline SVG, or to campaign.png.

An SVG takes its colours from the page: what is drawn in the colours below is written as CSS variables, so that light
and dark are one drawing. Text stays text. Widths are those of a narrow screen; the page sets figures side by side.
"""

import io
import math
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import ticker  # noqa: E402
from markupsafe import Markup, escape  # noqa: E402

from . import model  # noqa: E402

INK, MUTED, GRID = "#1b1c1d", "#6b6c6d", "#d9dadb"
SERIES = ["#0b5fa5", "#b8500a", "#0f7b5c", "#a1477f", "#8a6500", "#43729b"]  # after Okabe and Ito, dark enough for text
CSS = {INK: "currentColor", MUTED: "var(--muted)", GRID: "var(--line)"} | {c: f"var(--s{i})" for i, c in enumerate(SERIES)}
WIDTH = 364  # CSS pixels
MOST_PROGRAMS = 40

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "fusillade", "text.parse_math": False, "font.size": 7.5,
    "font.family": "sans-serif", "axes.titlesize": 8, "axes.titlelocation": "left", "axes.spines.top": False,
    "axes.spines.right": False, "axes.linewidth": 0.6, "axes.edgecolor": MUTED, "axes.labelcolor": MUTED,
    "text.color": INK, "xtick.color": MUTED, "ytick.color": MUTED, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.minor.size": 0, "ytick.minor.size": 0,
    "xtick.major.size": 2.5, "ytick.major.size": 2.5, "legend.frameon": False, "legend.fontsize": 7.5})


def colour(index):
    return SERIES[index % len(SERIES)]


def short(text, most=28):
    return text if len(text) <= most else text[: most - 9] + "\u2026" + text[-8:]


def new(width, height, **more):
    return plt.subplots(figsize=(width / 96, height / 96), **more)


def inline(figure, name, alt):
    """The figure as an SVG element, its ids beginning with `name`, its text for screen readers `alt`."""
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    text = out.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg"):], flags=re.S)
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
    text = re.sub(r'((?:\s|:)(?:id|href)="#?|url\(#)', rf"\g<1>{name}-", text)
    for given, css in CSS.items():
        text = text.replace(given, css)
    text = re.sub(r"'DejaVu Sans'[^;]*sans-serif", "sans-serif", text)
    head = f'<svg role="img" aria-label="{escape(alt)}" '
    return Markup(text.replace("<svg ", head, 1))


def bars(counts, most=10, longest=40):
    """The commonest of a dict of counts, rarest first: labels cut to a length, the rest summed in one bar."""
    names = sorted(counts, key=counts.get)
    rest, names = (names[: -most + 1], names[-most + 1:]) if len(names) > most else ([], names)
    out = [(f"{len(rest)} others", sum(counts[n] for n in rest))] if rest else []
    return out + [(n if len(n) <= longest else n[: longest - 1] + "\u2026", counts[n]) for n in names]


RATE, JUDGED, FOUND = "Programs per second and job; dotted: the mean, {}", "Judgements by verdict and reason, log", "Findings"


def _mean(c):
    return f"{c.rate:.{0 if c.rate >= 10 else 1}f}"


def _draw_rate(axes, c):
    steps = [(b[0], (b[1] - a[1]) / (b[0] - a[0]) / c.jobs) for a, b in zip(c.samples, c.samples[1:]) if b[0] > a[0]]
    axes.plot([s[0] for s in steps], [s[1] for s in steps], color=SERIES[0], lw=1)
    axes.axhline(c.rate, color=MUTED, lw=0.8, ls=":")
    axes.set(xlabel="seconds", ylim=(0, None), xlim=(0, None))


def _draw_verdicts(axes, c):
    rows = bars(c.verdicts | c.reasons)
    axes.barh(range(len(rows)), [count for _, count in rows], 0.7, color=SERIES[2])
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_xscale("log" if rows else "linear")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,.0f}" if v >= 1 else ""))
    axes.set_xlim(left=0.5 if rows else None)


def _draw_findings(axes, c):
    axes.step([s[0] for s in c.samples], [s[2] for s in c.samples], where="post", color=SERIES[1])
    axes.set(xlabel="seconds", ylim=(0, max(1, len(c.findings)) * 1.05), xlim=(0, None))
    axes.yaxis.get_major_locator().set_params(integer=True)


def campaign_picture(c, path):
    """Rate, verdicts and findings of a campaign as a PNG."""
    figure, (rate, verdicts, findings) = new(1240, 340, ncols=3)
    for axes, draw, title in ((rate, _draw_rate, RATE.format(_mean(c))), (verdicts, _draw_verdicts, JUDGED),
                              (findings, _draw_findings, FOUND)):
        draw(axes, c)
        axes.set_title(title)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def campaign_health(c):
    """The same as (caption, SVG); no figure of what did not happen."""
    figure, axes = new(WIDTH, 170, layout="constrained")
    _draw_rate(axes, c)
    alt = f"Programs per second and job over {c.seconds:.0f} seconds, mean {_mean(c)}"
    out = [(RATE.format(_mean(c)), inline(figure, "rate", alt))]
    if c.verdicts or c.reasons:
        figure, axes = new(WIDTH, 36 + 15 * len(bars(c.verdicts | c.reasons)), layout="constrained")
        _draw_verdicts(axes, c)
        out.append((JUDGED, inline(figure, "verdicts", "Judgements by verdict and reason; the table below has the numbers")))
    if c.findings:
        figure, axes = new(WIDTH, 170, layout="constrained")
        _draw_findings(axes, c)
        out.append((FOUND, inline(figure, "found", f"Findings over time, {len(c.findings)} at the end")))
    return out


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
    """One plan against the first: estimate and interval of each program; filled where the interval excludes 1."""
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
            axes.plot([s.ratio.lower, s.ratio.upper], [at, at], color=c, lw=1.4, solid_capstyle="butt")
        axes.plot([s.ratio.estimate], [at], "o", ms=4, color=c, mfc=c if decided else "none")
    _ratio_ticks(axes)
    axes.set_yticks(range(len(programs)), [short(p) for p in programs])
    axes.set_ylim(-0.7, len(programs) - 0.3)
    alt = f"Speed-up of {plan} over {base} with 95 % intervals, {len(mine)} programs; the table below has the numbers"
    return plan, inline(figure, f"speedup{number}", alt)


def changes(c):
    """New over old of each metric: the changes with their intervals, greatest first, the shaded width too small to count."""
    out, least = [], c["threshold"]
    for number, metric in enumerate(dict.fromkeys(r["metric"] for r in c["rows"])):
        rows = [r for r in c["rows"] if r["metric"] == metric and r["ratio"]]
        rows = sorted(rows, key=lambda r: -abs(math.log(r["ratio"])))[:MOST_PROGRAMS][::-1]
        if not rows:
            continue
        figure, axes = new(WIDTH, 40 + 15 * len(rows), layout="constrained")
        axes.axvspan(1 / (1 + least), 1 + least, color=GRID, lw=0)
        axes.axvline(1, color=INK, lw=0.7)
        for at, r in enumerate(rows):
            decided = r["verdict"] in DECIDED
            ink = colour(1 if r["verdict"] == "slower" else 0) if decided else MUTED
            if r["lower"] is not None:
                axes.plot([r["lower"], r["upper"]], [at, at], color=ink, lw=1.4, solid_capstyle="butt")
            axes.plot([r["ratio"]], [at], "o", ms=4, color=ink, mfc=ink if decided else "none")
        axes.xaxis.set_major_locator(ticker.MaxNLocator(4))
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}\u00d7"))
        axes.set_yticks(range(len(rows)), [short(f"{r['program']} {r['plan']}") for r in rows])
        axes.set_ylim(-0.7, len(rows) - 0.3)
        alt = f"{metric}: new over old with 95 % intervals, {len(rows)} timings; the table below has the numbers"
        out.append((f"{metric}, the {len(rows)} greatest changes" if len(rows) == MOST_PROGRAMS else metric,
                    inline(figure, f"changes{number}", alt)))
    return out


def _shown(bench):
    """Programs that figures have room for: the longest calls."""
    cost = {p: max(t.steady.estimate for t in bench.timings if t.program == p) for p in bench.programs}
    kept = set(sorted(cost, key=cost.get)[-MOST_PROGRAMS:])
    return [p for p in bench.programs if p in kept]


def _rows(bench):
    """(place, timing, number of its plan), plans of a program close together, and the places of programs."""
    step = 0.8 / len(bench.plans)
    rows, ticks = [], []
    for at, program in enumerate(_shown(bench)):
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
        axes.barh(at, first, step * 0.8, left=compiled, facecolor="none", edgecolor=colour(i), lw=0.8)
    _program_axis(axes, ticks)
    axes.set_xlabel("ms")
    before = "Before the first result: compile (filled), first call (hollow)", inline(figure, "before", "Compile and first call of each program and plan; the table below has the numbers")
    figure, axes = new(WIDTH, height, layout="constrained")
    for at, t, i in rows:
        axes.plot([t.steady.lower / 1e3, t.steady.upper / 1e3], [at, at], color=colour(i), lw=1.4, solid_capstyle="butt")
        axes.plot([t.steady.estimate / 1e3], [at], "o", ms=3.5, color=colour(i))
    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    _program_axis(axes, ticks)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    axes.set_xlabel("\u00b5s, log")
    steady = inline(figure, "steady", "Steady call of each program and plan; the table below has the numbers")
    return [before, ("A steady call, with its 95 % interval over processes", steady)]


def warmup(t, number, mark=None):
    """Each process's calls over rounds, over the steady median; a tick where its steady state begins; marks of events.py."""
    figure, axes = new(180, 112 if mark else 100)
    level = sorted(x for s in t.steady_samples for x in s)
    level = level[len(level) // 2]
    for p, (series, (kind, start)) in enumerate(zip(t.samples, t.warm)):
        axes.plot(range(len(series)), [x / level for x in series], color=colour(p), lw=0.7)
        if kind not in model.UNSTEADY:
            axes.plot([start], [0.0], "|", color=colour(p), ms=8, mew=1.2, clip_on=False,
                      transform=axes.get_xaxis_transform())
    axes.set_yscale("log")
    top, bottom = max(max(s) for s in t.samples) / level, min(min(s) for s in t.samples) / level
    axes.set_ylim(min(0.7, bottom * 0.9), max(1.5, top * 1.15))
    ticks = [x for x in (0.1, 1, 10, 100, 1000, 10000) if axes.get_ylim()[0] <= x <= axes.get_ylim()[1]]
    if len(ticks) == 1:
        ticks = [x for x in (0.5, 1, 2, 5) if axes.get_ylim()[0] <= x <= axes.get_ylim()[1]]
    axes.set_yticks(ticks, [_times(x) for x in ticks])
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.grid(axis="y", color=GRID, lw=0.5)
    axes.set_xlim(0, max(len(s) for s in t.samples) - 1)
    axes.xaxis.set_major_locator(ticker.MaxNLocator(4, integer=True))
    figure.subplots_adjust(left=0.2, right=0.97, top=0.82 if mark else 0.96, bottom=0.17)
    said, tips = mark(axes, max(len(s) for s in t.samples)) if mark else ("", [])
    alt = f"Time of each call of {t.name} over {len(t.samples[0])} rounds in {len(t.samples)} processes: {t.warm_class}"
    svg = inline(figure, f"warmup{number}", alt + (f"; {said}" if said else ""))
    return Markup(re.sub(rf'<g id="warmup{number}-tip:(\d+)">', lambda m: f"<g><title>{escape(tips[int(m[1])])}</title>", svg))
