"""report/index.html and the files beside it, from a folder with a campaign.json, a bench.json, a compare.json, a planted.json, a history, or several.

Everything the page says comes from one model and one list of sentences, which summary.md shares. The page stands alone:
no file, font or address is loaded. Its one script is named by hash in the page's policy, so that no other can run.
"""

import base64
import hashlib
import os
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from . import causes as cause_files
from . import (distributions, drawing, events, figures, files, forest, health, history, intervals, junit, model, planted, roofline, sarif, since_when,
               spark, stages, summary, timeline, trace, verdict, what_changed)
from .cells import Cell, number as _number

MOST_CAUSES = 1000  # shown with their programs, those of most cases first
MOST_PANELS = 60
MOST_TIMELINES = 24
MOST_CHANGES = 500  # rows
FEW_PLANS = 6  # told in a line
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "template")


def _facts(c, bench):
    if c:
        what = "checked" if c.data.get("check") else "campaign"
        yield what, (f"seed {c.seed}, {verdict.count(c.jobs, 'job')}, {c.seconds:.1f} s (of them {c.seconds_after:.1f} s after "
                     f"the last program, {c.triage_seconds:.1f} s of triage in all), exit code {c.exit_code}")
        yield "programs", f"{c.programs:,}; {c.executions:,} executions; {c.rate:.4g} programs per second and job"
        if len(c.plans) <= FEW_PLANS:
            yield "plans of the campaign", "; ".join(c.plans)
        if c.data.get("given"):
            names = [f"{g['file']} ({g['accepted_draws']} draws accepted)" for g in c.data["given"]]
            more = f"; and {len(names) - 12} more" if len(names) > 12 else ""
            yield "given", "; ".join(names[:12]) + more
    if bench:
        yield "bench", (f"{verdict.count(len(bench.programs), 'program')}, {verdict.count(len(bench.plans), 'plan')}, "
                        f"{bench.context['date']} on {bench.context['host_name']}")
        yield "plans timed", "; ".join(bench.plans) + (f"; {bench.plans[0]} is the base" if len(bench.plans) > 1 else "")
        if bench.timings:
            processes = {len(t.samples) for t in bench.timings}
            rounds = {len(s) for t in bench.timings for s in t.samples}
            yield "sampling", (f"{_range(processes)} fresh processes of {_range(rounds)} rounds, plans interleaved in random order "
                               "within a process" + (", and each plan alone in its own" if any(p.endswith(model.ALONE) for p in bench.plans) else ""))


