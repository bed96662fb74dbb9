"""Two runs of bench against each other: of each timing a verdict, and whether the new run may pass
a gate.

What is compared is the steady call and the compile, where they were counted their instructions, and
where it differs the memory of a steady call. Of times the process
is the unit (intervals.py), two runs are independent unless their processes ran by turns, the old
code twice (A/A). All tests of a comparison are one family: p-values are Holm's, so that in a
comparison without a change the chance of any verdict faster or slower is at most alpha. A change
counts from the threshold on (with a history that of the timing's own, own_threshold.py), and never
below the floor: the most that code which is the same differed by between the two runs, or within
one (A/A). Code that is the same is never faster or slower: what it measures is the noise.

A timing is lost where the old run has it and the new one has it no more, could not measure it, or
computed outputs that are wrong, or cannot be judged, where the old ones were not: it fails the gate
as a regression does.
"""

import math
from dataclasses import dataclass

import numpy as np

from . import intervals, model, own_threshold, student
from .metrics import COUNTS, LEAST_COUNT, MEMORY, METRICS, TIMES, value

FASTER, SLOWER, SAME, AMBIGUOUS, UNSTABLE = "faster", "slower", "same", "ambiguous", "unstable"
INSUFFICIENT, NO_STEADY, IDENTICAL = "insufficient", "no steady state", "code identical"
ERROR, MISSING, NEW = "error", "missing", "new"
VERDICTS = (
    SLOWER,
    ERROR,
    MISSING,
    FASTER,
    NEW,
    AMBIGUOUS,
    UNSTABLE,
    INSUFFICIENT,
    NO_STEADY,
    SAME,
    IDENTICAL,
)
DECIDED = (FASTER, SLOWER, SAME, IDENTICAL)
TESTED = (FASTER, SLOWER, SAME, AMBIGUOUS, UNSTABLE)
GATES = {
    "steady": ("steady",),
    "compile": ("compile",),
    "times": TIMES,
    "instructions": COUNTS,
    "memory": MEMORY,
    "none": (),
}
LEAST_PROCESSES = 4  # of fewer no A/A is known
LEAST_INTERLEAVED = 3  # where A/A runs in the same processes
UNSTABLE_WIDTH = 0.10  # half of an interval: a change of ten per cent cannot be seen


@dataclass
class Options:
    gate: str = "steady"
    threshold: float = 0.02
    alpha: float = 0.01
    history: str | None = None  # by which each timing has a threshold of its own
    again: str | None = None  # the old code once more, process i next to process i of both: A/A
    allow_missing: bool = False  # the new run is of a part: what only the old one has fails no gate
    interleaved: bool = False  # calls of old, again and new were by turns in the same processes


def empty_row(timing, metric):
    return {
        "name": timing.name,
        "program": timing.program,
        "plan": timing.plan,
        "metric": metric,
        "old": None,
        "new": None,
        "ratio": None,
        "lower": None,
        "upper": None,
        "p": None,
        "p_adjusted": None,
        "floor": 0.0,
        "threshold": None,
        "threshold_of": "given",
        "verdict": None,
        "lost": False,
        "reason": "",
        "blame": None,
    }


def _compile_ratio(old, new):
    """The ratio of two intervals, each Student's t over processes: what bench.json keeps of a
    compile."""
    centre = math.log(new.estimate) - math.log(old.estimate)
    fewest = min(old.processes, new.processes)
    if fewest < 2:
        return intervals.Ratio(math.exp(centre), None, None, fewest)
    variances = []
    for x in (old, new):
        t = student.quantile(x.processes - 1, 0.5 + intervals.LEVEL / 2)
        variances.append((math.log(x.upper / x.lower) / 2 / t) ** 2)
    error, degrees = (
        math.sqrt(sum(variances)),
        intervals.welch(variances, (old.processes, new.processes)),
    )
    half = error * student.quantile(degrees, 0.5 + intervals.LEVEL / 2)
    return intervals.Ratio(
        math.exp(centre),
        math.exp(centre - half),
        math.exp(centre + half),
        fewest,
        None,
        intervals.probability(centre, error, degrees),
        intervals.Few(error, degrees),
        error,
    )


def _wrong(old, new):
    """Where outputs are to blame: (verdict, reason) or None."""
    if not (old.trusted and new.trusted) or _outputs_lost(old, new):
        return ERROR, f"outputs: {old.verdict} before, {new.verdict} after"
    return None


def _outputs_lost(old, new):
    """Outputs that were right as far as anybody knew, and are so no more."""
    return old.trusted and not new.trusted or (old.verdict, new.verdict) == ("ok", "untrusted")


