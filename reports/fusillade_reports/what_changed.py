"""compare.json in words: lines for the terminal, tables for summary.md, sentences and cells that
the page shares."""

from collections import Counter

from . import compare, verdict, visible
from .metrics import COUNTS, LEAST_COUNT, TIMES, UNITS, amount

FEW_MACHINES = 4  # fewer say hardly anything of others
RELEVANT = ("faster", "slower", "error", "missing", "new")  # something is different
LEVELS = {
    "faster": verdict.PASS,
    "slower": verdict.WARN,
    "error": verdict.FAIL,
    "missing": verdict.WARN,
}


def change(row):
    """How much more the new run takes."""
    if row["ratio"] is None:
        return ""
    text = f"{100 * (row['ratio'] - 1):+.2f} %"
    if row["lower"] is not None:
        text += f" [{100 * (row['lower'] - 1):+.2f}, {100 * (row['upper'] - 1):+.2f}]"
    return text


def gated_rows(c):
    """Those that the gate is about."""
    return [r for r in c["rows"] if r["metric"] in compare.GATES[c["gate"]]]


def is_lost(row):
    return row.get("lost", False)


def failed_rows(c):
    """Those of the gate that fail it."""
    return [r for r in gated_rows(c) if r["verdict"] == compare.SLOWER or is_lost(r)]


def _first(names):
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _reasons_of_failure(rows):
    """What of the gate failed it: what is slower, then what is lost."""
    slower = [f"{r['name']} {change(r)}" for r in rows if not is_lost(r)]
    lost = [f"{r['name']} ({r['reason'] or r['verdict']})" for r in rows if is_lost(r)]
    if slower:
        yield f"{verdict.count(len(slower), 'regression')}: {_first(slower)}"
    if lost:
        yield (
            f"{len(lost)} that {'was' if len(lost) == 1 else 'were'} measured and right before: "
            f"{_first(lost)}"
        )


def _thresholds(c):
    own = [100 * r["threshold"] for r in c["rows"] if r["threshold_of"] == "history"]
    text = f"{100 * c['threshold']:.3g} %"
    if any(r["metric"] in COUNTS for r in c["rows"]):
        text += f" (a count: {100 * LEAST_COUNT:.2g} %)"
    return (
        f"what its own history says ({verdict.count(len(own), 'row')}, {min(own):.2g} to "
        f"{max(own):.2g} %), else {text}"
        if own
        else text
    )


def _of_metric(c, metric):
    """How many rows of it came to what, and its geometric means, those over as many programs in one
    sentence."""
    mine = [r for r in c["rows"] if r["metric"] == metric]
    if not mine:
        return
    text = ", ".join(f"{said} {n}" for said, n in Counter(r["verdict"] for r in mine).items())
    if metric in TIMES:
        low, high = (
            f"{100 * x:.3g}" for x in (min(r["floor"] for r in mine), max(r["floor"] for r in mine))
        )
        text += f"; the A/A floor is {low if low == high else f'{low} to {high}'} %, by timing"
    yield verdict.Line(verdict.NOTE, f"Changes, {metric}: {text}.")
    over = {}
    for m in c["means"]:
        if m["metric"] == metric:
            over.setdefault((m["programs"], m["of"]), []).append(f"{m['plan']} {change(m)}")
    for (programs, of), means in over.items():
        name = "geometric mean" if len(means) == 1 else "geometric means"
        yield verdict.Line(
            verdict.NOTE,
            f"Changes, {metric}, {name} over {programs} of {verdict.count(of, 'program')}: "
            f"{'; '.join(means)}.",
        )


def off_machine(m):
    """Of a machine that is off: in what, and what leaving it out would change."""
    text = f"Machine {m['name']} is off: {'; '.join(o['told'] for o in m['off'])}"
    if m["load"] is not None and m["load"] > m["num_cpus"]:
        text += f"; its load was {m['load']:.1f} on {verdict.count(m['num_cpus'], 'processor')}"
    if m["without"] is None:
        return text + ". It counts, since too few machines would be left."
    changed = m["without"]["changed"]
    if not changed:
        return text + ". It counts; without it no verdict changes."
    what = [f"{x['name']}, {x['metric']}: {x['with']} to {x['without']}" for x in changed]
    return (
        f"{text}. It counts; without it {verdict.count(len(changed), 'verdict')} would change "
        f"(exit code {m['without']['exit_code']}): {_first(what)}."
    )


