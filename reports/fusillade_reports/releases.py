"""Two releases of a compiler in one page: which causes are new, mended or in both, which times
changed, and what the compiler counts (graphs, graph breaks, kernels).

`fusillade releases` leaves releases.json, with the causes, and bench.json, whose plans are of the
families `old`, `again` (the old release once more: A/A) and `new`. All three were measured in the
same processes, their calls interleaved, so no steady state is needed to compare them: what drifts
moves all three. A compile counts from cold caches. This splits the file in three and lets compare
judge them as pairs.
"""

import json
import os
import re
from urllib.parse import quote

from . import causes as files_of_cause
from . import compare, files, model, verdict
from .cells import Cell, Column, table, text

OLD, AGAIN, NEW = "old", "again", "new"
GATES = ("all", "causes", "times", "none")
FEW_PROGRAMS = 100
STATUSES = ("new", "mended", "both", "unsteady", "not comparable")


def of_family(bench, family, shown):
    """What bench.json says of one family, its plans as those of the family that is shown."""
    prefix = family + ":"

    def rename(plan):
        return f"{shown}:{plan[len(prefix) :]}"

    context = dict(bench["context"])
    context["not_measured"] = [
        x | {"engine": rename(x["engine"])}
        for x in context.get("not_measured", [])
        if x["engine"].startswith(prefix)
    ]
    kept = []
    for entry in bench["benchmarks"]:
        if entry["engine"].startswith(prefix):
            plan = rename(entry["engine"])
            name = f"{entry['program']}/{plan}"
            kept.append(entry | {"engine": plan, "name": name, "run_name": name})
    return {"context": context, "benchmarks": kept}


def counter_changes(old, new):
    """What the compilers of both count, where it differs, by program and plan."""
    before = {(e["program"], e["engine"]): e.get("counters") or {} for e in old["benchmarks"]}
    for entry in new["benchmarks"]:
        key = entry["program"], entry["engine"]
        after = entry.get("counters") or {}
        for name in sorted(before.get(key, {}).keys() & after.keys()):
            if before[key][name] != after[name]:
                yield {
                    "program": key[0],
                    "plan": key[1],
                    "counter": name.replace("_", " "),
                    "old": before[key][name],
                    "new": after[name],
                }


def speed(folder, shown, gate, threshold):
    """Writes the three parts and compare.json; what compare found, and the counters."""
    with open(os.path.join(folder, "bench.json"), encoding="utf-8") as file:
        bench = json.load(file)
    parts, paths = {}, {}
    for family in (OLD, AGAIN, NEW):
        parts[family] = of_family(bench, family, shown)
        paths[family] = os.path.join(folder, "speed", f"{family}.json")
        files.write(paths[family], json.dumps(parts[family], indent=1) + "\n", folder)
    options = compare.Options(
        gate="times" if gate in ("all", "times") else "none",
        threshold=threshold,
        again=paths[AGAIN],
        interleaved=True,
    )
    found = compare.compare(paths[OLD], paths[NEW], options)
    files.write(
        os.path.join(folder, "compare.json"),
        json.dumps(found, indent=1, ensure_ascii=False) + "\n",
        folder,
    )
    return found, list(counter_changes(parts[OLD], parts[NEW]))


def is_undecided(data):
    """Whether the campaign left open what is new: cases without a cause, findings that cannot be
    read, or judgements that compared too little."""
    return bool(data["waiting"] or data["unread"] or data["yield_too_low"])


def exit_code(data, found, gate):
    codes = [found["exit_code"]] if found else []
    if gate in ("all", "causes"):
        fresh = any(c["status"] == "new" for c in data["causes"] or ())
        codes.append(2 if fresh else 3 if is_undecided(data) else 0)
    return next((code for code in (2, 3) if code in codes), 0)


def counts(data):
    return {s: sum(c["status"] == s for c in data["causes"] or ()) for s in STATUSES}


def _causes_in_words(data):
    n = counts(data)
    level = verdict.FAIL if n["new"] else verdict.WARN if is_undecided(data) else verdict.PASS
    yield verdict.Line(
        level,
        f"{verdict.count(n['new'], 'cause')} of the new release alone, {n['mended']} of the old "
        f"one alone (mended), {n['both']} of both.",
    )
    if n["unsteady"] or n["not comparable"]:
        yield verdict.Line(
            verdict.NOTE,
            f"{verdict.count(n['unsteady'], 'cause')} failed in the campaign and not again; "
            f"{n['not comparable']} that one of the releases does not take.",
        )
    if data["waiting"]:
        yield verdict.Line(
            verdict.WARN,
            f"Without a cause, and in none of these: {verdict.count(data['waiting'], 'case')}, "
            "whose triage had no time left. releases --resume goes on with it.",
        )
    if data["unread"]:
        yield verdict.Line(
            verdict.WARN,
            f"Left out: {verdict.count(data['unread'], 'finding')} whose finding.json or "
            "reduced.case is gone or broken.",
        )
    if data["yield_too_low"]:
        yield verdict.Line(verdict.WARN, "Too few judgements compared something.")


# "PyTorch 2.13.0+cpu (blas mkl, Python 3.11.2), run by /x/bin/python"
VERSION = re.compile(r"(?P<release>[^(]*)(?:\((?P<build>.*)\))?, run by .*", re.DOTALL)
LOCAL = re.compile(r"(\+[\w.]+)\s*$")  # "+cpu", the part of a version that names a build