def _why_undecided(old, new, metric, same_machine, least, interleaved):
    """Why times are not looked at, before they are: (verdict, reason) or None."""
    if wrong := _wrong(old, new):
        return wrong
    if not same_machine:
        return INSUFFICIENT, "measured on two kinds of processor"
    if old.typed != new.typed:
        return INSUFFICIENT, "one was compiled for the types of its inputs, the other not"
    if old.code and old.code == new.code:
        return IDENTICAL, "the same graphs, kernels and libraries"
    fewest = min(len(old.samples), len(new.samples))
    if fewest < least:
        return INSUFFICIENT, f"{fewest} of at least {least} processes"
    steady = interleaved or old.steady_state and new.steady_state
    if metric == "steady" and not steady:
        return NO_STEADY, f"{old.warm_class} before, {new.warm_class} after"
    return None


def _series(timing, metric):
    """Of each process its series; empty where it is not known."""
    if metric == "compile":
        return [[c] for c in timing.compiles] if timing else []
    return timing.steady_samples if timing else []


def _measure(row, old, new, again, options, seed):
    """Puts what was measured into the row; the ratio, or None. `again`: the old code once more, or
    None."""
    metric = row["metric"]
    row["old"], row["new"] = value(old, metric), value(new, metric)
    if not (row["old"] > 0 and row["new"] > 0):
        return None
    above, below, again_timing = (_series(timing, metric) for timing in (new, old, again))
    if metric == "compile" and not (options.interleaved and above and below):
        found = _compile_ratio(old.compile, new.compile)
    elif len(above) == len(below) == len(again_timing):
        found = intervals.ratio_with_again(above, below, again_timing, seed=seed)
    else:
        paired = bool(options.again) and len(above) == len(below)
        found = intervals.ratio(above, below, seed=seed, paired=paired)
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


WORDS = {"given": "the threshold", "history": "by its history", "floor": "the A/A floor"}


def _limit(row):
    """The change from which on one counts, and which limit that is."""
    which = "floor" if row["floor"] > row["threshold"] else row["threshold_of"]
    most = max(row["floor"], row["threshold"])
    return most, f"{100 * most:.2g} %, {WORDS[which]}"


def _judge(row, options):
    """The verdict of a row that was tested."""
    least, limit = _limit(row)
    significant = row["p_adjusted"] <= options.alpha
    half = math.log(row["upper"] / row["lower"]) / 2
    if significant and abs(math.log(row["ratio"])) > math.log1p(least):
        return (SLOWER if row["ratio"] > 1 else FASTER), f"more than {limit}"
    small = min(row["threshold"], options.threshold)
    if max(abs(math.log(row["lower"])), abs(math.log(row["upper"]))) <= math.log1p(small):
        return SAME, f"the interval lies within {100 * small:.2g} %"
    if half > math.log1p(UNSTABLE_WIDTH):
        return UNSTABLE, f"known to {100 * math.expm1(half):.0f} % only"
    if significant:
        return AMBIGUOUS, f"more than chance, and not more than {limit}"
    return AMBIGUOUS, f"distinguished neither from no change nor from one above {limit}"


def _count(row, old, new):
    """Counts are compared as they are: no chance is in them."""
    row["old"], row["new"] = value(old, row["metric"]), value(new, row["metric"])
    if wrong := _wrong(old, new):
        return wrong
    if row["new"] is None and row["old"] is not None:
        return MISSING, "counted before, and not after"
    if old.typed != new.typed:
        return INSUFFICIENT, "one was compiled for the types of its inputs, the other not"
    if row["old"] is None or row["new"] is None:
        return INSUFFICIENT, "not counted before"
    if not (row["old"] and row["new"]):
        return (SLOWER, "none before") if row["new"] else (FASTER, "none any more")
    row["ratio"] = row["new"] / row["old"]
    if old.code and old.code == new.code:
        return IDENTICAL, "the same graphs, kernels and libraries"
    limit = f"{100 * row['threshold']:.2g} %" + (
        f", {WORDS['history']}" if row["threshold_of"] == "history" else ""
    )
    if abs(math.log(row["ratio"])) <= math.log1p(row["threshold"]):
        return SAME, f"within {limit}"
    return (SLOWER if row["ratio"] > 1 else FASTER), f"more than {limit}"


def _set_threshold(row, timing, own, options):
    """That of its own history, where it has one; counts have a least one."""
    least = 0.0 if row["metric"] in TIMES else LEAST_COUNT
    mine = own.get((timing.program, timing.plan, timing.typed, row["metric"]))
    row["threshold"] = (least or options.threshold) if mine is None else max(mine, least)
    row["threshold_of"] = "given" if mine is None or mine < least else "history"


