"""planted.json in words and pictures: of bugs put in one at a time, how many campaigns detect, how
soon, and blamed on what.

A record that was not detected was given up at the budget, and counts as that (survival.py). Of the
programs until a detection the same is reported, for a processor's seconds are those of one machine
at one load. Groups are the part of the tree that a bug was planted in, and the oracle that is
expected to see it.
"""

import os
from collections import Counter
from dataclasses import dataclass

from matplotlib import ticker

from . import figures, survival, verdict
from .cells import Cell, Column, number, table, text

LEAST_GROUP = 3  # records: fewer have no curve
FIRST_SECOND, FIRST_PROGRAM = 0.1, 10  # where the axes begin: what came sooner is put there


@dataclass
class Group:
    by: str
    name: str
    records: list

    @property
    def detected(self):
        return [r for r in self.records if r["detected"]]

    @property
    def right(self):
        return sum(r["blame_right"] for r in self.records)

    def curve(self, field):
        return survival.kaplan_meier(
            [r[field] for r in self.records], [r["detected"] for r in self.records]
        )


def groups(p):
    """All, then by part and by oracle, those of most records first."""
    out = [Group("", "all", p["records"])]
    for by, key in (
        ("planted in", lambda r: os.path.dirname(r["file"]) or r["file"]),
        ("oracle expected", lambda r: r["oracle_expected"]),
    ):
        count = Counter(key(r) for r in p["records"])
        out += [
            Group(by, name, [r for r in p["records"] if key(r) == name])
            for name in sorted(count, key=lambda n: (-count[n], n))
        ]
    return out


def why_missed(r):
    """Of a record that was not detected, how far it came."""
    if not r["reached"]:
        return "the place was never reached"
    if not r["triggered"]:
        return f"reached {verdict.count(r['reached'], 'time')}, nothing was seen"
    return "what was found stays without the switch, or comes and goes"


def _amount(value):
    return f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def _median(curve, unit=""):
    """Median with its interval in words; where it was not reached, that."""
    middle, low, high = curve.median
    if middle is None:
        return "not reached"
    return (
        f"{_amount(middle)} [{_amount(low)}, "
        f"{'not reached' if high is None else _amount(high)}]{unit}"
    )


def lines(p):
    """Sentences with levels."""
    whole = groups(p)[0]
    missed = [r["id"] for r in p["records"] if not r["detected"]]
    of = verdict.count(len(p["records"]), "planted bug")
    text = f"{len(whole.detected)} of {of} detected within {p['limit_seconds']:g} s each"
    if whole.detected:
        seconds, programs = whole.curve("seconds"), whole.curve("programs")
        text += (
            f" (median {_median(seconds, ' s')}, {_median(programs, ' programs')}; 95 % "
            f"intervals), blamed right {whole.right}"
        )
    if missed:
        more = f" and {len(missed) - 4} more" if len(missed) > 4 else ""
        yield verdict.Line(verdict.FAIL, f"{text}; missed: {', '.join(missed[:4])}{more}.")
    else:
        yield verdict.Line(verdict.PASS, text + ".")
    control = p["control"]
    if control is None:
        yield verdict.Line(
            verdict.WARN,
            "The hunt for planted bugs ended early: the control, with none of them, was not run.",
        )
    elif control["bucket"] is not None:
        yield verdict.Line(
            verdict.FAIL,
            f"The control, with no bug planted, found {control['bucket']}: a false alarm, or a bug "
            "nobody planted.",
        )
    else:
        yield verdict.Line(
            verdict.PASS,
            "The control, with no bug planted, found nothing in "
            f"{verdict.count(control['programs'], 'program')}.",
        )


def _steps(curve, first, last):
    """A curve's points from the axis's beginning to the end of what was looked at."""
    at = [first] + [max(first, t) for t in curve.times] + [max(last, first)]
    return (
        at,
        *(
            [1.0] + [100 * x for x in share] + [100 * share[-1] if len(share) else 100.0]
            for share in (curve.left, curve.lower, curve.upper)
        ),
    )


def _draw(axes, curve, first, last, ink, band):
    at, left, lower, upper = _steps(curve, first, last)
    left[0] = lower[0] = upper[0] = 100.0
    if band:
        axes.fill_between(at, lower, upper, step="post", color=figures.GRID, lw=0)
    axes.step(at, left, where="post", color=ink, lw=1.2 if band else 1)


def _axes(axes, first, last):
    axes.set_xscale("log")
    axes.set_xlim(first, max(last, first * 10) * 1.05)
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:,g}"))
    axes.set_ylim(0, 102)
    axes.set_yticks([0, 50, 100], ["0 %", "50 %", "100 %"])
    axes.grid(color=figures.GRID, lw=0.5)
    axes.set_axisbelow(True)


