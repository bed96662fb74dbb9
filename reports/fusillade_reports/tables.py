"""The tables of the page, each a list of columns: a title, a style, and the cell of a row.

What a row is about is the type of the cells' argument: a finding with its place, a timing
with its speed-up, a row of compare.json, a change of the history.
"""

from dataclasses import dataclass
from urllib.parse import quote

from . import since_when, spark, verdict, what_changed
from .cells import NOTHING, Cell, Column, number, table, text

LEVELS = {"ok": verdict.PASS, "untrusted": verdict.WARN, "not checked": verdict.WARN}
STATUS = {"faster": verdict.PASS, "slower": verdict.WARN, "wrong outputs": verdict.FAIL}
CHANGE_INK = {"slower": "var(--s1)", "faster": "var(--s0)"}


def us(ns):
    """Microseconds, with decimals only where they say something."""
    digits = 4 if ns < 1e2 else 3 if ns < 1e3 else 2 if ns < 1e5 else 1 if ns < 1e6 else 0
    return f"{ns / 1e3:,.{digits}f}"


def ms(ns):
    return NOTHING if ns is None else number(ns, f"{ns / 1e6:,.2f}")


def pays(calls):
    """Calls from which on a plan pays; None: never."""
    return number(calls or 1e300, "never" if calls is None else f"{calls:,.0f}")


def count(name):
    return lambda x: number(x[name], f"{x[name]:,}")


# ---- causes: (place on the page, finding)

CAUSES = [
    Column(
        "bucket",
        "mono name",
        lambda c: Cell(c[1].bucket, href=f"#cause-{c[0]}", quiet=not c[1].is_open),
    ),
    Column("verdict", "", lambda c: Cell(c[1].verdict)),
    Column("oracle", "", lambda c: Cell(c[1].oracle)),
    Column("blame", "name", lambda c: Cell(c[1].blame)),
    Column("message", "wide", lambda c: Cell(c[1].message)),
    Column("nodes", "n", lambda c: number(c[1].nodes, c[1].nodes)),
    Column("cases", "n", lambda c: number(c[1].count, c[1].count)),
    Column("first seen, s", "n", lambda c: number(c[1].first_seen, f"{c[1].first_seen:.1f}")),
    Column("known", "", lambda c: Cell("" if c[1].known is None else c[1].known)),
]
STATE = Column("state", "", lambda c: Cell(c[1].state))


def causes(found):
    shown = [*CAUSES, STATE] if any(c.finding.builds for c in found) else CAUSES
    return table("cause", shown, list(enumerate((c.finding for c in found), 1)))


# ---- timings


@dataclass
class Timed:
    t: object  # model.Timing
    speedup: object  # intervals.Speedup, or None
    is_base: bool


def _ratio(x):
    if not x.speedup:
        return NOTHING
    r = x.speedup.ratio
    spread = "one process" if r.lower is None else f"{r.lower:.3g}, {r.upper:.3g}"
    return number(r.estimate, f"{r.estimate:.3g} [{spread}]")


def _decision(x):
    if not x.speedup:
        return Cell("base" if x.is_base else "")
    return Cell(x.speedup.status, level=STATUS.get(x.speedup.status))


def _steady(x):
    s = x.t.steady
    return number(s.estimate, f"{us(s.estimate)} [{s.spread(us)}]")


def _memory(name, write):
    return lambda x: number(x.t.memory[name], write(x.t.memory[name])) if x.t.memory else NOTHING


TIMINGS = [
    Column("program", "name", lambda x: Cell(x.t.program)),
    Column("plan", "name", lambda x: Cell(x.t.plan)),
    Column("call, \u00b5s", "n", _steady),
    Column("speed-up", "n", _ratio),
    Column("decision", "line", _decision),
    Column("compile, ms", "n", lambda x: ms(x.t.compile.estimate)),
    Column("first call, ms", "n", lambda x: ms(x.t.first_call.estimate)),
    Column("pays after", "n", lambda x: pays(x.speedup.break_even) if x.speedup else NOTHING),
    Column("peak, KiB", "n", _memory("peak_bytes", lambda n: f"{n / 1024:,.1f}")),
    Column("allocations", "n", _memory("allocations", lambda n: f"{n:,}")),
    Column("warm-up", "kinds", lambda x: Cell(x.t.warm_class)),
    Column(
        "outputs",
        "line",
        lambda x: Cell(x.t.verdict, level=LEVELS.get(x.t.verdict, verdict.FAIL)),
    ),
]
COMPARING = ("speed-up", "decision", "pays after")
MEMORY = ("peak, KiB", "allocations")  # of a steady call


