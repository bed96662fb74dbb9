"""The package as a command:

python3 -m fusillade_reports campaign DIR          draws DIR/campaign.png
python3 -m fusillade_reports page DIR DB LINK      writes DIR/report/: index.html, summary.md,
                                                   junit.xml and the like; DB: a history; LINK:
                                                   where a commit can be read, % for its hash;
                                                   both may be left out
python3 -m fusillade_reports export DIR FORMAT OUT writes DIR/bench.json to the file OUT in
                                                   another tool's format
python3 -m fusillade_reports truth TRIALS BENCH DB planted regressions found and missed, by
                                                   compare, by history and over machines; for
                                                   the noise of the first two a
                                                   bench.json and a history, or "" for either
python3 -m fusillade_reports merge OUT PART...     files of bench with one process each, as one
python3 -m fusillade_reports compare OLD NEW ...   two files of bench; --help says the rest
python3 -m fusillade_reports compare --machines DIR DIR ...
                                                   such a pair from each of several machines
python3 -m fusillade_reports history add|show ...  runs kept over commits; --help says the rest
python3 -m fusillade_reports releases FOLDER ...   two releases of a compiler; --help says the rest
python3 -m fusillade_reports upstream FOLDER SCRIPT PYTHON WORKER
                                                   the issue of a finding, by runs of its script
                                                   with that interpreter; WORKER, which may be
                                                   left out: torch, jax or ort
"""

import sys


def export(folder, name, out):
    from . import exports, files, model

    if name not in exports.FORMATS:
        raise model.Broken(f"'{name}' is not a format; legal: {', '.join(exports.FORMATS)}")
    files.write(out, exports.FORMATS[name](model.load_bench(f"{folder}/bench.json")))


def compare(words):
    """Prints what changed; exit status 2 for a regression or a loss that the gate is about, 3 where
    nothing could be decided."""
    import argparse
    import json
    import os

    from . import compare as comparing
    from . import files, machines, model, page, what_changed

    ask = argparse.ArgumentParser(prog="fusillade_reports compare")
    ask.add_argument("old", nargs="?")
    ask.add_argument("new", nargs="?")
    ask.add_argument("--machines", nargs="+", help="folders, each of a pair on one machine")
    ask.add_argument("--out")
    ask.add_argument("--gate", choices=comparing.GATES, default="steady")
    ask.add_argument("--threshold", type=float, default=0.02)
    ask.add_argument("--alpha", type=float, default=0.01)
    ask.add_argument("--history", help="a history: each timing's threshold is by its own")
    ask.add_argument("--again", help="the old run once more, by turns with both: A/A")
    ask.add_argument(
        "--allow-missing", action="store_true", help="what only the old run has fails no gate"
    )
    o = ask.parse_args(words)
    absent = [side for side in ("old", "new") if not getattr(o, side)]
    if absent and not o.machines:
        ask.error(f"the following arguments are required: {', '.join(absent)} (or --machines)")
    options = comparing.Options(o.gate, o.threshold, o.alpha, o.history, o.again, o.allow_missing)
    if o.machines:
        found = machines.compare_machines(o.machines, options)
    else:
        found = comparing.compare(o.old, o.new, options)
    if o.out:
        path = os.path.join(o.out, "compare.json")
        files.write(path, json.dumps(found, indent=1, ensure_ascii=False) + "\n", o.out)
        model.load(path, "compare")
        page.write(o.out, o.history or "")
    print(what_changed.terminal(found), end="")
    return found["exit_code"]


def over_commits(words):
    """Adds a run to a history, or prints what changed in one."""
    import argparse

    from . import history, since_when, visible

    ask = argparse.ArgumentParser(prog="fusillade_reports history")
    actions = ask.add_subparsers(dest="action", required=True)
    add = actions.add_parser("add")
    add.add_argument("run")
    add.add_argument("--commit", required=True)
    add.add_argument("--time", type=int, required=True, help="of the commit, in seconds of Unix")
    add.add_argument("--number", type=int, required=True, help="of the commits that lead to it")
    add.add_argument("--subject", default="")
    add.add_argument("--machine", default="", help="its name; default: the host name of the run")
    add.add_argument(
        "--measured-after",
        action="store_true",
        help="it is an error if the run is older than the commit",
    )
    show = actions.add_parser("show")
    for flag in ("--program", "--plan", "--metric"):
        show.add_argument(flag, default="", help="regular expression")
    show.add_argument("--all", action="store_true", help="also timings without changes")
    for one in (add, show):
        one.add_argument("--db", required=True)
    o = ask.parse_args(words)
    if o.action == "add":
        print(
            visible.line(
                history.add(
                    o.db,
                    o.run,
                    history.Commit(o.commit, o.time, o.number, o.subject),
                    o.machine,
                    o.measured_after,
                )
            )
        )
    else:
        print(
            since_when.terminal(o.db, since_when.Chosen(o.program, o.plan, o.metric), o.all), end=""
        )
    return 0


def two_releases(words):
    from . import releases

    return releases.answer(words)


def as_issue(words):
    from . import upstream

    return upstream.main(*words)


NEEDED = ("numpy", "matplotlib", "jinja2", "jsonschema")
PARSED = {
    "compare": compare,
    "history": over_commits,
    "releases": two_releases,
    "upstream": as_issue,
}


def run(verb, folder, *more):
    import json

    from . import files, health, history, history_truth, machines_truth, merge, model, page, truth

    if verb == "campaign":
        health.campaign_picture(model.load_campaign(folder), folder)
    elif verb == "truth":
        bench = model.load_bench(model.bench_path(more[0])) if more[0] else None
        kept = history.load(more[1]) if more[1] else []
        print(truth.text(truth.table(bench, int(folder)), int(folder)))
        print(history_truth.text(int(folder), kept))
        print(machines_truth.text(machines_truth.table(int(folder)), int(folder)), end="")
    elif verb == "merge":
        files.write(folder, json.dumps(merge.merge(more), indent=1, ensure_ascii=False) + "\n")
    elif verb == "page":
        page.write(folder, *more)
    else:
        export(folder, *more)


def main(argv):
    if argv[1:] in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    words = len(argv), argv[1:2]
    if not (
        argv[1:2]
        and argv[1] in PARSED
        or argv[1:2] == ["merge"]
        and len(argv) >= 4
        or words
        in (
            (3, ["campaign"]),
            (3, ["page"]),
            (4, ["page"]),
            (5, ["page"]),
            (5, ["truth"]),
            (5, ["export"]),
        )
    ):
        print(__doc__, file=sys.stderr)
        return 1
    try:
        return answer(argv)
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        import importlib.util

        absent = [name for name in NEEDED if not importlib.util.find_spec(name)]
        print(
            f"fusillade: error: {sys.executable} has no {', '.join(absent)}. Reports need "
            f"{', '.join(NEEDED)}: install them there, or name another Python in FUSILLADE_PYTHON",
            file=sys.stderr,
        )
        return 1


def answer(argv):
    from . import model, visible

    sys.stdout, sys.stderr = visible.People(sys.stdout), visible.People(sys.stderr)
    try:
        if argv[1] in PARSED:
            return PARSED[argv[1]](argv[2:])
        run(*argv[1:])
    except (model.Broken, OSError) as error:
        print(f"fusillade: error: {visible.lines(str(error))}", file=sys.stderr)
        return 1
    except SystemExit as end:  # of words that argparse refuses
        return 1 if end.code else 0
    return 0


sys.exit(main(sys.argv))
