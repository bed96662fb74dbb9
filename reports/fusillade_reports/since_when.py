"""The history judged: which timing changed its level, at which commit, and whether a commit can be
to blame at all.

Values are comparable where machine and toolchain are the same: each such set of runs is looked at
alone, whether or not others lie between, so that a new machine or compiler is reported as that and
never as a regression of the commit. A change between runs of one code (of one commit, or of commits
that changed nothing of what ran) is the machine's. Times are tested (changepoints.py), all of one
page as one family: Benjamini and Hochberg's p-values, so that at most one in a hundred of the
changes reported is none, and a history without changes reports any with that chance. A change below
the A/A floor of the runs around it, by which one build differs from itself within a run, is not
reported. Counts have no chance in them.
"""

import math
import re
from dataclasses import dataclass, field

import numpy as np

from . import changepoints, history, metrics, model, verdict, visible

SLOWER, FASTER, DRIFT, MACHINE = "slower", "faster", "drift", "machine"
KINDS = (SLOWER, FASTER, DRIFT, MACHINE)
LEVELS = {SLOWER: verdict.WARN, FASTER: verdict.PASS}
LEAST_CHANGE = 0.01  # of times: a smaller one is not reported
RATE = 0.01
PARTS = ("machine", "processor", "number of processors", "BLAS kernels", "toolchain")


@dataclass
class Chosen:
    """Regular expressions."""

    program: str = ""
    plan: str = ""
    metric: str = ""

    def of(self, series):
        try:
            ways = [
                (re.compile(x), y)
                for x, y in (
                    (self.program, "program"),
                    (self.plan, "plan"),
                    (self.metric, "metric"),
                )
            ]
        except re.error as error:
            raise model.Broken(f"no regular expression: {error}") from None
        return [s for s in series if all(way.search(getattr(s, name)) for way, name in ways)]


@dataclass
class Change:
    series: history.Series
    kind: str
    at: int  # the point of the series from which on
    before: float  # levels, in the unit of the metric
    after: float
    p: float | None  # adjusted; None: counted
    commit: history.Commit  # the first of the new level
    commits: list  # all that it may be of, first ones first
    why: str = ""
    old: tuple = ()  # points of the series that the levels are of
    new: tuple = ()

    @property
    def ratio(self):
        return self.after / self.before


@dataclass
class Judged:
    series: list
    changes: list = field(default_factory=list)
    tests: int = 0
    # (point's run, sentence) in the order of commits
    environments: list = field(default_factory=list)


def _can_change(before, after):
    """Whether a commit lies between two points, and changed what ran."""
    return before.run.commit.hash != after.run.commit.hash and not (
        before.code and before.code == after.code
    )


def groups(series):
    """Indices of the points of each environment."""
    groups = {}
    for i, point in enumerate(series.points):
        groups.setdefault(point.run.environment, []).append(i)
    return list(groups.values())


def find(metric, values, shared=0.0):
    """Changes of values of one environment."""
    return (
        changepoints.count_changes(values, metrics.LEAST_COUNT)
        if metric in metrics.COUNTS
        else changepoints.find(values, shared=shared)
    )


def _shared_by_environment(series):
    """How much a run's deviation is that of the run before it, by environment: times measured in
    the same runs show it together."""
    logs = {}
    for s in series:
        for group in groups(s) if s.metric not in metrics.COUNTS else ():
            logs.setdefault(s.points[group[0]].run.environment, []).append(
                np.log([s.points[i].estimate for i in group])
            )
    return {environment: changepoints.shared_following(all_) for environment, all_ in logs.items()}


def _change_of(series, group, change, p, edges):
    """A change in a group of points as one of the series."""
    points = [series.points[i] for i in group]
    runs_of_change = [
        i for i in range(change.first, change.last + 1) if _can_change(points[i - 1], points[i])
    ]
    kind, why = (SLOWER if change.ratio > 1 else FASTER), ""
    at = min(runs_of_change, key=lambda i: abs(i - change.at)) if runs_of_change else change.at
    commits = list(dict.fromkeys(points[i].run.commit for i in runs_of_change)) or [
        points[at].run.commit
    ]
    if change.drift:
        kind, at = DRIFT, change.at
        why = f"it rises or falls over {change.last - change.first + 2} runs, at no one commit"
    elif not runs_of_change:
        kind, why = MACHINE, "the code is the same on both sides"
    elif len(commits) > 1:
        why = f"one of {len(commits)} commits, {commits[0].hash[:12]} to {commits[-1].hash[:12]}"
    if len(group) < len(series.points):
        why = "; ".join([*([why] if why else []), f"seen on {points[at].run.machine} alone"])
    start, end = max(e for e in edges if e < at), min(e for e in edges if e > at)
    return Change(
        series,
        kind,
        group[at],
        change.before,
        change.after,
        p,
        points[at].run.commit,
        commits,
        why,
        tuple(group[start:at]),
        tuple(group[at:end]),
    )


def _least(change):
    """The least change of a time that is reported there."""
    floors = [change.series.points[i].floor for i in change.old + change.new]
    return max(LEAST_CHANGE, float(np.median(floors)))


def adjust(ps, tests):
    """Benjamini and Hochberg's p-values, in the order given; of `tests` tests, those not given
    being 1."""
    out, least = [1.0] * len(ps), 1.0
    for rank, at in sorted(enumerate(np.argsort(ps), 1), reverse=True):
        least = min(least, ps[at] * tests / rank)
        out[at] = least
    return out


