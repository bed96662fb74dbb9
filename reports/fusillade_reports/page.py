"""report/index.html and the files next to it, from a folder with a campaign.json, a bench.json, a
compare.json, a planted.json, a history, or several.

Everything the page says comes from one model and one list of sentences, which summary.md shares.
The page is self-contained: no file, font or address is loaded. Its one script is named by hash in
the page's policy, so that no other can run but those that it asks for: files of causes/ next to the
page, which have all causes where the page shows some (all_causes.py).
"""

import base64
import hashlib
import os
import sys
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from . import (
    all_causes,
    distributions,
    drawing,
    events,
    figures,
    files,
    forest,
    health,
    history,
    intervals,
    junit,
    model,
    planted,
    releases,
    roofline,
    sarif,
    since_when,
    stages,
    summary,
    tables,
    timeline,
    trace,
    verdict,
    visible,
    what_changed,
)
from . import causes as cause_files
from .cells import table

MOST_CAUSES = 1000  # shown, those of most cases first
MOST_PROGRAMS = 2_000_000  # characters of their programs and of what came
MOST_PANELS = 60
MOST_TIMELINES = 24
MOST_CHANGES = 500  # rows
FEW_PLANS = 6  # listed in a line
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "template")


def _facts(c, bench):
    if c:
        what = "checked" if c.data.get("check") else "campaign"
        yield (
            what,
            (
                f"seed {c.seed}, {verdict.count(c.jobs, 'job')}, {c.seconds:.1f} s (of them "
                f"{c.seconds_after:.1f} s after the last program, {c.triage_seconds:.1f} s of "
                f"triage in all), exit code {c.exit_code}"
            ),
        )
        yield (
            "programs",
            (
                f"{c.programs:,}; {c.executions:,} executions; {c.rate:.4g} programs per second "
                "and job"
            ),
        )
        if len(c.plans) <= FEW_PLANS:
            yield "plans of the campaign", "; ".join(c.plans)
        if c.data.get("engines"):
            lines = [f"{name}: {version}" for name, version in sorted(c.data["engines"].items())]
            if c.data.get("engines_kept_from"):
                lines.append("kept from " + ", ".join(c.data["engines_kept_from"]))
            yield "external engines", "; ".join(lines)
        if c.data.get("given"):
            names = [f"{g['file']} ({g['accepted_draws']} draws accepted)" for g in c.data["given"]]
            more = f"; and {len(names) - 12} more" if len(names) > 12 else ""
            yield "given", "; ".join(names[:12]) + more
    if bench:
        yield (
            "bench",
            (
                f"{verdict.count(len(bench.programs), 'program')}, "
                f"{verdict.count(len(bench.plans), 'plan')}, {bench.context['date']} on "
                f"{bench.context['host_name']}"
            ),
        )
        yield (
            "plans timed",
            "; ".join(bench.plans)
            + (f"; {bench.plans[0]} is the base" if len(bench.plans) > 1 else ""),
        )
        lines = {f"{t.plan}: {t.engine_version}" for t in bench.timings if t.engine_version}
        if lines:
            yield "engines timed", "; ".join(sorted(lines))
        if bench.timings:
            processes = {len(t.samples) for t in bench.timings}
            rounds = {len(s) for t in bench.timings for s in t.samples}
            yield (
                "sampling",
                (
                    f"{_range(processes)} fresh processes of {_range(rounds)} rounds, plans "
                    "interleaved in random order within a process"
                    + (
                        ", and each plan alone in its own"
                        if any(p.endswith(model.ALONE) for p in bench.plans)
                        else ""
                    )
                ),
            )


