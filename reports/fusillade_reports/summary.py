"""summary.md: the verdict and the tables in GitHub's Markdown, at most 1 MiB, which is what a step
summary may hold.

Text of strangers is in code spans, in which nothing is markup.
"""

import re

from . import planted, releases, since_when, verdict, what_changed
from .visible import printable

MOST_BYTES = 1024 * 1024
MOST_CELL = 300


def code(text):
    """A code span that holds any text, fit for a cell of a table."""
    text = printable(" ".join(str(text).split()))
    text = text if len(text) <= MOST_CELL else text[: MOST_CELL - 1] + "\u2026"
    if not text:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in (text[0], text[-1]) else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _table(head, rows, budget, count=None):
    """Lines of a table, rows cut where `budget` bytes are spent, with how many are left out.
    count: how many rows there are, where they are not a list."""
    out = [
        "| " + " | ".join(name for name, _ in head) + " |",
        "|" + "|".join(rule for _, rule in head) + "|",
    ]
    left = budget - sum(len(line.encode()) + 1 for line in out)
    for number, row in enumerate(rows):
        line = "| " + " | ".join(row) + " |"
        left -= len(line.encode()) + 1
        if left < 0:
            of = len(rows) if count is None else count
            return out + ["", f"{of - number} more rows: see the page and the JSON."]
        out.append(line)
    return out


def _findings(c):
    for f in c.sorted:
        yield [
            code(f.bucket),
            f.verdict,
            code(f.blame),
            code(f.message),
            str(f.nodes),
            str(f.count),
            code(f.case),
            code(f.known or ""),
            code(f.told_by),
        ]


def _timings(bench, speedups):
    ratios = {(s.program, s.plan): s for s in speedups}
    for t in bench.timings:
        s = ratios.get((t.program, t.plan))
        yield [
            code(t.program),
            code(t.plan),
            f"{t.steady.estimate / 1e3:.2f}",
            t.steady.spread(lambda ns: f"{ns / 1e3:.2f}").replace(", ", " to "),
            verdict.interval_text(s.ratio) if s else "",
            s.status if s else "",
            f"{t.compile.estimate / 1e6:.2f}",
            f"{t.first_call.estimate / 1e6:.2f}",
            f"{t.memory['peak_bytes'] / 1024:.1f}" if t.memory else "",
            f"{t.memory['allocations']}" if t.memory else "",
            t.warm_class,
            t.verdict,
        ]


def _changes(c, budget):
    rules = ("---", "---", "---", "---:", "---:", "---:", "---:", "---", "---")
    words = (0, 1, 8)  # of strangers
    rows = [
        [code(x) if i in words else x for i, x in enumerate(what_changed.cells(r))]
        for r in c["rows"]
    ]
    return [
        "",
        f"## What changed: {code(c['old']['path'])} to {code(c['new']['path'])}",
        "",
    ] + _table(list(zip(what_changed.HEAD, rules)), rows, budget)


def _history(over, budget):
    rules = ("---",) * 6 + ("---:",) * 4 + ("---",)
    words = (0, 1, 10)  # of strangers
    rows = [
        [code(x) if i in words else x for i, x in enumerate(since_when.cells(c))]
        for c in over.changes
    ]
    return ["", "## History", ""] + (
        _table(list(zip(since_when.HEAD, rules)), rows, budget) if rows else ["No timing changed."]
    )


def _planted_table(hunt, budget):
    rules = ["---:" if c.style == "n" else "---" for c in planted.COLUMNS]
    rows = [[code(x) for x in row] for row in planted.summary_rows(hunt)]
    head = [(c.title, rule) for c, rule in zip(planted.COLUMNS, rules)]
    said = f"{verdict.count(len(rows), 'record')} of {len(hunt['records'])} missed or blamed wrong."
    return ["", "## Planted bugs", "", said, ""] + (_table(head, rows, budget) if rows else [])


def _releases(both, budget):
    names = ("status", "engine", "verdict", "message", "fails in old", "fails in new", "bucket")
    head = [(name, "---") for name in names]
    return ["", "## Two releases", ""] + _table(head, list(releases.summary(both, code)), budget)


def text(campaign, bench, speedups, lines, compared=None, over=None, hunt=None, both=None):
    out = ["# Fusillade report", ""]
    out += [f"- **{line.level}** {code(line.text)}" for line in lines]
    half = MOST_BYTES // 5 - 8192
    if both and both["causes"]:
        out += _releases(both, half)
    if compared:
        out += _changes(compared, half)
    if over:
        out += _history(over, half)
    if hunt:
        out += _planted_table(hunt, half)
    if campaign and campaign.findings:
        left = [
            ("bucket", "---"),
            ("verdict", "---"),
            ("blame", "---"),
            ("message", "---"),
            ("nodes", "---:"),
            ("cases", "---:"),
            ("case", "---"),
            ("known", "---"),
            ("state", "---"),
        ]
        out += ["", f"## Findings: {len(campaign.open)} open of {len(campaign.findings)}", ""]
        out += _table(left, _findings(campaign), half, len(campaign.findings))
    if bench and bench.timings:
        head = [
            ("program", "---"),
            ("plan", "---"),
            ("call, \u00b5s", "---:"),
            ("95 % interval", "---"),
            ("speed-up", "---"),
            ("", "---"),
            ("compile, ms", "---:"),
            ("first call, ms", "---:"),
            ("peak, KiB", "---:"),
            ("allocations", "---:"),
            ("warm-up", "---"),
            ("outputs", "---"),
        ]
        out += ["", "## Timings", ""] + _table(head, list(_timings(bench, speedups)), half)
    return "\n".join(out) + "\n"