def _whole(p, field, first, name):
    whole = groups(p)[0]
    curve, last = whole.curve(field), max(r[field] for r in p["records"])
    figure, axes = figures.new(figures.WIDTH, 190, layout="constrained")
    _axes(axes, first, last)
    _draw(axes, curve, first, last, figures.SERIES[0], True)
    given_up = [r[field] for r in p["records"] if not r["detected"]]
    if given_up:
        axes.plot(
            [max(first, x) for x in given_up],
            [100 * curve.end[0]] * len(given_up)
            if field == "seconds"
            else [100 * _left_at(curve, x) for x in given_up],
            "|",
            color=figures.SERIES[0],
            ms=6,
            mew=1,
        )
    axes.set_xlabel(f"{field}, log")
    text = f"ot yet detected, by {field}: median {_median(curve)}, {100 * curve.end[0]:.0f} % left"
    return "N" + text, figures.inline(figure, name, "Share of planted bugs n" + text)


def _left_at(curve, time):
    before = [share for t, share in zip(curve.times, curve.left) if t <= time]
    return before[-1] if before else 1.0


def _panel(p, group, index):
    """A group's curve over that of all."""
    first, last = FIRST_SECOND, p["limit_seconds"]
    figure, axes = figures.new(180, 100)
    _axes(axes, first, last)
    _draw(axes, groups(p)[0].curve("seconds"), first, last, figures.MUTED, False)
    _draw(axes, group.curve("seconds"), first, last, figures.SERIES[1], False)
    figure.subplots_adjust(left=0.25, right=0.97, top=0.96, bottom=0.17)
    alt = (
        f"{group.name}: {len(group.detected)} of {len(group.records)} detected, median "
        f"{_median(group.curve('seconds'))} s"
    )
    return figures.inline(figure, f"survival-group{index}", alt)


def _right(r):
    """Detected, and blamed as expected."""
    return r["detected"] and r["blame_right"]


def _why(r):
    if not r["detected"]:
        return why_missed(r)
    expected = " or ".join(x.strip() for x in r["blame_expected"].split("|"))
    return "" if r["blame_right"] else f"to be blamed: {expected}"


def _nodes(r):
    return number(-1, "") if r["nodes"] is None else number(r["nodes"], r["nodes"])


COLUMNS = [
    Column("record", "mono line", lambda r: Cell(r["id"], quiet=_right(r))),
    Column(
        "detected",
        "line",
        lambda r: Cell("yes") if r["detected"] else Cell("missed", level=verdict.FAIL),
    ),
    Column("seconds", "n", lambda r: number(r["seconds"], f"{r['seconds']:.1f}")),
    Column("programs", "n", lambda r: number(r["programs"], f"{r['programs']:,}")),
    Column(
        "blame",
        "some",
        lambda r: Cell(
            r["blame_found"], level=verdict.WARN if r["detected"] and not _right(r) else None
        ),
    ),
    Column("why", "some", lambda r: Cell(_why(r))),
    Column(
        "oracle",
        "line",
        lambda r: Cell(r["oracle_found"] if r["detected"] else f"({r['oracle_expected']})"),
    ),
    Column("nodes", "n", _nodes),
    Column("planted in", "some", lambda r: Cell(r["file"].removeprefix("engine/"))),
    Column("modelled on", "some", text("real")),
]


def _median_of(axis):
    def cell(group):
        curve = group.curve(axis)
        return number(curve.median[0] or 1e300, _median(curve))

    return cell


GROUP_COLUMNS = [
    Column("records", "mono name", text("name")),
    Column("by", "line", text("by")),
    Column("detected", "n", lambda g: number(len(g.detected), len(g.detected))),
    Column("of them", "n", lambda g: number(len(g.records), len(g.records))),
    Column("median, s", "n", _median_of("seconds")),
    Column("median, programs", "n", _median_of("programs")),
    Column("blamed right", "n", lambda g: number(g.right, g.right)),
]


def _sort_records(p):
    return sorted(p["records"], key=lambda r: (r["detected"], r["blame_right"], -r["seconds"]))


def summary_rows(p):
    """For summary.md: those that were missed or blamed wrong, all cells as text."""
    return [[str(c.cell(r).text) for c in COLUMNS] for r in _sort_records(p) if not _right(r)]


def values(p):
    """What the page shows."""
    if not p["records"]:
        return {
            "planted_figures": [],
            "planted_groups": [],
            **table("planted", COLUMNS, ()),
            **table("planted_group", GROUP_COLUMNS, ()),
            "planted_caption": "no records",
        }
    panels = [
        (g.name, g.by, f"{len(g.detected)} of {len(g.records)}", _panel(p, g, i))
        for i, g in enumerate(groups(p))
        if g.by and len(g.records) >= LEAST_GROUP
    ]
    return {
        "planted_figures": [
            _whole(p, "seconds", FIRST_SECOND, "survival"),
            _whole(p, "programs", FIRST_PROGRAM, "survival-programs"),
        ],
        "planted_groups": panels,
        **table("planted", COLUMNS, _sort_records(p)),
        **table("planted_group", GROUP_COLUMNS, groups(p)),
        "planted_caption": f"{verdict.count(len(p['records']), 'record')}, those missed or blamed "
        "wrong first; an oracle in brackets was expected",
    }
