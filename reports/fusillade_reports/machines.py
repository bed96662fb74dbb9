"""One pair of runs, old and new, from each of several machines, as one comparison.

A ratio is always of one machine: a pair whose sides are of two is refused. Of each timing every
machine gives one ratio (compare.py), and the machine is the unit: the change is the mean over
machines, its error how far they scatter (intervals.over_machines). So a verdict holds of machines
like these, and few machines allow few verdicts. Two folders of one machine count once. A machine
that is off (off.py) is reported, with what the verdicts would be without it, and is kept.
"""

import math
import os
from dataclasses import dataclass, field, replace

import numpy as np

from . import compare, intervals, model, off
from .metrics import METRICS, TIMES

SIDES = ("old", "new")
LEAST = 2  # machines
CLOCKS = 1.1  # clocks that differ by less are alike


@dataclass
class Run:
    """A folder: what was measured of a pair, and its rows."""

    folder: str
    benches: dict  # by side, "again" where it is there
    rows: dict = field(default_factory=dict)  # by program, plan, metric
    ratios: dict = field(default_factory=dict)  # of those of them that are times

    @property
    def context(self):
        return self.benches["old"].context


@dataclass
class Machine:
    name: str
    runs: list

    @property
    def context(self):
        return self.runs[0].context


# ---- folders


def _paths(folder):
    """The files of a pair, and whether old and new ran in the same processes."""
    if not os.path.isdir(folder):
        raise model.Broken(f"{folder} is no folder")
    for below in ("", "speed"):  # of compare --commits; of releases
        at = {s: os.path.join(folder, below, f"{s}.json") for s in (*SIDES, "again")}
        if any(os.path.exists(at[s]) for s in SIDES):
            break
    else:
        at = {s: os.path.join(folder, s, "bench.json") for s in (*SIDES, "again")}
    here = {s: path for s, path in at.items() if os.path.exists(path)}
    absent = [s for s in SIDES if s not in here]
    if len(absent) == 2:
        raise model.Broken(
            f"{folder} holds no pair: neither old.json and new.json, as compare --commits leaves "
            "them, nor old/bench.json and new/bench.json"
        )
    if absent:
        (there,) = set(SIDES) - set(absent)
        raise model.Broken(
            f"{folder} holds {here[there]} and no {at[absent[0]]}: a ratio needs both, of one "
            "machine"
        )
    return here, bool(below)


def _who(bench):
    c = bench.context
    return f"{c['host_name']} ({c['machine']['cpu']})"


def _read(folder, options):
    paths, interleaved = _paths(folder)
    benches = {side: model.load_bench(path) for side, path in paths.items()}
    for side, bench in benches.items():
        if not bench.timings and not bench.context.get("not_measured"):
            raise model.Broken(f"{paths[side]} holds no timing")
        if _who(bench) != _who(benches["old"]):
            raise model.Broken(
                f"{folder}: old was measured on {_who(benches['old'])}, {side} on {_who(bench)}; a "
                "ratio is of one machine: measure both there, by turns"
            )
    run = Run(folder, benches)
    one = replace(options, again=paths.get("again"), interleaved=interleaved)
    rows, ratios = compare.measured_rows(
        benches["old"], benches["new"], benches.get("again"), one, True
    )
    for row in rows:
        key = row["program"], row["plan"], row["metric"]
        run.rows[key] = row
        if found := ratios.get(id(row)):
            run.ratios[key] = found
    return run


def _identity(run):
    """Two containers of one machine have one boot, whatever they are called."""
    boots = [b.context["boot_id"] for b in run.benches.values() if b.context.get("boot_id")]
    return boots[0] if boots else (run.context["host_name"], run.context["machine"]["cpu"])


def _group(runs):
    """Machines, in the order of the folders."""
    of = {}
    for run in runs:
        of.setdefault(_identity(run), []).append(run)
    names = [group[0].context["host_name"] for group in of.values()]
    return [
        Machine(name if names.count(name) == 1 else f"{name} ({group[0].folder})", group)
        for name, group in zip(names, of.values())
    ]


def _require(machines, folders):
    if len(machines) < LEAST:
        raise model.Broken(
            f"at least {LEAST} machines are needed, and {', '.join(folders)}: all of "
            f"{machines[0].name}; compare OLD NEW judges one"
        )
    for side in SIDES:
        seen = {m.runs[0].benches[side].context["library_version"]: m for m in machines}
        if len(seen) > 1:
            (a, one), (b, other) = list(seen.items())[:2]
            raise model.Broken(
                f"{side} is {a} on {one.name} and {b} on {other.name}: these are other pairs"
            )
    keys = [
        {(t.program, t.plan) for run in m.runs for t in run.benches["old"].timings}
        | {(t.program, t.plan) for run in m.runs for t in run.benches["new"].timings}
        for m in machines
    ]
    if not any(a & b for i, a in enumerate(keys) for b in keys[:i]):
        raise model.Broken(
            "no timing is of two of these machines: they measured other programs, or other plans"
        )