def _range(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def _environment(bench):
    c = bench.context
    yield (
        "processor",
        (
            f"{c['machine']['cpu']}, {c['num_cpus']} processors at {c['mhz_per_cpu']} MHz; BLAS "
            f"kernels {c['machine']['blas_kernels']}"
        ),
    )
    caches = [
        f"L{x['level']} {x['type'].lower()} {x['size'] // 1024} KiB (shared by {x['num_sharing']})"
        for x in c["caches"]
    ]
    yield "caches", "; ".join(caches) or "not known"
    yield (
        "frequency scaling, ASLR",
        f"{'on' if c['cpu_scaling_enabled'] else 'off'}, {'on' if c['aslr_enabled'] else 'off'}",
    )
    loads = ", ".join(f"{x:.2f}" for x in c["load_avg"])
    busy = c["load_avg"] and c["load_avg"][0] > c["num_cpus"]
    yield (
        "load",
        (loads or "not known")
        + (
            f": above the {c['num_cpus']} processors, so times are those of a busy machine"
            if busy
            else ""
        ),
    )
    within, between = intervals.noise(bench)
    parts = [
        f"{100 * x:.1f} % {name}"
        for x, name in ((within, "between calls of a process"), (between, "between processes"))
        if x is not None
    ]
    yield (
        "noise",
        ("relative standard deviation, median over timings: " + ", ".join(parts))
        if parts
        else "one call: not known",
    )
    floors = bench.context["noise_floor"]
    parts = [
        f"{100 * x:.1f} % of a {'steady call' if name == 'steady' else name}"
        for name, x in floors.items()
        if x is not None
    ]
    yield (
        "A/A noise floor",
        ("later over earlier processes, median over timings: " + ", ".join(parts))
        if parts
        else "fewer than four processes: not known",
    )
    yield "version", f"fusillade {c['library_version']}, {c['library_build_type']} build"


def _gallery(bench):
    """Panels, and a sentence where not all timings have one: those that are not flat come first."""
    odd = sorted(range(len(bench.timings)), key=lambda i: bench.timings[i].warm_class == "flat")
    kept = sorted(odd[:MOST_PANELS])
    panels = [
        {
            "program": bench.timings[i].program,
            "plan": bench.timings[i].plan,
            "kind": bench.timings[i].warm_class,
            "svg": figures.warmup(bench.timings[i], i, events.mark(bench.timings[i])),
        }
        for i in kept
    ]
    left = len(bench.timings) - len(kept)
    return (
        panels,
        f"{left} more timings, flat ones first left out, are in the table." if left else "",
    )


def _of_stages(bench, speedups):
    """Bars and table of what compiling consists of; nothing of a file that does not say."""
    there = any(t.stages for t in bench.timings)
    columns = [c for c in stages.COLUMNS if len(bench.plans) > 1 or c.title not in tables.COMPARING]
    return {
        **table("stage", columns, stages.rows(bench, speedups) if there else ()),
        "stage_figures": stages.draw(bench) if there else [],
        "stage_legend": stages.LEGEND,
        "stage_caption": "Phases, means over processes; stages count in whichever call they ran; "
        "to steady: from the compile to where steady state begins",
    }


def _of_roofline(bench):
    peaks = bench.context.get("peaks")
    rows = [(p, peaks) for p in roofline.points(bench)]
    return {
        **table("roof", roofline.COLUMNS, rows),
        "roofline": roofline.draw(bench),
        "roof_caption": f"Work of {verdict.count(len(rows), 'steady call')}; least: what all "
        "threads need at the measured peaks, in the smallest cache that holds inputs and peak, "
        "else in memory",
    }


def _of_events(bench):
    """Legend and table; nothing of a file without events."""
    all_rows = list(events.rows(bench))
    rows = all_rows[: events.MOST_ROWS]
    left = (
        f"; the first {events.MOST_ROWS:,} of {len(all_rows):,}"
        if len(all_rows) > len(rows)
        else ""
    )
    return {
        **table("event", events.COLUMNS, rows),
        "event_legend": events.LEGEND if rows else [],
        "event_caption": f"JIT events; times and ms: medians over the processes that had it{left}",
    }


def _of_bench(bench, speedups):
    out = {
        **tables.timings(bench, speedups),
        "speedup_figures": [
            figures.speedup(speedups, plan, bench.base_of(plan), i)
            for i, plan in enumerate(bench.plans)
            if i and any(s.plan == plan for s in speedups)
        ],
        "phase_figures": figures.phases(bench),
        "timing_caption": f"{verdict.count(len(bench.timings), 'timing')}; in brackets 95 % "
        "intervals."
        + (
            f" Speed-up: against {bench.plans[0]}; pays after: calls from which compile and first "
            "call have paid against it"
            if len(bench.plans) > 1
            else ""
        ),
        "environment": list(_environment(bench)),
        "figures_left_out": "",
    }
    if len(bench.programs) > figures.MOST_PROGRAMS:
        out["figures_left_out"] = (
            f"The {figures.MOST_PROGRAMS} programs with the longest calls of "
            f"{len(bench.programs)}; all are in the table"
        )
    out["gallery"], out["gallery_note"] = _gallery(bench)
    return (
        out
        | distributions.values(bench)
        | _of_events(bench)
        | _of_stages(bench, speedups)
        | _of_roofline(bench)
    )


def _reach(c):
    reach = c.reach
    for what, one, title in (
        ("rows", "operator", "operators that ran"),
        ("rewrites", "rewrite", "rewrites that fired"),
        ("guards", "guard", "guards met"),
        ("productions", "production", "productions of the generator made"),
    ):
        if reach.get(what):
            title = f"{len(reach[what]):,} {title}"
            yield {"title": title, **tables.reached_table(one, reach[what])}
    for what, title in (
        ("rows_missing", "operators never reached"),
        ("rules_missing", "rewrite rules never reached"),
        ("productions_missing", "productions never made"),
    ):
        if reach.get(what):
            yield {"title": f"{len(reach[what]):,} {title}", "names": reach[what], "rows": []}


def _cost(c):
    """Processor time by part; nothing of a file that has none."""
    cost = c.data.get("cost")
    if not cost or not cost["parts"]:
        return None
    shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in cost["stages"].items())
    caption = (
        f"{cost['cpu_seconds']:.1f} s of the processor in workers, "
        f"{cost['other_cpu_seconds']:.1f} s in other children"
    )
    return {"caption": caption, "stages": shares, **table("cost", tables.COST, cost["parts"])}