def _range(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def _environment(bench):
    c = bench.context
    yield "processor", f"{c['machine']['cpu']}, {c['num_cpus']} processors at {c['mhz_per_cpu']} MHz; BLAS kernels {c['machine']['blas_kernels']}"
    caches = [f"L{x['level']} {x['type'].lower()} {x['size'] // 1024} KiB (shared by {x['num_sharing']})" for x in c["caches"]]
    yield "caches", "; ".join(caches) or "not told"
    yield "frequency scaling, ASLR", f"{'on' if c['cpu_scaling_enabled'] else 'off'}, {'on' if c['aslr_enabled'] else 'off'}"
    loads = ", ".join(f"{x:.2f}" for x in c["load_avg"])
    busy = c["load_avg"] and c["load_avg"][0] > c["num_cpus"]
    yield "load", (loads or "not told") + (f": above the {c['num_cpus']} processors, so times are those of a busy machine" if busy else "")
    within, between = intervals.noise(bench)
    told = [f"{100 * x:.1f} % {name}" for x, name in ((within, "between calls of a process"), (between, "between processes")) if x is not None]
    yield "noise", ("relative standard deviation, median over timings: " + ", ".join(told)) if told else "one call: not told"
    floors = bench.context["noise_floor"]
    told = [f"{100 * x:.1f} % of a {'steady call' if name == 'steady' else name}" for name, x in floors.items() if x is not None]
    yield "A/A noise floor", ("later over earlier processes, median over timings: " + ", ".join(told)) if told else "fewer than four processes: not known"
    yield "version", f"fusillade {c['library_version']}, {c['library_build_type']} build"


def _cause_rows(causes):
    for number, c in enumerate(causes, 1):
        f = c.finding
        yield [Cell(f.bucket, href=f"#cause-{number}", quiet=f.known is not None), Cell(f.verdict), Cell(f.oracle), Cell(f.blame), Cell(f.message),
               _number(f.nodes, f.nodes), _number(f.count, f.count), _number(f.first_seen, f"{f.first_seen:.1f}"),
               Cell("" if f.known is None else f.known)]


CAUSE_COLUMNS = [("bucket", "mono name"), ("verdict", ""), ("oracle", ""), ("blame", "name"), ("message", "wide"), ("nodes", "n"),
                 ("cases", "n"), ("first seen, s", "n"), ("known", "")]
TIMING_COLUMNS = [("program", "name"), ("plan", "name"), ("call, \u00b5s", "n"), ("speed-up", "n"), ("decision", "line"),
                  ("compile, ms", "n"), ("first call, ms", "n"), ("pays after", "n"), ("peak, KiB", "n"), ("allocations", "n"),
                  ("warm-up", "kinds"), ("outputs", "line")]
COMPARING = ("speed-up", "decision", "pays after")
MEMORY = ("peak, KiB", "allocations")  # of a steady call
LEVELS = {"ok": verdict.PASS, "untrusted": verdict.WARN, "not checked": verdict.WARN}
STATUS = {"faster": verdict.PASS, "slower": verdict.WARN, "wrong outputs": verdict.FAIL}
NOTHING = Cell("", sort=-1.0)


def _us(ns):
    """Microseconds, with decimals only where they say something."""
    return f"{ns / 1e3:,.{4 if ns < 1e2 else 3 if ns < 1e3 else 2 if ns < 1e5 else 1 if ns < 1e6 else 0}f}"


def _knows_memory(bench):
    return any(t.memory for t in bench.timings)


def _memory(t):
    if not t.memory:
        return [NOTHING, NOTHING]
    peak, allocations = t.memory["peak_bytes"], t.memory["allocations"]
    return [_number(peak, f"{peak / 1024:,.1f}"), _number(allocations, f"{allocations:,}")]


def _timing_rows(bench, speedups):
    ratios = {(s.program, s.plan): s for s in speedups}
    for t in bench.timings:
        s = ratios.get((t.program, t.plan))
        ratio = [NOTHING, Cell("base" if t.plan == bench.base_of(t.plan) else ""), NOTHING]
        if s:
            r, pays = s.ratio, s.break_even
            spread = "one process" if r.lower is None else f"{r.lower:.3g}, {r.upper:.3g}"
            ratio = [_number(r.estimate, f"{r.estimate:.3g} [{spread}]"), Cell(s.status, level=STATUS.get(s.status)),
                     _number(pays or 1e300, "never" if pays is None else f"{pays:,.0f}")]
        steady = f"{_us(t.steady.estimate)} [{t.steady.spread(_us)}]"
        several = len(bench.plans) > 1
        yield [Cell(t.program), Cell(t.plan), _number(t.steady.estimate, steady), *(ratio[:2] if several else []),
               _number(t.compile.estimate, f"{t.compile.estimate / 1e6:,.2f}"),
               _number(t.first_call.estimate, f"{t.first_call.estimate / 1e6:,.2f}"), *(ratio[2:] if several else []),
               *(_memory(t) if _knows_memory(bench) else []), Cell(t.warm_class), Cell(t.verdict, level=LEVELS.get(t.verdict, verdict.FAIL))]


def _gallery(bench):
    """Panels, and a sentence where not all timings have one: those that are not flat come first."""
    odd = sorted(range(len(bench.timings)), key=lambda i: bench.timings[i].warm_class == "flat")
    kept = sorted(odd[:MOST_PANELS])
    panels = [{"program": bench.timings[i].program, "plan": bench.timings[i].plan, "kind": bench.timings[i].warm_class,
               "svg": figures.warmup(bench.timings[i], i, events.mark(bench.timings[i]))} for i in kept]
    left = len(bench.timings) - len(kept)
    return panels, f"{left} more timings, flat ones first left out, are in the table." if left else ""


def _ms(ns):
    return NOTHING if ns is None else _number(ns, f"{ns / 1e6:,.2f}")


def _of_stages(bench, speedups):
    """Bars and table of what compiling is made of; nothing of a file that does not tell."""
    if not any(t.stages for t in bench.timings):
        return {"stage_figures": [], "stage_legend": [], "stage_rows": [], "stage_columns": [], "stage_caption": ""}
    columns = stages.COLUMNS if len(bench.plans) > 1 else [c for c in stages.COLUMNS if c[0] not in COMPARING]
    rows = []
    for program, plan, times, steady, pays in stages.rows(bench, speedups):
        paid = [NOTHING if pays == 0 else _number(pays or 1e300, "never" if pays is None else f"{pays:,.0f}")] if len(bench.plans) > 1 else []
        rows.append([Cell(program), Cell(plan), *map(_ms, times), _number(steady, _us(steady)), *paid])
    return {"stage_figures": stages.draw(bench), "stage_legend": stages.LEGEND, "stage_rows": rows, "stage_columns": columns,
            "stage_caption": "Phases, means over processes; stages count in whichever call they ran; to steady: from the compile to where steady state begins"}


def _of_roofline(bench):
    peaks, known = bench.context.get("peaks"), roofline.points(bench)
    rows = [[Cell(p.program), Cell(p.plan), *(Cell(text, sort=sort) for text, sort in roofline.cells(p, peaks))] for p in known]
    return {"roofline": roofline.draw(bench), "roof_rows": rows, "roof_columns": roofline.COLUMNS,
            "roof_caption": f"Work of {verdict.count(len(rows), 'steady call')}; least: what all threads need at the measured peaks, in the "
                            "smallest cache that holds inputs and peak, else in memory"}


def _of_events(bench):
    """Legend and table; nothing of a file without events."""
    told = list(events.rows(bench))
    rows = [[Cell(program), Cell(plan), Cell(kind), Cell(what), _number(call, when), _number(seen, f"{seen} of {of}"), _number(times, f"{times:g}"),
             _number(ms, f"{ms:,.2f}" if ms else "")] for program, plan, kind, what, when, call, seen, of, times, ms in told[:events.MOST_ROWS]]
    left = f"; the first {events.MOST_ROWS:,} of {len(told):,}" if len(told) > len(rows) else ""
    return {"event_legend": events.LEGEND if rows else [], "event_columns": events.COLUMNS, "event_rows": rows,
            "event_caption": f"JIT events; times and ms: medians over the processes that had it{left}"}


def _of_bench(bench, speedups):
    out = {
        "speedup_figures": [figures.speedup(speedups, plan, bench.base_of(plan), i) for i, plan in enumerate(bench.plans)
                            if i and any(s.plan == plan for s in speedups)],
        "phase_figures": figures.phases(bench),
        "timing_columns": [c for c in TIMING_COLUMNS if (len(bench.plans) > 1 or c[0] not in COMPARING) and (_knows_memory(bench) or c[0] not in MEMORY)],
        "timing_rows": list(_timing_rows(bench, speedups)),
        "timing_caption": f"{verdict.count(len(bench.timings), 'timing')}; in brackets 95 % intervals."
                          + (f" Speed-up: against {bench.plans[0]}; pays after: calls from which compile and first call have "
                             "paid against it" if len(bench.plans) > 1 else ""),
        "environment": list(_environment(bench)), "figures_left_out": "",
    }
    if len(bench.programs) > figures.MOST_PROGRAMS:
        out["figures_left_out"] = (f"The {figures.MOST_PROGRAMS} programs with the longest calls of {len(bench.programs)}; "
                                   "all are in the table")
    out["gallery"], out["gallery_note"] = _gallery(bench)
    return out | distributions.values(bench) | _of_events(bench) | _of_stages(bench, speedups) | _of_roofline(bench)


def _reach(c):
    reach = c.reach
    for what, title in (("rows", "rows of the op table that ran"), ("rewrites", "rewrites that fired"), ("guards", "guards met"),
                        ("productions", "productions of the generator made")):
        if reach.get(what):
            rows = [[Cell(name), _number(n, f"{n:,}")] for name, n in sorted(reach[what].items(), key=lambda kv: -kv[1])]
            yield {"title": f"{len(rows):,} {title}", "what": what[:-1], "rows": rows}
    for what, title in (("rows_missing", "rows never reached"), ("rules_missing", "rewrite rules never reached"),
                        ("productions_missing", "productions never made")):
        if reach.get(what):
            yield {"title": f"{len(reach[what]):,} {title}", "names": reach[what], "rows": []}


COST_COLUMNS = [("part", "mono"), ("times", "n"), ("CPU us each", "n"), ("executions each", "n"), ("CPU s", "n"),
                ("share", "n")]


def _cost(c):
    """Processor time by part; nothing of a file that has none."""
    cost = c.data.get("cost")
    if not cost or not cost["parts"]:
        return None
    rows = [[Cell(p["part"]), _number(p["times"], f"{p['times']:,}"),
             _number(p["cpu_us_each"], f"{p['cpu_us_each']:,.0f}"),
             _number(p["executions"] / p["times"], f"{p['executions'] / p['times']:.1f}"),
             _number(p["cpu_seconds"], f"{p['cpu_seconds']:.2f}"),
             _number(p["share"], f"{100 * p['share']:.1f} %")] for p in cost["parts"]]
    stages = ", ".join(f"{name} {100 * share:.0f} %" for name, share in cost["stages"].items())
    caption = (f"{cost['cpu_seconds']:.1f} s of the processor in workers, "
               f"{cost['other_cpu_seconds']:.1f} s in other children")
    return {"rows": rows, "columns": COST_COLUMNS, "caption": caption, "stages": stages}


def _of_campaign(c):
    judged = sum(c.verdicts.values()) + sum(n for k, n in c.reasons.items() if k.startswith("skip: "))
    rows = []
    for name, n in sorted((c.verdicts | c.reasons).items(), key=lambda kv: -kv[1]):
        level = None if name in ("ok", "untrusted") or ": " in name else verdict.FAIL
        rows.append([Cell(name, level=level), _number(n, f"{n:,}"), _number(n, f"{100 * n / judged:.2f} %")])
    return {
        "health_figures": health.campaign_health(c), "judgement_rows": rows,
        "judgement_caption": f"{judged:,} judgements, one per program and oracle; reasons why none can be told are counted apart",
        "waiting_rows": [[Cell(w["shows"]), _number(w["cases"], w["cases"]), Cell(w["case"])] for w in c.waiting],
        "known_rows": [[Cell(k["name"]), Cell(k["owner"]), Cell(k["until"] + (", past" if k["expired"] else "")),
                        _number(k["findings"], k["findings"]), _number(k["cases"], k["cases"]), Cell(k["reason"])] for k in c.known],
        "reach": list(_reach(c)), "cost": _cost(c),
    }


def _of_causes(every):
    causes = every[:MOST_CAUSES]
    drawn = drawing.draw(causes)
    graphs = sum(c.is_graph for c in causes)
    note = ""
    if len(drawn) < graphs:
        note = (f"{len(drawn)} of {graphs} graphs are drawn: at most {drawing.MOST_DRAWN}, of at most {drawing.MOST_NODES} nodes, "
                "where Graphviz's dot is installed.")
    for c in causes:
        c.links = [(text, "../" + quote(path)) for text, path in c.links]
    cases = sum(c.finding.count for c in every)
    left = len(every) - len(causes)
    return {"causes": causes, "causes_left": f"{verdict.count(left, 'more cause')}, of fewer cases, are not on this page; all are in" if left else "",
            "drawn": drawn, "not_drawn": note, "cause_columns": CAUSE_COLUMNS, "cause_rows": list(_cause_rows(causes)),
            "causes_caption": f"{verdict.count(len(every), 'cause')} that {verdict.count(cases, 'case')} showed"}


CHANGE_COLUMNS = [("program", "name"), ("plan", "name"), ("metric", ""), ("verdict", "line"), ("change", "n"), ("interval", "line"),
                  ("old", "n"), ("new", "n"), ("p", "n"), ("why", "wide"), ("over commits", "line")]
CHANGE_INK = {"slower": "var(--s1)", "faster": "var(--s0)"}


def _over_time(r, over):
    """The timing of a row of compare.json in the history (its series by program, plan and metric), drawn small."""
    kept = over.get((r["program"], r["plan"], r["metric"]))
    return Cell("", sort=len(kept.points), drawn=spark.line([p.estimate for p in kept.points], "var(--s3)")) if kept else Cell("", sort=0)


def _change_rows(c, over):
    reach = {m: spark.reach([(r["lower"], r["upper"]) for r in c["rows"] if r["metric"] == m and r["lower"]]) for m in {r["metric"] for r in c["rows"]}}
    series = {(s.program, s.plan, s.metric): s for s in reversed(over.series)} if over else {}
    for r in c["rows"]:
        program, plan, metric, old, new, change, p, said, why = what_changed.cells(r)
        drawn = spark.interval(r["ratio"], r["lower"], r["upper"], reach[metric], CHANGE_INK.get(said, "var(--muted)")) if r["ratio"] else ""
        yield [Cell(program, quiet=said not in what_changed.RELEVANT), Cell(plan), Cell(metric), Cell(said, level=what_changed.level(r)),
               _number(r["ratio"] or -1, change), Cell("", sort=r["ratio"] or -1, drawn=drawn), _number(r["old"] or -1, old),
               _number(r["new"] or -1, new), _number(2 if r["p_adjusted"] is None else r["p_adjusted"], p), Cell(why),
               *([_over_time(r, series)] if over else [])]


def _of_changes(c, over):
    rows = list(_change_rows(c, over))
    sides = [f"{s['path']}, {s['date']} on {s['host_name']}, fusillade {s['library_version']}" for s in (c["old"], c["new"])]
    return {"change_columns": CHANGE_COLUMNS if over else CHANGE_COLUMNS[:-1], "change_rows": rows, "change_facts": [("old", sides[0]), ("new", sides[1])],
            "change_figures": forest.changes(c),
            "change_caption": f"{verdict.count(len(rows), 'row')}; change: new over old, in brackets 95 % intervals; p: {c['correction']}'s"}


HISTORY_COLUMNS = [("program", "name"), ("plan", "name"), ("metric", ""), ("verdict", "line"), ("since", "mono"), ("committed", "line"),
                   ("before", "n"), ("after", "n"), ("change", "n"), ("p", "n"), ("commit, why", "wide")]


def _history_rows(j, link):
    for c in j.changes[:MOST_CHANGES]:
        program, plan, metric, kind, since, day, before, after, change, p, why = since_when.cells(c)
        yield [Cell(program), Cell(plan), Cell(metric), Cell(kind, level=since_when.LEVELS.get(kind)),
               Cell(since, href=link.replace("%", quote(c.commit.hash, safe="")) if link else None), Cell(day), _number(c.before, before),
               _number(c.after, after), _number(c.ratio, change), _number(0 if c.p is None else c.p, p), Cell(why)]


def _of_history(j, link):
    drawn, left = timeline.most_changed(j, MOST_TIMELINES)
    rows = list(_history_rows(j, link))
    more = f"; {len(j.changes) - len(rows)} more are in the file" if len(j.changes) > len(rows) else ""
    return {"timelines": [timeline.draw(s, changes, i) for i, (s, changes) in enumerate(drawn)],
            "timelines_left": f"{verdict.count(left, 'more timing')} with changes are in the table." if left else "",
            "history_columns": HISTORY_COLUMNS, "history_rows": rows,
            "history_caption": f"{verdict.count(len(rows), 'change')}, the worst first{more}"}


def _template(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def _left_out(campaign, bench, over, hunt):
    """What the files hold nothing of; empty: nothing."""
    there = {"history and changepoints over commits": over, "JIT events": bench and any(any(t.events) for t in bench.timings),
             "a roofline": bench and any(t.work for t in bench.timings), "timings": bench, "a campaign": campaign,
             "planted bugs": hunt}
    return ", ".join(what for what, it in there.items() if not it)


def _figures(value):
    """All drawings in what the page shows, in its order."""
    if isinstance(value, figures.Drawing):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _figures(inner)


def _html(campaign, bench, compared, over, hunt, link, causes, speedups, told, beside):
    """The page's text and the drawings on it."""
    script = "\n" + _template("page.js")
    sections = [("run", "What was run")] if campaign or bench else []
    sections += ([("changed", "What changed")] if compared else []) + ([("causes", "Causes")] if causes else [])
    sections += [("speed", "Speed-up"), ("phases", "Phases")] if bench else []
    sections += [("roofline", "Roofline")] if bench and roofline.points(bench) else []
    sections += [("history", "History")] if over else []
    sections += [("warmup", "Warm-up"), ("distributions", "Distributions"), ("timings", "Timings")] if bench else []
    sections += ([("planted", "Planted bugs")] if hunt else []) + ([("health", "Campaign health")] if campaign else [])
    sections += ([("environment", "Environment and noise")] if bench else []) + [("files", "Files")]
    values = {
        "css": Markup(_template("page.css")), "script": Markup(script), "headline": verdict.headline(told), "told": told,
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(), "sections": sections,
        "facts": list(_facts(campaign, bench)),
        "plans_of_campaign": campaign.plans if campaign and len(campaign.plans) > FEW_PLANS else [],
        "campaign": campaign, "bench": bench, "compared": compared, "over": over, "hunt": hunt, "causes": causes, "files": beside,
        "left_out": _left_out(campaign, bench, over, hunt),
    }
    values |= (_of_bench(bench, speedups) if bench else {}) | (_of_campaign(campaign) if campaign else {})
    values |= _of_causes(causes) if causes else {}
    values |= _of_changes(compared, over) if compared else {}
    values |= _of_history(over, link) if over else {}
    values |= planted.values(hunt) | {"planted_columns": planted.COLUMNS, "planted_group_columns": planted.GROUP_COLUMNS} if hunt else {}
    values["drawn_figures"] = list(_figures(values))
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, loader=jinja2.FileSystemLoader(HERE))
    return environment.get_template("page.html").render(values), values["drawn_figures"]


def _over_commits(folder, path):
    """The history judged: that of the folder if none is named; None: there is none."""
    path = path or os.path.join(folder, "history.sqlite")
    return since_when.judged(history.load(path)) if os.path.exists(path) else None


def _check_link(link):
    if link and not (link.startswith(("https://", "http://")) and "%" in link):
        raise model.Broken(f"'{link}' is no address of commits: it begins with https:// and has a % where the hash goes")


def write(folder, history_path="", link=""):
    """Writes folder/report/: index.html, figures/, summary.md, junit.xml; of a campaign results.sarif, of a bench trace.json.

    link: where a commit can be read, with a % for its hash."""
    paths = {kind: os.path.join(folder, f"{kind}.json") for kind in ("campaign", "bench", "compare", "planted")}
    here = {kind: path for kind, path in paths.items() if os.path.exists(path)}
    _check_link(link)
    if history_path and not os.path.exists(history_path):
        raise model.Broken(f"{history_path} does not exist: fusillade history add makes it")
    over = _over_commits(folder, history_path)
    if not here and over is None:
        raise model.Broken(f"{folder} holds neither campaign.json nor bench.json nor compare.json nor planted.json nor history.sqlite")
    campaign = model.load_campaign(folder) if "campaign" in here else None
    bench = model.load_bench(here["bench"]) if "bench" in here else None
    compared = model.load(here["compare"], "compare") if "compare" in here else None
    hunt = model.load(here["planted"], "planted") if "planted" in here else None
    measured, bench = bench, bench if bench and bench.timings else None
    speedups = intervals.speedups(bench) if bench else []
    findings = sorted(campaign.findings, key=lambda f: (f.known is not None, -f.count)) if campaign else []
    causes = [cause_files.read(folder, f) for f in findings[:MOST_CAUSES]] + [cause_files.untold(f) for f in findings[MOST_CAUSES:]]
    changes = [*(what_changed.lines(compared) if compared else ()), *(since_when.lines(over) if over else ()), *(planted.lines(hunt) if hunt else ())]
    told = verdict.lines(campaign, measured, speedups, changes)
    texts = {"summary.md": summary.text(campaign, bench, speedups, told, compared, over, hunt),
             "junit.xml": junit.text(campaign, causes, measured, compared, hunt)}
    if campaign:
        texts["results.sarif"] = sarif.text(causes, bench.context["library_version"] if bench else "")
    if bench:
        texts["trace.json"] = trace.text(bench)
    given = [f"{kind}.json" for kind in here if kind != "bench" or bench]
    given += ["history.sqlite"] if os.path.exists(os.path.join(folder, "history.sqlite")) else []
    beside = [(name, name) for name in texts] + [(name, f"../{name}") for name in given]
    texts["index.html"], drawn = _html(campaign, bench, compared, over, hunt, link, causes, speedups, told, beside)
    for d in drawn:
        texts |= {f"figures/{d.name}.svg": d.svg, f"figures/{d.name}.png": d.png}
    files.remove(folder, "report/figures",  # those of a page before this one
                 lambda name: name.endswith((".svg", ".png")) and f"figures/{name}" not in texts)
    for name, text in texts.items():
        files.write(os.path.join(folder, "report", name), text, folder)
