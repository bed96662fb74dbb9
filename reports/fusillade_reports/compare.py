"""Two runs of bench against each other: of each timing a verdict, and whether the new run may pass a gate.

What is compared is the steady call and the compile; the process is the unit (intervals.py), two runs are independent
unless their processes ran by turns. All tests of a comparison are one family: p-values are Holm's, so that in a
comparison without a change the chance of any verdict faster or slower is at most alpha. A change counts from the
threshold on, and never below the floor: the most that code which is the same differed by between the two runs, or
within one (A/A). Code that is the same is never faster or slower: what it measures is the noise.
"""

import math
import os
from dataclasses import dataclass

import numpy as np

from . import intervals, model

FASTER, SLOWER, SAME, AMBIGUOUS, UNSTABLE = "faster", "slower", "same", "ambiguous", "unstable"
INSUFFICIENT, NO_STEADY, IDENTICAL = "insufficient", "no steady state", "code identical"
ERROR, MISSING, NEW = "error", "missing", "new"
VERDICTS = (SLOWER, ERROR, MISSING, FASTER, NEW, AMBIGUOUS, UNSTABLE, INSUFFICIENT, NO_STEADY, SAME, IDENTICAL)
DECIDED = (FASTER, SLOWER, SAME, IDENTICAL)
TESTED = (FASTER, SLOWER, SAME, AMBIGUOUS, UNSTABLE)
METRICS = ("steady", "compile")
GATES = (*METRICS, "none")
LEAST_PROCESSES = 3
UNSTABLE_WIDTH = 0.10  # half of an interval: a change of ten per cent could not be told from none


@dataclass
class Options:
    gate: str = "steady"
    threshold: float = 0.02
    alpha: float = 0.01
    paired: bool = False  # process i of the two runs ran next to each other


def bench_path(given):
    """The file meant by a path of a file or of a folder that holds bench.json."""
    return os.path.join(given, "bench.json") if os.path.isdir(given) else given


def _row(timing, metric):
    return {"name": timing.name, "program": timing.program, "plan": timing.plan, "metric": metric, "old": None, "new": None,
            "ratio": None, "lower": None, "upper": None, "p": None, "p_adjusted": None, "floor": 0.0, "verdict": None, "reason": ""}


def _value(timing, metric):
    return (timing.steady if metric == "steady" else timing.compile).estimate


def _compiled(old, new):
    """The ratio of two intervals, each Student's t over processes: what bench.json keeps of a compile."""
    centre = math.log(new.estimate) - math.log(old.estimate)
    fewest = min(old.processes, new.processes)
    if fewest < 2:
        return intervals.Ratio(math.exp(centre), None, None, fewest)
    variances = []
    for x in (old, new):
        t = intervals.special.stdtrit(x.processes - 1, 0.5 + intervals.LEVEL / 2)
        variances.append((math.log(x.upper / x.lower) / 2 / t) ** 2)
    error, degrees = math.sqrt(sum(variances)), intervals.welch(variances, (old.processes, new.processes))
    half = error * intervals.special.stdtrit(degrees, 0.5 + intervals.LEVEL / 2)
    return intervals.Ratio(math.exp(centre), math.exp(centre - half), math.exp(centre + half), fewest, None,
                           intervals.probability(centre, error, degrees))


def _undecided(old, new, metric, same_machine):
    """Why times are not looked at, before they are: (verdict, reason) or None."""
    if not (old.trusted and new.trusted):
        return ERROR, f"outputs: {old.verdict} before, {new.verdict} after"
    if not same_machine:
        return INSUFFICIENT, "measured on two kinds of processor"
    if old.typed != new.typed:
        return INSUFFICIENT, "one was compiled for the types of its inputs, the other not"
    if old.code and old.code == new.code:
        return IDENTICAL, "the same graphs, kernels and libraries"
    fewest = min(len(old.samples), len(new.samples))
    if fewest < LEAST_PROCESSES:
        return INSUFFICIENT, f"{fewest} of at least {LEAST_PROCESSES} processes"
    if metric == "steady" and not (old.steady_state and new.steady_state):
        return NO_STEADY, f"{old.warm_class} before, {new.warm_class} after"
    return None


def _measure(row, old, new, options, seed):
    """Puts what was measured into the row; the ratio, or None."""
    row["old"], row["new"] = _value(old, row["metric"]), _value(new, row["metric"])
    if not (row["old"] > 0 and row["new"] > 0):
        return None
    if row["metric"] == "compile":
        found = _compiled(old.compile, new.compile)
    else:
        found = intervals.ratio(new.steady_samples, old.steady_samples, seed=seed, paired=options.paired
                                and len(old.samples) == len(new.samples))
    row |= {"ratio": found.estimate, "lower": found.lower, "upper": found.upper, "p": found.p}
    return found


def holm(ps):
    """Adjusted p-values, in the order given."""
    order = np.argsort(ps)
    out, most = [0.0] * len(ps), 0.0
    for rank, at in enumerate(order):
        most = max(most, min(1.0, ps[at] * (len(ps) - rank)))
        out[at] = most
    return out