def timings(bench, speedups):
    left_out = () if len(bench.plans) > 1 else COMPARING
    left_out += () if any(t.memory for t in bench.timings) else MEMORY
    ratios = {(s.program, s.plan): s for s in speedups}
    rows = [
        Timed(t, ratios.get((t.program, t.plan)), t.plan == bench.base_of(t.plan))
        for t in bench.timings
    ]
    return table("timing", [c for c in TIMINGS if c.title not in left_out], rows)


# ---- campaigns

JUDGEMENTS = [  # (name, count, of how many)
    Column(
        "judgement",
        "wide",
        lambda j: Cell(
            j[0],
            level=None if j[0] in ("ok", "untrusted") or ": " in j[0] else verdict.FAIL,
        ),
    ),
    Column("count", "n", lambda j: number(j[1], f"{j[1]:,}")),
    Column("share", "n", lambda j: number(j[1], f"{100 * j[1] / j[2]:.2f} %")),
]
WAITING = [
    Column("shows", "wide", text("shows")),
    Column("cases", "n", lambda w: number(w["cases"], w["cases"])),
    Column("one of them", "mono", text("case")),
]
FOUND_BY = [
    Column("by", "", text("by")),
    Column("name", "mono", text("name")),
    Column("causes", "n", count("causes")),
    Column(
        "causes an hour",
        "n",
        lambda f: number(f["causes_per_hour"], f"{f['causes_per_hour']:,.1f}"),
    ),
    Column("95 %", "n", lambda f: Cell("{:,.1f} to {:,.1f}".format(*f["per_hour"]))),
    Column("cases", "n", count("cases")),
    Column("first after, s", "n", lambda f: number(f["first_seen"], f"{f['first_seen']:,.1f}")),
]
KNOWN = [
    Column("record", "mono", text("name")),
    Column("owner", "", text("owner")),
    Column("until", "", lambda k: Cell(k["until"] + (", past" if k["expired"] else ""))),
    Column("findings", "n", lambda k: number(k["findings"], k["findings"])),
    Column("cases", "n", lambda k: number(k["cases"], k["cases"])),
    Column("reason", "wide", text("reason")),
]
COST = [
    Column("part", "mono", text("part")),
    Column("times", "n", count("times")),
    Column("CPU us each", "n", lambda p: number(p["cpu_us_each"], f"{p['cpu_us_each']:,.0f}")),
    Column(
        "executions each",
        "n",
        lambda p: number(p["executions"] / p["times"], f"{p['executions'] / p['times']:.1f}"),
    ),
    Column("CPU s", "n", lambda p: number(p["cpu_seconds"], f"{p['cpu_seconds']:.2f}")),
    Column("share", "n", lambda p: number(p["share"], f"{100 * p['share']:.1f} %")),
]


def judgements(c, judged):
    counts = sorted((c.verdicts | c.reasons).items(), key=lambda kv: -kv[1])
    return table("judgement", JUDGEMENTS, [(name, n, judged) for name, n in counts])


def reached_table(what, counts):
    """What of a kind was reached, the most often reached first."""
    columns = [
        Column(what, "mono", lambda r: Cell(r[0])),
        Column("times", "n", lambda r: number(r[1], f"{r[1]:,}")),
    ]
    rendered = table("", columns, sorted(counts.items(), key=lambda kv: -kv[1]))
    return {"columns": rendered["_columns"], "rows": rendered["_rows"]}


# ---- changes between two runs


@dataclass
class Change:
    row: dict  # of compare.json
    reach: float  # how far its bar of the metric goes
    series: object  # model.Series of the history, or None

    def __post_init__(self):
        words = what_changed.cells(self.row)
        self.program, self.plan, self.metric, self.old, self.new, self.change, *rest = words
        self.p, self.said, self.why = rest

    @property
    def bar(self):
        r, ink = self.row, CHANGE_INK.get(self.said, "var(--muted)")
        if not r["ratio"]:
            return ""
        return spark.interval(r["ratio"], r["lower"], r["upper"], self.reach, ink)


def _over_time(c):
    """The timing in the history, drawn small."""
    if not c.series:
        return Cell("", sort=0)
    points = c.series.points
    return Cell("", len(points), drawn=spark.line([p.estimate for p in points], "var(--s3)"))


CHANGES = [
    Column("program", "name", lambda c: Cell(c.program, quiet=c.said not in what_changed.RELEVANT)),
    Column("plan", "name", text("plan")),
    Column("metric", "", text("metric")),
    Column("verdict", "line", lambda c: Cell(c.said, level=what_changed.level(c.row))),
    Column("change", "n", lambda c: number(c.row["ratio"] or -1, c.change)),
    Column("interval", "line", lambda c: Cell("", c.row["ratio"] or -1, drawn=c.bar)),
    Column("old", "n", lambda c: number(c.row["old"] or -1, c.old)),
    Column("new", "n", lambda c: number(c.row["new"] or -1, c.new)),
    Column(
        "p", "n", lambda c: number(2 if c.row["p_adjusted"] is None else c.row["p_adjusted"], c.p)
    ),
    Column("why", "wide", text("why")),
    Column("over commits", "line", _over_time),
]