def _of_machines(c):
    """What there is to say of the machines of a comparison that has some."""
    machines = c.get("machines", ())
    for m in machines:
        if m["off"]:
            yield verdict.Line(verdict.WARN, off_machine(m))
        if len(m["folders"]) > 1:
            text = f"Machine {m['name']} counts once: {', '.join(m['folders'])} are all of it."
            yield verdict.Line(verdict.NOTE, text)
    if c.get("mixed"):
        text = f"The machines are not of one kind. {'. '.join(c['mixed'])}."
        yield verdict.Line(verdict.NOTE, text)
    if 0 < len(machines) < FEW_MACHINES:
        text = (
            f"{len(machines)} machines say little of others: only a change that is great, and much "
            f"the same on each, can be detected. Take {FEW_MACHINES} or more."
        )
        yield verdict.Line(verdict.NOTE, text)


def lines(c):
    """Sentences with levels, the gate's first."""
    if failed := failed_rows(c):
        yield verdict.Line(
            verdict.FAIL, f"Gate {c['gate']}: {'; '.join(_reasons_of_failure(failed))}."
        )
    elif c["gate"] != "none":
        seen = [r["name"] for r in gated_rows(c) if r.get("everywhere") == compare.SLOWER]
        text = "nothing could be decided" if c["exit_code"] == 3 else "no regression"
        if seen and c["exit_code"] == 3:
            what = verdict.count(len(seen), "timing")
            text = f"{what} slower on each machine, which are too few to be sure: {_first(seen)}"
        yield verdict.Line(
            verdict.WARN if c["exit_code"] == 3 else verdict.PASS, f"Gate {c['gate']}: {text}."
        )
    wrong = list(dict.fromkeys(r["name"] for r in c["rows"] if r["verdict"] == compare.ERROR))
    if wrong:
        text = "of outputs that are wrong or cannot be judged, or that could not be measured"
        yield verdict.Line(
            verdict.WARN, f"{verdict.count(len(wrong), 'timing')} {text}: {_first(wrong)}."
        )
    gone = list(dict.fromkeys(r["name"] for r in c["rows"] if r["verdict"] == compare.MISSING))
    if gone:
        text = (
            f"{verdict.count(len(gone), 'timing')} of the old run, not in the new one: "
            f"{_first(gone)}."
        )
        yield verdict.Line(verdict.WARN, text)
    yield from _of_machines(c)
    unchecked = c["new"].get("not_checked", 0)
    if unchecked > c["old"].get("not_checked", 0):
        text = (
            f"The outputs of {unchecked} of {verdict.count(c['new']['timings'], 'timing')} of "
            "the new run were not checked."
        )
        yield verdict.Line(verdict.WARN, text)
    for metric in UNITS:
        yield from _of_metric(c, metric)
    design = "by turns, the old code twice" if c["paired"] else "of two runs, taken as independent"
    if "machines" in c:
        design += f"; the unit is the machine, of which there are {len(c['machines'])}"
    yield verdict.Line(
        verdict.NOTE,
        f"A change counts above its floor and {_thresholds(c)}; {c['correction']}'s p-values over "
        f"{verdict.count(c['tests'], 'test')} at {c['alpha']:g}; processes {design}.",
    )


HEAD = ("program", "plan", "metric", "old", "new", "change", "p", "verdict", "why")


def level(row):
    return verdict.FAIL if is_lost(row) else LEVELS.get(row["verdict"])


def cells(row):
    p = "" if row["p_adjusted"] is None else f"{row['p_adjusted']:.2g}"
    return (
        row["program"],
        row["plan"],
        row["metric"],
        amount(row["old"], row["metric"]),
        amount(row["new"], row["metric"]),
        change(row),
        p,
        row["verdict"],
        row["blame"] or row["reason"],
    )


def terminal(c):
    """A table and the sentences below it."""
    table = [HEAD] + [tuple(" ".join(cell.split()) for cell in cells(r)) for r in c["rows"]]
    wide = [max(len(row[i]) for row in table) for i in range(len(HEAD) - 1)]
    out = [
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, wide)), row[-1]]).rstrip()
        for row in table
    ]
    return (
        "\n".join(out + [""] + [f"{line.level:<5}{visible.line(line.text)}" for line in lines(c)])
        + "\n"
    )