def _of_campaign(c):
    judged = sum(c.verdicts.values()) + sum(
        n for k, n in c.reasons.items() if k.startswith("skip: ")
    )
    return {
        **tables.judgements(c, judged),
        **table("waiting", tables.WAITING, c.waiting),
        **table("known", tables.KNOWN, c.known),
        **table("found_by", tables.FOUND_BY, c.data.get("found_by", ())),
        "health_figures": health.campaign_health(c),
        "judgement_caption": f"{judged:,} judgements, one per program and oracle; reasons why none "
        "can be judged are counted apart",
        "reach": list(_reach(c)),
        "cost": _cost(c),
    }


def _shown_causes(folder, findings):
    """Those that the page shows, and what there is to say of them; of the last ones only that they
    have a program, where the programs are much."""
    causes, size = [cause_files.read(folder, f) for f in findings[:MOST_CAUSES]], 0
    for c in causes:
        size += len(c.program) + len(c.detail)
        if size > MOST_PROGRAMS and not c.broken:
            cause_files.drop_program(c)
    return causes


def _of_causes(causes, campaign, chunks):
    drawn = drawing.draw(causes)
    graphs = sum(c.is_graph for c in causes)
    note = ""
    if len(drawn) < graphs:
        note = (
            f"{len(drawn)} of {graphs} graphs are drawn: at most {drawing.MOST_DRAWN}, of at most "
            f"{drawing.MOST_NODES} nodes, where Graphviz's dot is installed."
        )
    for c in causes:
        c.links = [(text, "../" + quote(path)) for text, path in c.links]
    every = campaign.findings
    cases = sum(f.count for f in every)
    left = len(every) - len(causes)
    return {
        "causes": causes,
        "chunks": list(chunks),
        "cause_count": len(every),
        "causes_left": f"{verdict.count(left, 'more cause')}, of fewer cases, are not on this "
        "page; all are in"
        if left
        else "",
        "drawn": drawn,
        "not_drawn": note,
        **tables.causes(causes),
        "causes_caption": f"{verdict.count(len(every), 'cause')} that "
        f"{verdict.count(cases, 'case')} showed",
    }