def _environments(series):
    """Where runs of one machine and toolchain follow others for the first time."""
    runs = sorted(
        {p.run.id: p.run for s in series for p in s.points}.values(),
        key=lambda r: (r.commit.time, r.commit.number, r.commit.hash, r.date, r.id),
    )
    seen = {r.environment for r in runs[:1]}
    for before, run in zip(runs, runs[1:]):
        if run.environment in seen:
            continue
        seen.add(run.environment)
        differences = "; ".join(
            f"{name} {a} to {b}"
            for name, a, b in zip(PARTS, before.environment, run.environment)
            if a != b
        )
        yield run, differences


def judge(series):
    """All changes of these series, the worst first."""
    out = Judged(series, environments=list(_environments(series)))
    tested, shared = [], _shared_by_environment(series)
    for s in series:
        counts = s.metric in metrics.COUNTS
        for group in groups(s):
            if not counts and len(group) < 2 * changepoints.LEAST:
                continue
            together = 0.0 if counts else shared[s.points[group[0]].run.environment]
            changes = find(s.metric, [s.points[i].estimate for i in group], together)
            edges = [0, *(f.at for f in changes), len(group)]
            out.tests += 0 if counts else max(1, len(changes))
            for f in changes:
                candidate = _change_of(s, group, f, None if counts else f.p, edges)
                if counts or abs(math.log(f.ratio)) > math.log1p(_least(candidate)):
                    (out.changes if counts else tested).append(candidate)
    for change, p in zip(tested, adjust([c.p for c in tested], out.tests)):
        change.p = p
        if p <= RATE:
            out.changes.append(change)
    out.changes.sort(key=lambda c: (KINDS.index(c.kind), -abs(math.log(c.ratio))))
    return out


def short(commit):
    return commit.hash[:12]


def day(commit):
    return str(np.datetime64(commit.time, "s"))[:16].replace("T", " ")


def percent(ratio):
    return f"{100 * (ratio - 1):+.2f} %"


HEAD = (
    "program",
    "plan",
    "metric",
    "verdict",
    "since",
    "committed",
    "before",
    "after",
    "change",
    "p",
    "commit, why",
)


def cells(c):
    s, amount = c.series, metrics.amount
    why = (
        c.commit.subject + (f"; {c.why}" if c.why else "") if c.kind in (SLOWER, FASTER) else c.why
    )
    return (
        s.program,
        s.plan + (" typed" if s.typed else ""),
        s.metric,
        c.kind,
        short(c.commit),
        day(c.commit),
        amount(c.before, s.metric),
        amount(c.after, s.metric),
        percent(c.ratio),
        "counted" if c.p is None else f"{c.p:.2g}",
        why,
    )


def _unchanged_lines(judged_):
    changed = {id(c.series) for c in judged_.changes}
    for s in judged_.series:
        if id(s) in changed:
            continue
        fewest = max(len(g) for g in groups(s))
        few = s.metric not in metrics.COUNTS and fewest < 2 * changepoints.LEAST
        last = s.points[-1]
        yield (
            s.program,
            s.plan + (" typed" if s.typed else ""),
            s.metric,
            "too few runs" if few else "no change",
            short(last.run.commit),
            day(last.run.commit),
            "",
            metrics.amount(last.estimate, s.metric),
            "",
            "",
            f"{fewest} of at least {2 * changepoints.LEAST} runs on one machine"
            if few
            else verdict.count(len(s.points), "run"),
        )


def lines(j):
    """Sentences with levels."""
    slower = [c for c in j.changes if c.kind == SLOWER]
    runs = {p.run.id: p.run for s in j.series for p in s.points}
    commits = {r.commit.hash for r in runs.values()}
    if slower:
        worst = ", ".join(
            f"{c.series.name}, {c.series.metric} {percent(c.ratio)} since {short(c.commit)}"
            for c in slower[:4]
        )
        more = f" and {len(slower) - 4} more" if len(slower) > 4 else ""
        yield verdict.Line(
            verdict.WARN,
            f"History: {verdict.count(len(slower), 'change')} for the worse: {worst}{more}.",
        )
    text = (
        ", ".join(f"{kind} {n}" for kind in KINDS if (n := sum(c.kind == kind for c in j.changes)))
        or "no change"
    )
    yield verdict.Line(
        verdict.NOTE,
        f"History: {verdict.count(len(runs), 'run')} of {verdict.count(len(commits), 'commit')}, "
        f"{verdict.count(len(j.series), 'timing')}: {text}; {verdict.count(j.tests, 'test')} of "
        f"times, one family at {RATE:g}.",
    )
    for run, text in j.environments:
        yield verdict.Line(
            verdict.NOTE,
            f"History: from {short(run.commit)} ({run.date}) on: {text}. What changed there is of "
            "no commit.",
        )


def terminal(path, chosen, all_):
    j = judge(chosen.of(history.load(path)))
    table = [HEAD] + [
        tuple(" ".join(cell.split()) for cell in row)
        for row in [*map(cells, j.changes), *(_unchanged_lines(j) if all_ else ())]
    ]
    if len(table) == 1:
        table = []
    wide = [max(len(row[i]) for row in table) for i in range(len(HEAD) - 1)] if table else []
    out = [
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, wide)), row[-1]]).rstrip()
        for row in table
    ]
    return (
        "\n".join(
            out
            + ([""] if table else [])
            + [f"{line.level:<5}{visible.line(line.text)}" for line in lines(j)]
        )
        + "\n"
    )