def _memory_differs(before, after, metric, gate):
    """Rows of memory are listed where both runs know it and it is not the same, or where the new
    one knows it no more."""
    if before is None or after is None and gate != "memory":
        return False
    old, new = (None if t is None else value(t, metric) for t in (before, after))
    if after is not None and gate == "memory" and _outputs_lost(before, after):
        return old is not None
    return old is not None and old != new


def gate_of_memory(old, new):
    """Whether memory could be compared at all: rows that are the same are not in the table."""
    pairs = [(t, new.of(t.program, t.plan)) for t in old.timings]
    return any(a.memory and b and b.memory and a.trusted and b.trusted for a, b in pairs)


@dataclass(frozen=True)
class _Failed:
    """A program under a plan that a run could not measure, in place of its timing."""

    program: str
    plan: str

    @property
    def name(self):
        return f"{self.program}/{self.plan}"


def _failure(bench, program, plan):
    """What the run says of it, if it could not measure it."""
    engine = plan.removesuffix(model.ALONE)
    return bench.failed.get((program, engine))


def _one_sided(timing, old, new, there_before):
    """Verdict and reason of a timing that one of the runs has not."""
    why = _failure(new if there_before else old, timing.program, timing.plan)
    if there_before:
        return (MISSING, "") if why is None else (ERROR, f"it could not be measured: {why}")
    return NEW, "" if why is None else f"the old run could not measure it: {why}"


def is_lost(row, options, verdicts=(MISSING, ERROR)):
    """Of a row that the new run has no figure of."""
    return row["verdict"] in verdicts and not (row["verdict"] == MISSING and options.allow_missing)


def _failed_rows(old, new, options):
    """Of what the new run could not measure and the old one has not either: a row, so that it is
    reported."""
    failed = {
        _Failed(x["program"], x["engine"]): x["error"] for x in new.context.get("not_measured", [])
    }
    for it, why in failed.items():
        if old.of(it.program, it.plan) is None:
            yield empty_row(it, "steady") | {
                "threshold": options.threshold,
                "verdict": ERROR,
                "reason": f"it could not be measured: {why}",
            }


def measured_rows(old, new, again, options, same_machine):
    seed = 0
    ratios = {}
    rows = []
    own = own_threshold.read(options.history, new) if options.history else {}
    for timing in new.timings + [t for t in old.timings if new.of(t.program, t.plan) is None]:
        before, after = old.of(timing.program, timing.plan), new.of(timing.program, timing.plan)
        for metric in (*METRICS, *MEMORY):
            if metric in COUNTS and not any(t and t.instructions for t in (before, after)):
                continue
            if metric in MEMORY and not _memory_differs(before, after, metric, options.gate):
                continue
            row = empty_row(timing, metric)
            rows.append(row)
            _set_threshold(row, timing, own, options)
            seed += 1
            if before is None or after is None:
                there = before or after
                row["new" if before is None else "old"] = value(there, metric)
                row["verdict"], row["reason"] = _one_sided(timing, old, new, after is None)
                row["lost"] = after is None and is_lost(row, options)
                continue
            if metric not in TIMES:
                row["verdict"], row["reason"] = _count(row, before, after)
                row["lost"] = _outputs_lost(before, after) or is_lost(row, options, (MISSING,))
                continue
            row["lost"] = _outputs_lost(before, after)
            again_timing = again and again.of(timing.program, timing.plan)
            found = _measure(row, before, after, again_timing, options, seed)
            undecided = _why_undecided(
                before,
                after,
                metric,
                same_machine,
                LEAST_INTERLEAVED if options.again else LEAST_PROCESSES,
                options.interleaved,
            )
            if undecided is None and (found is None or found.p is None):
                undecided = INSUFFICIENT, "no time above 0"
            if undecided:
                row["verdict"], row["reason"] = undecided
            ratios[id(row)] = found
    return rows + list(_failed_rows(old, new, options)), ratios


def again_differences(old, again, metric):
    """By how much each timing of the old code, the second time, is above the first, in logs, by
    name."""
    pairs = [(t, again.of(t.program, t.plan)) for t in old.timings]
    levels = {
        "steady": lambda t: (
            math.fsum(math.log(float(np.median(s))) for s in t.steady_samples) / len(t.samples)
        ),
        "compile": lambda t: math.log(t.compile.estimate),
    }[metric]
    return {t.name: levels(other) - levels(t) for t, other in pairs if other}