def _of_changes(c, over):
    sides = [
        f"{s['path']}, {s['date']} on {s['host_name']}, fusillade {s['library_version']}"
        for s in (c["old"], c["new"])
    ]
    return {
        **tables.changes(c, over),
        "change_facts": [("old", sides[0]), ("new", sides[1])],
        "change_figures": forest.changes(c),
        **tables.on_machines(c),
        "machine_figures": forest.machines(c),
        "change_caption": f"{verdict.count(len(c['rows']), 'row')}; change: new over old, in "
        f"brackets 95 % intervals; p: {c['correction']}'s",
    }


def _of_history(j, link):
    drawn, left = timeline.most_changed(j, MOST_TIMELINES)
    rows = j.changes[:MOST_CHANGES]
    more = (
        f"; {len(j.changes) - len(rows)} more are in the file" if len(j.changes) > len(rows) else ""
    )
    return {
        "timelines": [timeline.draw(s, changes, i) for i, (s, changes) in enumerate(drawn)],
        "timelines_left": f"{verdict.count(left, 'more timing')} with changes are in the table."
        if left
        else "",
        **tables.over_commits(rows, link),
        "history_caption": f"{verdict.count(len(rows), 'change')}, the worst first{more}",
    }


def _template(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def _left_out(campaign, bench, over, hunt):
    """What the files hold nothing of; empty: nothing."""
    there = {
        "history and changepoints over commits": over,
        "JIT events": bench and any(any(t.events) for t in bench.timings),
        "a roofline": bench and any(t.work for t in bench.timings),
        "timings": bench,
        "a campaign": campaign,
        "planted bugs": hunt,
    }
    return ", ".join(what for what, it in there.items() if not it)


def _figures(value):
    """All drawings in what the page shows, in its order."""
    if isinstance(value, figures.Drawing):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _figures(inner)


def _html(
    campaign,
    bench,
    compared,
    over,
    hunt,
    released,
    link,
    causes,
    speedups,
    lines,
    links_beside,
    chunks,
):
    """The page's text and the drawings on it. `released`: what the template takes of two
    releases; `chunks`: names of files that have all causes."""
    script = "\n" + _template("page.js")
    sections = [("run", "What was run")] if campaign or bench else []
    sections += [("releases", "Two releases")] if released else []
    sections += ([("changed", "What changed")] if compared else []) + (
        [("causes", "Causes")] if causes else []
    )
    sections += [("speed", "Speed-up"), ("phases", "Phases")] if bench else []
    sections += [("roofline", "Roofline")] if bench and roofline.points(bench) else []
    sections += [("history", "History")] if over else []
    sections += (
        [("warmup", "Warm-up"), ("distributions", "Distributions"), ("timings", "Timings")]
        if bench
        else []
    )
    sections += ([("planted", "Planted bugs")] if hunt else []) + (
        [("health", "Campaign health")] if campaign else []
    )
    sections += ([("environment", "Environment and noise")] if bench else []) + [("files", "Files")]
    values = {
        "css": Markup(_template("page.css")),
        "script": Markup(script),
        "headline": verdict.headline(lines),
        "told": lines,
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "sections": sections,
        "facts": list(_facts(campaign, bench)),
        "plans_of_campaign": campaign.plans if campaign and len(campaign.plans) > FEW_PLANS else [],
        "campaign": campaign,
        "bench": bench,
        "compared": compared,
        "over": over,
        "hunt": hunt,
        "both": None,
        "causes": causes,
        "files": links_beside,
        "left_out": _left_out(campaign, bench, over, hunt),
    }
    values |= (_of_bench(bench, speedups) if bench else {}) | (
        _of_campaign(campaign) if campaign else {}
    )
    values |= _of_causes(causes, campaign, chunks) if causes else {}
    values |= _of_changes(compared, over) if compared else {}
    values |= _of_history(over, link) if over else {}
    values |= planted.values(hunt) if hunt else {}
    values |= released
    values["drawn_figures"] = list(_figures(values))
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, loader=jinja2.FileSystemLoader(HERE)
    )
    return environment.get_template("page.html").render(values), values["drawn_figures"]