def changes(c, over):
    series = {(s.program, s.plan, s.metric): s for s in reversed(over.series)} if over else {}
    reach = {
        m: spark.reach(
            [(r["lower"], r["upper"]) for r in c["rows"] if r["metric"] == m and r["lower"]]
        )
        for m in {r["metric"] for r in c["rows"]}
    }
    rows = [
        Change(r, reach[r["metric"]], series.get((r["program"], r["plan"], r["metric"])))
        for r in c["rows"]
    ]
    return table("change", CHANGES if over else CHANGES[:-1], rows)


# ---- machines of a comparison


def _deviation(name):
    """By how much it is above all machines."""

    def cell(m):
        x = m[name]
        return NOTHING if x is None else number(x, f"{100 * (x - 1):+.2f} %")

    return cell


def _noise(m):
    return NOTHING if m["noise"] is None else number(m["noise"], f"{100 * m['noise']:.2f} %")


MACHINES = [
    Column("machine", "name", text("name")),
    Column("off", "wide", lambda m: Cell(_off(m), level=verdict.WARN if m["off"] else None)),
    Column("ratios, against all", "n", _deviation("ratio")),
    Column("times, against all", "n", _deviation("times")),
    Column("A/A", "n", _noise),
    Column("load", "n", lambda m: NOTHING if m["load"] is None else number(m["load"], m["load"])),
    Column("MHz", "n", count("mhz_per_cpu")),
    Column("processor", "name", text("cpu")),
]
ON_MACHINES = [
    Column("program", "name", text("program")),
    Column("plan", "name", text("plan")),
    Column("metric", "", text("metric")),
    Column("machine", "name", text("machine")),
    Column("change", "n", lambda r: number(r["ratio"] or -1, what_changed.change(r))),
    Column("interval", "line", lambda r: Cell("", r["ratio"] or -1, drawn=r["bar"])),
    Column("why it is left out", "wide", text("reason")),
]
MOST_ON_MACHINES = 2000


def _off(m):
    return "; ".join(o["told"] for o in m["off"])


def on_machines(c):
    """The machines, and the rows of the table of changes on each: those first of which something is
    reported."""
    out = table("machine", MACHINES, c.get("machines", ()))
    shown = [r for r in c["rows"] if r.get("machines")]
    shown.sort(key=lambda r: r["verdict"] not in what_changed.RELEVANT)
    rows = [
        {**m, "program": r["program"], "plan": r["plan"], "metric": r["metric"]}
        for r in shown
        for m in r["machines"]
    ]
    kept = rows[:MOST_ON_MACHINES]
    wide = spark.reach([(r["lower"], r["upper"]) for r in kept if r["lower"]])
    for r in kept:
        ends = r["ratio"], r["lower"], r["upper"]
        r["bar"] = spark.interval(*ends, wide, "var(--muted)") if r["ratio"] else ""
    left = len(rows) - len(kept)
    return out | table("on_machine", ON_MACHINES, kept) | {"on_machines_left": left}


# ---- changes over commits


@dataclass
class Moved:
    c: object  # since_when.Change
    link: str  # where a commit can be read, with a % for its hash; or ""

    def __post_init__(self):
        words = since_when.cells(self.c)
        self.program, self.plan, self.metric, self.kind, self.since, self.day, *rest = words
        self.before, self.after, self.change, self.p, self.why = rest

    @property
    def address(self):
        return self.link.replace("%", quote(self.c.commit.hash, safe="")) if self.link else None


HISTORY = [
    Column("program", "name", text("program")),
    Column("plan", "name", text("plan")),
    Column("metric", "", text("metric")),
    Column("verdict", "line", lambda m: Cell(m.kind, level=since_when.LEVELS.get(m.kind))),
    Column("since", "mono", lambda m: Cell(m.since, href=m.address)),
    Column("committed", "line", text("day")),
    Column("before", "n", lambda m: number(m.c.before, m.before)),
    Column("after", "n", lambda m: number(m.c.after, m.after)),
    Column("change", "n", lambda m: number(m.c.ratio, m.change)),
    Column("p", "n", lambda m: number(0 if m.c.p is None else m.c.p, m.p)),
    Column("commit, why", "wide", text("why")),
]


def over_commits(changes_, link):
    return table("history", HISTORY, [Moved(c, link) for c in changes_])