def _judge(row, options):
    """The verdict of a row that was tested."""
    least = max(row["floor"], options.threshold)
    significant = row["p_adjusted"] <= options.alpha
    half = math.log(row["upper"] / row["lower"]) / 2
    if significant and abs(math.log(row["ratio"])) > math.log1p(least):
        return (SLOWER if row["ratio"] > 1 else FASTER), ""
    if max(abs(math.log(row["lower"])), abs(math.log(row["upper"]))) <= math.log1p(options.threshold):
        return SAME, f"the interval lies within {100 * options.threshold:.2g} %"
    if half > math.log1p(UNSTABLE_WIDTH):
        return UNSTABLE, f"known to {100 * math.expm1(half):.0f} % only"
    if significant:
        return AMBIGUOUS, f"more than chance, and not more than {100 * least:.2g} %, " + (
            "the threshold" if least == options.threshold else "the A/A floor")
    return AMBIGUOUS, "told neither from no change nor from one above the threshold"


def _rows(old, new, options, same_machine):
    seed = 0
    ratios = {}
    rows = []
    for timing in new.timings + [t for t in old.timings if new.of(t.program, t.plan) is None]:
        before, after = old.of(timing.program, timing.plan), new.of(timing.program, timing.plan)
        for metric in METRICS:
            row = _row(timing, metric)
            rows.append(row)
            seed += 1
            if before is None or after is None:
                there = before or after
                row["new" if before is None else "old"] = _value(there, metric)
                row["verdict"] = NEW if before is None else MISSING
                continue
            found = _measure(row, before, after, options, seed)
            told = _undecided(before, after, metric, same_machine)
            if told is None and (found is None or found.p is None):
                told = INSUFFICIENT, "no time above 0"
            if told:
                row["verdict"], row["reason"] = told
            ratios[id(row)] = found
    return rows, ratios


def _floor(row, rows, old, new):
    """The most that code which is the same differed by in this metric: between the runs, and within each (A/A) this timing,
    at least the median over timings."""
    logs = [abs(math.log(r["ratio"])) for r in rows if (r["verdict"], r["metric"]) == (IDENTICAL, row["metric"]) and r["ratio"]]
    for bench in (old, new):
        timing = bench.of(row["program"], row["plan"])
        own = timing.aa.get(row["metric"]) if timing else None
        logs += [abs(math.log(own))] if own else []
        logs.append(math.log1p(bench.context["noise_floor"][row["metric"]] or 0.0))
    return math.expm1(max(logs))


def _means(rows, ratios):
    for metric in METRICS:
        for plan in dict.fromkeys(r["plan"] for r in rows):
            mine = [r for r in rows if (r["plan"], r["metric"]) == (plan, metric)]
            kept = [ratios[id(r)] for r in mine if r["verdict"] in (*TESTED, IDENTICAL) and r["ratio"]]
            if kept:
                mean = intervals.geometric_mean(kept)
                yield {"plan": plan, "metric": metric, "ratio": mean.estimate, "lower": mean.lower, "upper": mean.upper,
                       "programs": len(kept), "of": len(mine)}


def _side(path, bench):
    c = bench.context
    return {"path": path, "date": c["date"], "host_name": c["host_name"], "cpu": c["machine"]["cpu"],
            "library_version": c["library_version"], "timings": len(bench.timings)}


def _exit_code(rows, options):
    gated = [r for r in rows if r["metric"] == options.gate]
    if any(r["verdict"] == SLOWER for r in gated):
        return 2
    return 3 if options.gate != "none" and not any(r["verdict"] in DECIDED for r in gated) else 0


def compare(old_path, new_path, options):
    """What compare.json says of two files."""
    old_path, new_path = bench_path(old_path), bench_path(new_path)
    old, new = model.load_bench(old_path), model.load_bench(new_path)
    for path, bench in ((old_path, old), (new_path, new)):
        if not bench.timings:
            raise model.Broken(f"{path} holds no timing")
    same_machine = old.context["machine"] == new.context["machine"]
    rows, ratios = _rows(old, new, options, same_machine)
    for row in rows:
        row["floor"] = _floor(row, rows, old, new)
    tested = [r for r in rows if r["verdict"] is None]
    for row, p in zip(tested, holm([r["p"] for r in tested])):
        row["p_adjusted"] = p
        row["verdict"], row["reason"] = _judge(row, options)
    rows.sort(key=lambda r: (METRICS.index(r["metric"]), VERDICTS.index(r["verdict"]), -abs(math.log(r["ratio"] or 1))))
    counts = {v: sum(r["verdict"] == v for r in rows) for v in VERDICTS}
    return {"schema": 1, "old": _side(old_path, old), "new": _side(new_path, new), "gate": options.gate,
            "threshold": options.threshold, "alpha": options.alpha, "correction": "Holm", "tests": len(tested),
            "paired": options.paired, "counts": {v: n for v, n in counts.items() if n}, "rows": rows, "means": list(_means(rows, ratios)),
            "exit_code": _exit_code(rows, options)}