def build_parts(data, side):
    """What the version of a side says about its build, in parts."""
    match = VERSION.fullmatch(data[side]["version"])
    if not match:
        return []
    parts = [part.strip() for part in (match["build"] or "").split(",")]
    return LOCAL.findall(match["release"]) + parts


def differing_builds(data):
    """The parts of the builds that differ: what the releases are not alone to answer for."""
    old, new = build_parts(data, OLD), build_parts(data, NEW)
    return [p for p in old if p not in new], [p for p in new if p not in old]


def lines(data, campaign=None):
    """Sentences with levels for the head of the page."""
    for side in (OLD, NEW):
        yield verdict.Line(verdict.NOTE, f"{side}: {data[side]['version']}.")
    old, new = differing_builds(data)
    if old or new:
        yield verdict.Line(
            verdict.WARN,
            f"Not only the release differs: old has {', '.join(old) or 'no more'}; new has "
            f"{', '.join(new) or 'no more'}. A difference may be of these.",
        )
    if campaign:
        few = campaign.programs < FEW_PROGRAMS
        yield verdict.Line(
            verdict.WARN if few else verdict.NOTE,
            f"{verdict.count(campaign.programs, 'program')} of the campaign, "
            f"{verdict.count(campaign.executions, 'execution')}: "
            f"{100 * campaign.data['yield']:.2f} % of judgements compared something."
            + (" So few programs say little of what is new." if few else ""),
        )
    if data["causes"] is not None:
        yield from _causes_in_words(data)
    changed = data["counters"]
    if changed:
        more = sum(c["new"] > c["old"] for c in changed)
        yield verdict.Line(
            verdict.NOTE,
            f"{verdict.count(len(changed), 'count')} of graphs, graph breaks and kernels differ: "
            f"{more} grew.",
        )


LEVELS = {"new": verdict.FAIL, "mended": verdict.PASS}


def _times(side):
    return lambda c: Cell(f"{c[side]['failed']} of {c[side]['tried']}", sort=c[side]["failed"])


def _status(c):
    return Cell(c["status"], level=LEVELS.get(c["status"]), quiet=c["status"] == "both")


def _says(c):
    return Cell((c["new"]["says"] or c["old"]["says"]).partition("\n")[0][:300])


CAUSES = (
    Column("status", "", _status),
    Column("engine", "mono", text("engine")),
    Column("verdict", "", text("verdict")),
    Column("message", "", text("message")),
    Column("nodes", "n", lambda c: Cell(str(c["nodes"]), sort=c["nodes"])),
    Column("fails in old", "n", _times(OLD)),
    Column("fails in new", "n", _times(NEW)),
    Column("says", "", _says),
    Column("case", "mono", lambda c: Cell(c["buckets"][0], href=c["link"])),
)
COUNTERS = (
    Column("program", "mono", text("program")),
    Column("plan", "mono", text("plan")),
    Column("count", "", text("counter")),
    Column("old", "n", lambda c: Cell(str(c[OLD]), sort=c[OLD])),
    Column("new", "n", lambda c: Cell(str(c[NEW]), sort=c[NEW])),
)


def values(data, folder):
    """What the page's template takes. A case is a link where it lies in the folder."""
    causes = [
        c | {"link": "../" + quote(c["case"]) if files_of_cause.inside(folder, c["case"]) else None}
        for c in sorted(data["causes"] or (), key=lambda c: STATUSES.index(c["status"]))
    ]
    return {
        "both": data,
        "releases_caption": f"{verdict.count(len(causes), 'cause')}, each judged again under both",
        **table("release_cause", CAUSES, causes),
        **table("counter", COUNTERS, data["counters"] or ()),
    }


def summary(data, code):
    """Lines of summary.md, as rows of cells; `code`: what makes a text of strangers one."""
    for c in sorted(data["causes"] or (), key=lambda c: STATUSES.index(c["status"])):
        yield [
            code(c["status"]),
            code(c["engine"]),
            code(c["verdict"]),
            code(c["message"]),
            f"{c[OLD]['failed']} of {c[OLD]['tried']}",
            f"{c[NEW]['failed']} of {c[NEW]['tried']}",
            code(c["buckets"][0]),
        ]


def answer(words):
    """Of the folder that `fusillade releases` filled: judges, draws, prints, and the exit
    status."""
    import argparse

    from . import page, visible, what_changed

    ask = argparse.ArgumentParser(prog="fusillade_reports releases")
    ask.add_argument("folder")
    ask.add_argument("--gate", choices=GATES, default="all")
    ask.add_argument("--threshold", type=float, default=0.05)
    o = ask.parse_args(words)
    path = os.path.join(o.folder, "releases.json")
    data = model.load(path, "releases")
    found = None
    if os.path.exists(os.path.join(o.folder, "bench.json")):
        found, data["counters"] = speed(o.folder, data["family"], o.gate, o.threshold)
    data["exit_code"] = exit_code(data, found, o.gate)
    files.write(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n", o.folder)
    model.load(path, "releases")
    page.write(o.folder)
    if found:
        print(what_changed.terminal(found), end="")
    for c in sorted(data["causes"] or (), key=lambda c: STATUSES.index(c["status"])):
        print(visible.line(f"{c['status']:<15}{c['engine']}  {c['message']}  {c['case']}"))
    kept = os.path.join(o.folder, "campaign.json")
    campaign = model.load_campaign(o.folder) if os.path.exists(kept) else None
    for line in lines(data, campaign):
        print(f"{line.level:<5}{visible.line(line.text)}")
    print(os.path.join(o.folder, "report", "index.html"))
    return data["exit_code"]