def _set_floors(rows, metric, old, new, again):
    """The most that code which is the same differed by in this metric: between the runs, and A/A of
    this timing, at least the median over timings; A/A is the old code by turns with itself, else
    within each run."""
    mine = [r for r in rows if r["metric"] == metric]
    same = max(
        (abs(math.log(r["ratio"])) for r in mine if r["verdict"] == IDENTICAL and r["ratio"]),
        default=0.0,
    )
    seen = (
        {name: abs(x) for name, x in again_differences(old, again, metric).items()} if again else {}
    )
    middle = float(np.median(list(seen.values()) or [0.0]))
    for row in mine:
        logs = [same, middle, seen.get(row["name"], 0.0)]
        for bench in () if again else (old, new):
            timing = bench.of(row["program"], row["plan"])
            own = timing.aa.get(metric) if timing else None
            logs += [abs(math.log(own))] if own else []
            logs.append(math.log1p(bench.context["noise_floor"][metric] or 0.0))
        row["floor"] = math.expm1(max(logs))


def _guard(rows, ratios):
    """p-values of few processes, by what all rows of the metric show of the noise."""
    for metric in TIMES:
        mine = [r for r in rows if r["metric"] == metric and r["p"] is not None]
        for row, p in zip(mine, intervals.guarded_ps([ratios[id(r)] for r in mine])):
            row["p"] = p


def _means(rows, ratios):
    for metric in METRICS:
        for plan in dict.fromkeys(r["plan"] for r in rows):
            mine = [r for r in rows if (r["plan"], r["metric"]) == (plan, metric)]
            compared = [r for r in mine if r["verdict"] in (*TESTED, IDENTICAL) and r["ratio"]]
            kept = [
                ratios.get(id(r)) or intervals.Ratio(r["ratio"], None, None, 0) for r in compared
            ]
            if kept:
                mean = intervals.geometric_mean(kept)
                yield {
                    "plan": plan,
                    "metric": metric,
                    "ratio": mean.estimate,
                    "lower": mean.lower,
                    "upper": mean.upper,
                    "programs": len(kept),
                    "of": len(mine),
                }


def side_of(path, bench):
    c = bench.context
    return {
        "path": path,
        "date": c["date"],
        "host_name": c["host_name"],
        "cpu": c["machine"]["cpu"],
        "library_version": c["library_version"],
        "timings": len(bench.timings),
        "not_checked": sum(t.verdict == "not checked" for t in bench.timings),
    }


def _exit_code(rows, options, decided):
    gated = [r for r in rows if r["metric"] in GATES[options.gate]]
    if any(r["verdict"] == SLOWER or r["lost"] for r in gated):
        return 2
    return (
        3
        if options.gate != "none"
        and not decided
        and not any(r["verdict"] in DECIDED for r in gated)
        else 0
    )


def compare(old_path, new_path, options):
    """What compare.json says of two files."""
    old_path, new_path = model.bench_path(old_path), model.bench_path(new_path)
    old, new = model.load_bench(old_path), model.load_bench(new_path)
    for path, bench in ((old_path, old), (new_path, new)):
        if not bench.timings and not bench.context.get("not_measured"):
            raise model.Broken(f"{path} holds no timing")
    again = model.load_bench(options.again) if options.again else None
    same_machine = old.context["machine"] == new.context["machine"]
    rows, ratios = measured_rows(old, new, again, options, same_machine)
    for metric in TIMES:
        _set_floors(rows, metric, old, new, again)
    decided = options.gate == "memory" and gate_of_memory(old, new)
    return {
        "schema": 1,
        "old": side_of(old_path, old),
        "new": side_of(new_path, new),
        "paired": bool(again),
        **judge(rows, ratios, options, decided),
        "means": list(_means(rows, ratios)),
    }


def judge(rows, ratios, options, decided):
    """Verdicts of rows that have their floors, and what they come to. `decided`: the gate's metric
    could be compared where there is no row."""
    _guard(rows, ratios)
    tested = [r for r in rows if r["verdict"] is None]
    for row, p in zip(tested, holm([r["p"] for r in tested])):
        row["p_adjusted"] = p
        row["verdict"], row["reason"] = _judge(row, options)
    rows.sort(
        key=lambda r: (
            (*METRICS, *MEMORY).index(r["metric"]),
            VERDICTS.index(r["verdict"]),
            -abs(math.log(r["ratio"] or 1)),
        )
    )
    counts = {v: sum(r["verdict"] == v for r in rows) for v in VERDICTS}
    return {
        "gate": options.gate,
        "threshold": options.threshold,
        "history": options.history,
        "alpha": options.alpha,
        "correction": "Holm",
        "tests": len(tested),
        "counts": {v: n for v, n in counts.items() if n},
        "rows": rows,
        "exit_code": _exit_code(rows, options, decided),
    }