# ---- rows


def _mean(values):
    there = [v for v in values if v is not None and v > 0]
    return math.exp(sum(map(math.log, there)) / len(there)) if there else None


@dataclass
class Part:
    """A row on one machine."""

    name: str
    rows: list
    ratio: intervals.Ratio | None

    def as_json(self):
        why = [r["reason"] or r["verdict"] for r in self.rows if r["verdict"]]
        r = self.ratio
        ratio = r.estimate if r else _mean(x["ratio"] for x in self.rows)
        return {
            "machine": self.name,
            "old": _mean(x["old"] for x in self.rows),
            "new": _mean(x["new"] for x in self.rows),
            "ratio": ratio,
            "lower": r.lower if r else None,
            "upper": r.upper if r else None,
            "reason": why[0] if why else "",
        }


def _part(machine, key):
    runs = [run for run in machine.runs if key in run.rows]
    if not runs:
        return None
    ratios = [
        run.ratios[key]
        for run in runs
        if key in run.ratios and run.rows[key]["verdict"] in (None, compare.IDENTICAL)
    ]
    found = intervals.of_one_machine(ratios) if ratios else None
    return Part(machine.name, [run.rows[key] for run in runs], found)


def _worst(parts, verdicts):
    """(verdict, reason) of the first of these verdicts that a machine has."""
    for verdict in verdicts:
        for part in parts:
            for row in part.rows:
                if row["verdict"] == verdict:
                    return verdict, f"{part.name}: {row['reason'] or verdict}"
    return None


def _times(row, parts, seed):
    """Puts what the machines measured into a row of times; the ratio, or None."""
    usable = [p for p in parts if p.ratio]
    found = None
    if len(usable) >= LEAST:
        found = intervals.over_machines([p.ratio for p in usable], seed=seed)
        row |= {"ratio": found.estimate, "lower": found.lower, "upper": found.upper, "p": found.p}
        logs = np.log([p.ratio.estimate for p in usable])
        noise = np.mean([(p.ratio.error or 0.0) ** 2 for p in usable])
        row["between"] = math.expm1(math.sqrt(max(0.0, float(logs.var(ddof=1) - noise))))
    if undecided := _worst(parts, (compare.ERROR, compare.MISSING)):
        row["verdict"], row["reason"] = undecided
    elif found is None:
        others = [v for v in compare.VERDICTS if v not in (None, compare.IDENTICAL)]
        undecided = _worst(parts, others) if not usable else None
        row["verdict"], row["reason"] = undecided or (
            compare.INSUFFICIENT,
            f"measured on {len(usable)} of at least {LEAST} machines",
        )
    elif all(r["verdict"] == compare.IDENTICAL for p in usable for r in p.rows):
        row["verdict"], row["reason"] = compare.IDENTICAL, usable[0].rows[0]["reason"]
    return found


def _counts(row, parts):
    """A count is exact on each machine: it is more where it is more on any."""
    row["ratio"] = _mean(r["ratio"] for p in parts for r in p.rows)
    order = (compare.ERROR, compare.MISSING, compare.SLOWER, compare.FASTER)
    row["verdict"], row["reason"] = _worst(parts, (*order, *compare.VERDICTS))
    there = [r for p in parts for r in p.rows if r["verdict"] == row["verdict"]]
    if row["verdict"] in (compare.SLOWER, compare.FASTER):
        on = sum(any(r in there for r in p.rows) for p in parts)
        row["reason"] = f"on {on} of {len(parts)} machines; {row['reason']}"
    elif row["verdict"] not in order:
        row["reason"] = there[0]["reason"]


def _row(key, machines, seed):
    """(row, its ratio, its parts)."""
    parts = [p for m in machines if (p := _part(m, key))]
    strictest = max((r for p in parts for r in p.rows), key=lambda r: r["threshold"])
    row = parts[0].rows[0] | {
        "old": _mean(r["old"] for p in parts for r in p.rows),
        "new": _mean(r["new"] for p in parts for r in p.rows),
        **dict.fromkeys(("ratio", "lower", "upper", "p", "verdict", "between")),
        "threshold": strictest["threshold"],
        "threshold_of": strictest["threshold_of"],
        "lost": any(r["lost"] for p in parts for r in p.rows),
        "reason": "",
        "machines": [p.as_json() for p in parts],
    }
    if key[2] not in TIMES:
        _counts(row, parts)
        return row, None, parts
    return row, _times(row, parts, seed), parts


