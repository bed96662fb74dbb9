"""The figure of a timing over commits: a point a run, its levels with the noise about them, and
what changed.

Runs are in the order of commits at equal distances. Each machine and toolchain has a colour, and
a dotted line where it comes first. A level is a line over the runs that it is of; the band about it
holds nine tenths of them. Each point says its run, commit and value where the reader's pointer
rests.
"""

import numpy as np
from markupsafe import escape
from matplotlib import ticker

from . import figures, metrics, since_when

MOST_POINTS = 240  # the latest
KIND_INK = {since_when.SLOWER: figures.SERIES[1], since_when.FASTER: figures.SERIES[2]}


def _levels(changes):
    """The runs of each level, first ones first."""
    parts = {part for c in changes for part in (c.old, c.new) if part}
    return sorted(parts)


def _environments(points):
    """By point, which environment it is of: 0 for the first."""
    known = list(dict.fromkeys(p.run.environment for p in points))
    return [known.index(p.run.environment) for p in points]


def _tip(point, metric):
    commit = point.run.commit
    return (
        f"{since_when.short(commit)} {since_when.day(commit)}, "
        f"{figures.short(commit.subject, 80)}: {metrics.amount(point.estimate, metric)} on "
        f"{point.run.machine}, {point.run.date}"
    )


def _draw_levels(axes, series, changes, first, scale):
    values = np.array([p.estimate for p in series.points]) / scale
    for part in _levels(changes):
        shown = [i - first for i in part if i >= first]
        if not shown:
            continue
        mine = np.log(values[list(part)])
        low, middle, high = np.exp(
            [np.quantile(mine, 0.05), since_when.changepoints.level(mine), np.quantile(mine, 0.95)]
        )
        across = [shown[0] - 0.4, shown[-1] + 0.4]
        axes.fill_between(across, low, high, color=figures.GRID, lw=0)
        axes.plot(across, [middle] * 2, color=figures.INK, lw=0.9)


def draw(series, changes, number):
    """(caption, SVG) of a series and those of its changes that are reported."""
    first = max(0, len(series.points) - MOST_POINTS)
    points = series.points[first:]
    scale, unit = metrics.UNITS[series.metric]
    figure, axes = figures.new(figures.WIDTH, 150, layout="constrained")
    _draw_levels(axes, series, changes, first, scale)
    of = _environments(points)
    for i in range(1, len(of)):
        if of[i] > max(of[:i]):
            axes.axvline(i - 0.5, color=figures.MUTED, lw=0.8, ls=":")
    for c in changes:
        if c.at >= first:
            axes.axvline(c.at - first - 0.5, color=KIND_INK.get(c.kind, figures.MUTED), lw=1)
    for environment in dict.fromkeys(of):
        mine = [i for i, e in enumerate(of) if e == environment]
        drawn = axes.scatter(
            mine,
            [points[i].estimate / scale for i in mine],
            s=7,
            color=figures.colour(environment),
            lw=0,
            zorder=3,
        )
        drawn.set_urls([f"tip:{i}" for i in mine])
    axes.set_xlim(-0.9, len(points) - 0.1)
    axes.set_xticks(
        [0, len(points) - 1], [since_when.day(points[i].run.commit)[:10] for i in (0, -1)]
    )
    for label, side in zip(axes.get_xticklabels(), ("left", "right")):
        label.set_horizontalalignment(side)
    axes.set_ylabel(unit if series.metric in metrics.TIMES else f"{unit} instructions")
    axes.yaxis.set_major_locator(ticker.MaxNLocator(4))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,.6g}"))
    summary = "; ".join(
        f"{c.kind} {since_when.percent(c.ratio)} since {since_when.short(c.commit)}"
        for c in sorted(changes, key=lambda c: c.at)
    )
    alt = (
        f"{series.name}, {series.metric} over {len(points)} runs: {summary}; the table below has "
        "the numbers"
    )
    name = f"history{number}"
    drawing = figures.inline(figure, name, alt)
    tips = [escape(_tip(p, series.metric)) for p in points]
    # Links in place of the tips become titles, which browsers show where the pointer rests.
    tipped = drawing.replace(
        rf'<a xlink:href="(?:{name}-)?tip:(\d+)">(.*?)</a>',
        lambda m: f"<g><title>{tips[int(m[1])]}</title>{m[2]}</g>",
    )
    return f"{series.program} {series.plan}, {series.metric}: {summary}", tipped


def most_changed(judged, most):
    """Series with their changes, those of the worst changes first."""
    kept = {}
    for c in judged.changes:
        kept.setdefault(id(c.series), (c.series, []))[1].append(c)
    return list(kept.values())[:most], max(0, len(kept) - most)