def _over_commits(folder, path):
    """The history judged: that of the folder if none is named; None: there is none."""
    path = path or os.path.join(folder, "history.sqlite")
    return since_when.judge(history.load(path)) if os.path.exists(path) else None


def _check_link(link):
    if link and not (link.startswith(("https://", "http://")) and "%" in link):
        raise model.Broken(
            f"'{link}' is no address of commits: it begins with https:// and has a % where the "
            "hash goes"
        )


def write(folder, history_path="", link=""):
    """Writes folder/report/: index.html, figures/, summary.md, junit.xml; of a campaign
    results.sarif, of a bench trace.json.

    link: where a commit can be read, with a % for its hash."""
    paths = {
        kind: os.path.join(folder, f"{kind}.json")
        for kind in ("campaign", "bench", "compare", "planted", "releases")
    }
    here = {kind: path for kind, path in paths.items() if os.path.exists(path)}
    _check_link(link)
    if history_path and not os.path.exists(history_path):
        raise model.Broken(f"{history_path} does not exist: fusillade history add makes it")
    over = _over_commits(folder, history_path)
    if not here and over is None:
        raise model.Broken(
            f"{folder} is no folder"
            if not os.path.isdir(folder)
            else f"{folder} holds none of {', '.join(f'{kind}.json' for kind in paths)} and "
            "history.sqlite"
        )
    campaign = model.load_campaign(folder) if "campaign" in here else None
    bench = model.load_bench(here["bench"]) if "bench" in here else None
    compared = model.load(here["compare"], "compare") if "compare" in here else None
    hunt = model.load(here["planted"], "planted") if "planted" in here else None
    both = model.load(here["releases"], "releases") if "releases" in here else None
    measured, bench = bench, bench if bench and bench.timings else None
    speedups = intervals.speedups(bench) if bench else []
    findings = campaign.sorted if campaign else []
    causes = _shown_causes(folder, findings)
    of_files = list(verdict.of_files(causes))
    causes_shown = causes + [cause_files.brief(f) for f in findings[MOST_CAUSES : sarif.MOST]]
    data = all_causes.chunks(findings) if len(findings) > MOST_CAUSES else {}
    released = releases.values(both, folder) if both else {}
    changes = [
        *of_files,
        *(releases.lines(both, campaign) if both else ()),
        *(what_changed.lines(compared) if compared else ()),
        *(since_when.lines(over) if over else ()),
        *(planted.lines(hunt) if hunt else ()),
    ]
    lines = verdict.lines(None if both else campaign, measured, speedups, changes)
    texts = {
        "summary.md": summary.text(campaign, bench, speedups, lines, compared, over, hunt, both),
        "junit.xml": junit.text(campaign, causes_shown, measured, compared, hunt),
    }
    if campaign:
        texts["results.sarif"] = sarif.text(
            causes_shown, campaign.data.get("build", ""), len(campaign.open)
        )
    if bench:
        texts["trace.json"] = trace.text(bench)
    given = [f"{kind}.json" for kind in here if kind != "bench" or bench]
    given += ["history.sqlite"] if os.path.exists(os.path.join(folder, "history.sqlite")) else []
    links_beside = [(name, name) for name in texts] + [(name, f"../{name}") for name in given]
    texts["index.html"], drawn = _html(
        campaign,
        bench,
        compared,
        over,
        hunt,
        released,
        link,
        causes,
        speedups,
        lines,
        links_beside,
        data,
    )
    texts |= data
    for d in drawn:
        texts |= {f"figures/{d.name}.svg": d.svg, f"figures/{d.name}.png": d.png}
    files.remove(
        folder,
        "report/figures",  # those of a page before this one
        lambda name: name.endswith((".svg", ".png")) and f"figures/{name}" not in texts,
    )
    files.remove(
        folder,
        f"report/{all_causes.FOLDER}",
        lambda name: name.endswith(".js") and f"{all_causes.FOLDER}/{name}" not in texts,
    )
    for name, text in texts.items():
        files.write(os.path.join(folder, "report", name), text, folder)
    for line in of_files:
        print(f"fusillade: warning: {visible.line(line.text)}", file=sys.stderr)