def _aa_logs(run, metric):
    """A/A of a run, signed logs by name of the timing, by what was measured twice."""
    b = run.benches
    if "again" in b:
        return {"again": compare.again_differences(b["old"], b["again"], metric)}
    return {
        s: {t.name: math.log(t.aa[metric]) for t in b[s].timings if t.aa.get(metric)} for s in SIDES
    }


def _averages(tables):
    """Of tables by name the mean for each name, over those that have it."""
    out = {}
    for table in tables:
        for name, value in table.items():
            out.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in out.items()}


def _set_floors(rows, metric, machines):
    """As compare's, of means over machines: what identical code and A/A come to there."""
    mine = [r for r in rows if r["metric"] == metric]
    same = max(
        (abs(math.log(r["ratio"])) for r in mine if r["verdict"] == compare.IDENTICAL),
        default=0.0,
    )
    aa_logs = [[_aa_logs(run, metric) for run in m.runs] for m in machines]
    seen = [
        _averages([_averages([run.get(what, {}) for run in runs]) for runs in aa_logs])
        for what in ("again", *SIDES)
    ]
    middle = max(float(np.median([abs(x) for x in t.values()] or [0.0])) for t in seen)
    for row in mine:
        row["floor"] = math.expm1(max(same, middle, *(abs(t.get(row["name"], 0.0)) for t in seen)))


def _everywhere(row):
    """Of a row that is undecided: what each machine by itself shows of it, if it is the same; or
    None."""
    shown = [m for m in row["machines"] if m["lower"] is not None]
    if row["verdict"] not in (compare.AMBIGUOUS, compare.UNSTABLE) or len(shown) < LEAST:
        return None
    least = 1 + max(row["threshold"], row["floor"])
    if all(m["lower"] > 1 and m["ratio"] > least for m in shown):
        return compare.SLOWER
    if all(m["upper"] < 1 and m["ratio"] < 1 / least for m in shown):
        return compare.FASTER
    return None


def _judge(machines, options):
    """What compare.judge gives of all machines together; and the ratios by row."""
    keys = dict.fromkeys(key for m in machines for run in m.runs for key in run.rows)
    rows, ratios = [], {}
    for seed, key in enumerate(keys):
        row, found, _ = _row(key, machines, seed)
        rows.append(row)
        if found:
            ratios[id(row)] = found
    for metric in TIMES:
        _set_floors(rows, metric, machines)
    decided = options.gate == "memory" and any(
        compare.gate_of_memory(run.benches["old"], run.benches["new"])
        for m in machines
        for run in m.runs
    )
    out = compare.judge(rows, ratios, options, decided)
    for row in rows:
        row["everywhere"] = _everywhere(row)
        if row["everywhere"]:
            on = f"{row['everywhere']} on each of {len(row['machines'])} machines"
            row["reason"] += f"; {on}, which are too few"
    gated = [r for r in rows if r["metric"] in compare.GATES[options.gate]]
    if out["exit_code"] == 0 and any(r["everywhere"] == compare.SLOWER for r in gated):
        out["exit_code"] = 3
    return out, ratios


# ---- means over programs


def _mean_over(compared, ratios, names):
    """Over programs, of each machine and of all: machines are the unit here too."""
    centre = float(np.mean([math.log(r["ratio"]) for r in compared]))
    deviations = {name: [] for name in names}
    for row in compared:
        for m in row["machines"]:
            if m["ratio"]:
                deviations[m["machine"]].append(math.log(m["ratio"] / row["ratio"]))
    each = {name: centre + float(np.mean(logs)) for name, logs in deviations.items() if logs}
    out = {"ratio": math.exp(centre), "lower": None, "upper": None}
    found = [ratios.get(id(r)) for r in compared]
    if all(found) and len(each) >= LEAST:
        errors = sum(f.error**2 for f in found) / len(found) ** 2
        error = math.sqrt(max(np.var(list(each.values()), ddof=1) / len(each), errors))
        half = error * intervals.student.quantile(len(each) - 1, 0.5 + intervals.LEVEL / 2)
        out |= {"lower": math.exp(centre - half), "upper": math.exp(centre + half)}
    out["machines"] = [{"machine": name, "ratio": math.exp(x)} for name, x in each.items()]
    return out


def _means(rows, ratios, machines):
    names = [m.name for m in machines]
    for metric in METRICS:
        for plan in dict.fromkeys(r["plan"] for r in rows):
            mine = [r for r in rows if (r["plan"], r["metric"]) == (plan, metric)]
            kept = [
                r
                for r in mine
                if r["verdict"] in (*compare.TESTED, compare.IDENTICAL) and r["ratio"]
            ]
            if kept:
                of = {"plan": plan, "metric": metric, "programs": len(kept), "of": len(mine)}
                yield of | _mean_over(kept, ratios, names)


# ---- machines


