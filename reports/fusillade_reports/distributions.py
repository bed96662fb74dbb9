"""Where the calls of each process lie, for the eye: a median hides two levels, and a mean hides
more.

A panel is a program. Each plan has a band, in it a row for each process: a tick a steady call, a
dot at their median. Of many calls those of evenly spread ranks are drawn, so that the shape stays
and the page does not grow.
"""

import numpy as np

from . import figures, verdict

MOST_PANELS = 24
MOST_TICKS = 40  # of a process
MOST_PROCESSES = 20  # of a plan
ROW, GAP = 5.5, 9.0  # pixels


def _ranks(series):
    """At most MOST_TICKS of the values, of evenly spread ranks, the least and the greatest among
    them."""
    ordered = np.sort(np.asarray(series, float))
    return ordered[
        np.unique(
            np.linspace(0, len(ordered) - 1, min(MOST_TICKS, len(ordered))).round().astype(int)
        )
    ]


def spread(timing):
    """How far the processes' medians differ: the greatest over the least."""
    medians = [np.median(s) for s in timing.steady_samples]
    return max(medians) / min(medians)


def _programs_shown(bench):
    """Programs that have a panel, in the order of the file: those whose processes agree least."""
    worst = {p: max(spread(t) for t in bench.timings if t.program == p) for p in bench.programs}
    kept = set(sorted(worst, key=worst.get)[-MOST_PANELS:])
    return [p for p in bench.programs if p in kept]


def _draw_plan(axes, timing, top, ink):
    """From `top` downwards; returns where it ends."""
    for series in timing.steady_samples[:MOST_PROCESSES]:
        values = _ranks(series) / 1e3
        axes.plot(
            np.column_stack([values, values, np.full(len(values), np.nan)]).ravel(),
            np.column_stack(
                [
                    np.full(len(values), top),
                    np.full(len(values), top + ROW - 1),
                    np.full(len(values), np.nan),
                ]
            ).ravel(),
            color=ink,
            lw=0.6,
            alpha=0.55,
            solid_capstyle="butt",
        )
        axes.plot([np.median(series) / 1e3], [top + (ROW - 1) / 2], "o", ms=3, color=ink)
        top += ROW
    return top + GAP


def _panel(bench, program, index):
    drawn = [(i, t) for i, plan in enumerate(bench.plans) if (t := bench.of(program, plan))]
    rows = sum(min(len(t.samples), MOST_PROCESSES) for _, t in drawn)
    figure, axes = figures.new(
        figures.WIDTH, 40 + rows * ROW + len(drawn) * GAP, layout="constrained"
    )
    top = 0.0
    for i, t in drawn:
        top = _draw_plan(axes, t, top, figures.colour(i))
    axes.set_ylim(top - GAP / 2, -GAP / 2)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    figures.log_axis(axes)
    axes.grid(axis="x", color=figures.GRID, lw=0.5)
    axes.set_axisbelow(True)
    axes.set_xlabel("\u00b5s, log")
    alt = (
        f"Steady calls of {program}, each process apart, under "
        f"{verdict.count(len(drawn), 'plan')}; medians of processes differ by up to "
        f"{100 * (max(spread(t) for _, t in drawn) - 1):.1f} %"
    )
    return figures.inline(figure, f"calls{index}", alt)


def values(bench):
    """Panels, and a sentence of what has none."""
    shown = _programs_shown(bench)
    panels = []
    for index, program in enumerate(shown):
        spreads = {plan: spread(t) for plan in bench.plans if (t := bench.of(program, plan))}
        caption = (
            f"medians of processes differ by {_range([100 * (x - 1) for x in spreads.values()])} %"
        )
        panels.append(
            (
                program,
                caption if all(len(t.samples) > 1 for t in bench.timings) else "",
                _panel(bench, program, index),
            )
        )
    left = len(bench.programs) - len(shown)
    note = f"{left} more programs, whose processes agree better, have no panel." if left else ""
    if any(len(t.samples) > MOST_PROCESSES for t in bench.timings):
        note += f" The first {MOST_PROCESSES} processes of each plan."
    return {"distributions": panels, "distributions_note": note.strip()}


def _range(numbers):
    low, high = (f"{x:.0f}" if x >= 10 else f"{x:.1f}" for x in (min(numbers), max(numbers)))
    return low if low == high else f"{low} to {high}"
