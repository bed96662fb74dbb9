"""JIT events on the page and in the trace: at their rounds, in words, and none where the file holds
none."""

import copy
import json
import os
import re
import sys

import samples
from fusillade_reports import events, merge, model, page

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_page import write_page


def of_bench(folder, bench):
    samples.write(folder, bench=bench)
    return model.load_bench(str(folder / "bench.json"))


def test_every_kind_of_the_schema_has_a_family():
    kinds = model.schema("bench")["$defs"]["event"]["properties"]["kind"]["enum"]
    assert sorted(kinds) == sorted(events.FAMILY) and set(events.FAMILY.values()) == set(
        events.FAMILIES
    )


def test_marks_stand_in_the_panel(tmp_path):
    html = write_page(tmp_path, bench=samples.with_jit())
    panel = next(s for s in html.all("svg") if "a/N:16/jit/o2 over" in s["aria-label"])
    assert panel["aria-label"].endswith(
        "; events: before the first call: passes run; call 0: version compiled, call profiled; "
        "call 1: group lowered (loopnest), kernel compiled (llvm), kernel linked (llvm); round 0: "
        "cache hit; round 2: guard failed"
    )
    text = (tmp_path / "report" / "index.html").read_text()
    titles = re.findall(r"<title>([^<]*)</title>", text)
    assert (
        "call 1: group lowered (loopnest), 0.00 ms; kernel compiled (llvm) \u00d72, 0.00 ms; "
        "kernel linked (llvm) \u00d72, 0.00 ms" in titles
    )
    assert (
        titles.count("round 2: guard failed") == 2
        and "Marks above a panel" in html.text
        and "JIT events" in html.text
    )
    assert "tip:" not in text


def test_marks_stand_at_their_rounds(tmp_path):
    """As far to the right as the round that they are of."""
    write_page(
        tmp_path,
        bench=samples.bench(
            samples.with_events(
                samples.entry("a", "jit/o2", 1e3),
                [
                    samples.event("guard failed", 12, round=1),
                    samples.event("guard failed", 392, round=39),
                    samples.event("passes run"),
                ],
            )
        ),
    )
    text = (tmp_path / "report" / "index.html").read_text()
    at = {
        title: float(x)
        for title, x in re.findall(
            r"<title>([^<:]*):[^<]*</title>.*?<use xlink:href=\"[^\"]*\" x=\"([0-9.]+)\"",
            text,
            re.S,
        )
    }
    step = (at["round 39"] - at["round 1"]) / 38
    assert (
        step > 0
        and abs(at["round 1"] - at["before the first call"] - step * (1 + 3 * 39 * events.SLOT))
        < 0.1
    )


def test_table_says_when_and_in_how_many_processes(tmp_path):
    bench = samples.with_jit()
    del bench["benchmarks"][1]["events"][0][-1]
    bench["benchmarks"][1]["events"][1][-1] = samples.event("guard failed", 33, round=3, at=1.05e6)
    shown = [r for r in events.rows(of_bench(tmp_path, bench)) if r[:2] == ("a/N:16", "jit/o2")]
    assert [r[2] for r in shown] == [
        "passes run",
        "call profiled",
        "version compiled",
        "group lowered",
        "kernel compiled",
        "kernel linked",
        "cache hit",
        "guard failed",
    ]
    assert shown[0][4:] == ("before the first call", -1, 5, 5, 1, 0.7) and shown[4][3:] == (
        "llvm",
        "call 1",
        1,
        5,
        5,
        2,
        0.004,
    )
    assert shown[-1][4:8] == ("calls 22 to 33", 22, 4, 5)


def test_nothing_is_said_without_events(tmp_path):
    html = write_page(tmp_path, bench=samples.two_plans())
    assert "Marks above a panel" not in html.text and "JIT events, a roofline" in html.text
    assert not [s for s in html.all("svg") if "events:" in s["aria-label"]]


def test_trace_has_them_where_they_were(tmp_path):
    write_page(tmp_path, bench=samples.with_jit())
    shown = json.loads((tmp_path / "report" / "trace.json").read_text())["traceEvents"]
    track = [e for e in shown if (e["pid"], e["tid"]) == (1, 2 + 1000)]
    runs = {e["name"]: e for e in track if e.get("cat") == "run"}
    assert (
        (runs["call 1"]["ts"], runs["call 1"]["dur"]) == (1010, 10)
        and runs["round 0"]["ts"] == 1020
        and len(runs) == 3 + 40
    )
    jit = {e["name"]: e for e in track if e.get("cat") == "jit"}
    assert {n: e["ph"] for n, e in jit.items()} == {
        "passes run": "X",
        "call profiled": "i",
        "version compiled": "X",
        "group lowered": "X",
        "kernel compiled": "i",
        "kernel linked": "i",
        "cache hit": "i",
        "guard failed": "i",
    }
    assert jit["kernel compiled"]["args"] == {
        "what": "llvm",
        "call": 1,
        "round": None,
        "count": 2,
        "took_us": 4,
    }
    assert (
        runs["call 0"]["ts"] <= jit["version compiled"]["ts"]
        and jit["version compiled"]["dur"] == 5
    )
    assert not [e for e in shown if e["pid"] == 1 and e["tid"] == 1 + 1000]  # eager had none


def test_processes_are_laid_together(tmp_path):
    """What compare --commits does with a file per round."""
    paths = []
    for i in range(2):
        bench = copy.deepcopy(samples.with_jit())
        for b in bench["benchmarks"]:
            b |= {
                "repetitions": 1,
                "samples_ns": b["samples_ns"][i : i + 1],
                "aa": {"steady": None, "compile": None},
                "warmup": {"rule": "r", "per_process": b["warmup"]["per_process"][:1]},
            }
            b |= {k: b[k][:1] for k in ("events", "before_rounds") if k in b}
        if i:
            del bench["benchmarks"][1]["phases"]["to_steady"]
        paths.append(tmp_path / f"{i}.json")
        paths[-1].write_text(json.dumps(bench))
    both = of_bench(tmp_path, merge.merge([str(p) for p in paths]))
    assert len(both.timings[1].events) == len(
        both.timings[1].before
    ) == 2 and "events" not in json.dumps(both.timings[0].events)
    assert (
        "to_steady" not in both.timings[1].stages
        and both.timings[1].stages["passes"].processes == 2
    )
    assert page.events.mark(both.timings[0]) is None