def _profile(rows, machines, value):
    """Of each machine the median over timings of how far its value (of a row's part) is from those
    of all, in logs; None where nothing is known.

    What machines differ by in a timing stays as it is: all are compared with one mean. So of alike
    machines these are as alike."""
    out = {m.name: [] for m in machines}
    for row in rows:
        known = {m["machine"]: math.log(m[value]) for m in row["machines"] if m[value]}
        if row["metric"] == "steady" and len(known) == len(machines):
            middle = float(np.mean(list(known.values())))
            for name, x in known.items():
                out[name].append(x - middle)
    if not all(out.values()):
        return [None] * len(machines)
    each = [float(np.median(v)) for v in out.values()]
    return [x - float(np.median(each)) for x in each]


def _noise(machine):
    """The median over timings of its A/A of a steady call."""
    logs = [
        abs(x)
        for run in machine.runs
        for table in _aa_logs(run, "steady").values()
        for x in table.values()
    ]
    return math.expm1(float(np.median(logs))) if logs else None


def _without(machine, machines, whole, options):
    """What leaving it out would change; None: too few would be left."""
    rest = [m for m in machines if m is not machine]
    if len(rest) < LEAST:
        return None
    found, _ = _judge(rest, options)
    before = {(r["name"], r["metric"]): r["verdict"] for r in whole["rows"]}
    changed = [
        {
            "name": r["name"],
            "metric": r["metric"],
            "with": before[r["name"], r["metric"]],
            "without": r["verdict"],
        }
        for r in found["rows"]
        if r["verdict"] != before[r["name"], r["metric"]]
    ]
    return {"exit_code": found["exit_code"], "changed": changed}


def _report(machines, whole, options):
    ratios, times = (_profile(whole["rows"], machines, v) for v in ("ratio", "old"))
    noises = [_noise(m) for m in machines]
    why = off.reasons(ratios, noises, times, options.threshold)
    for m, ratio, time, noise, reasons in zip(machines, ratios, times, noises, why):
        c = m.context
        yield {
            "name": m.name,
            "folders": [run.folder for run in m.runs],
            "host_name": c["host_name"],
            "cpu": c["machine"]["cpu"],
            "blas_kernels": c["machine"]["blas_kernels"],
            "num_cpus": c["num_cpus"],
            "mhz_per_cpu": c["mhz_per_cpu"],
            "toolchain": c.get("toolchain", ""),
            "load": c["load_avg"][0] if c["load_avg"] else None,
            "ratio": None if ratio is None else math.exp(ratio),
            "times": None if time is None else math.exp(time),
            "noise": noise,
            "off": reasons,
            "without": _without(m, machines, whole, options) if reasons else None,
        }


def _differences(machines):
    """In what the machines are not of one kind: sentences."""
    for what, of in (
        ("Processors", lambda c: c["machine"]["cpu"]),
        ("BLAS kernels", lambda c: c["machine"]["blas_kernels"]),
        ("Toolchains", lambda c: c.get("toolchain", "")),
    ):
        kinds = {}
        for m in machines:
            kinds.setdefault(of(m.context) or "not known", []).append(m.name)
        if len(kinds) > 1:
            text = "; ".join(f"{kind} ({', '.join(names)})" for kind, names in kinds.items())
            yield f"{what}: {text}"
    clocks = {m.name: m.context["mhz_per_cpu"] for m in machines}
    if min(clocks.values()) and max(clocks.values()) > CLOCKS * min(clocks.values()):
        text = ", ".join(f"{name} {mhz} MHz" for name, mhz in clocks.items())
        yield f"Clocks: {text}"


def _side(machines, side):
    sides = [compare.side_of(run.folder, run.benches[side]) for m in machines for run in m.runs]

    def all_of(what):
        seen = list(dict.fromkeys(t[what] for t in sides))
        return ", ".join(seen[:4]) + (f" and {len(seen) - 4} more" if len(seen) > 4 else "")

    return {
        "path": f"{side} of {len(machines)} machines",
        "date": min(t["date"] for t in sides),
        "host_name": all_of("host_name"),
        "cpu": all_of("cpu"),
        "library_version": sides[0]["library_version"],
        "timings": max(t["timings"] for t in sides),
        "not_checked": max(t["not_checked"] for t in sides),
    }


def compare_machines(folders, options):
    """What compare.json says of a pair from each of these folders."""
    machines = _group([_read(folder, options) for folder in folders])
    _require(machines, folders)
    whole, ratios = _judge(machines, options)
    return {
        "schema": 1,
        **{side: _side(machines, side) for side in SIDES},
        "paired": all("again" in run.benches for m in machines for run in m.runs),
        **whole,
        "means": list(_means(whole["rows"], ratios, machines)),
        "machines": list(_report(machines, whole, options)),
        "mixed": list(_differences(machines)),
    }
