"""`fusillade report` on files that the binary wrote: they are what the schemas of reports/ say, and
what comes of them.

What the page looks like is tested in reports/tests, on files written there.
"""

import json
import subprocess

import pytest
from under_test import BINARY, ROOT


def run(*args, timeout=180):
    return subprocess.run(
        [BINARY, *map(str, args)], capture_output=True, text=True, timeout=timeout, cwd=ROOT
    )


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    out = tmp_path_factory.mktemp("campaign") / "out"
    done = run("fuzz", "--runs=150", "--seed=5", "--jobs=2", "--out", out)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "bench.json"
    done = run(
        "bench",
        "--filter=ratio_iou",
        "--plan=eager",
        "--plan=vm/o2",
        "--processes=2",
        "--iterations=20",
        "--out",
        out,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return out


def write_report(folder):
    done = run("report", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{folder}/report/index.html\n"
    return (folder / "report" / "index.html").read_text()


def refusal(*words):
    done = run("report", *words)
    assert done.returncode == 1, (done.stdout, done.stderr)
    return done.stderr


def test_campaign_has_a_page(campaign):
    page = write_report(campaign)
    assert "No findings in 150 programs" in page and "rewrite rules never reached" in page
    assert {p.name for p in (campaign / "report").iterdir()} == {
        "index.html",
        "figures",
        "summary.md",
        "junit.xml",
        "results.sarif",
    }
    figures = {p.name for p in (campaign / "report" / "figures").iterdir()}
    assert figures == {
        f"{name}.{kind}"
        for name in ("rate", "yield", "verdicts", "reached")
        for kind in ("svg", "png")
    }


def test_the_last_sample_is_what_the_campaign_came_to(campaign):
    c = json.loads((campaign / "campaign.json").read_text())
    seconds, programs, findings, ok, failed, untrusted, skipped, rows, rewrites = c["samples"][-1]
    verdicts = {name: n for name, n in c["verdicts"].items() if isinstance(n, int)}
    assert (programs, findings, ok, untrusted) == (
        c["programs"],
        len(c["findings"]),
        verdicts.pop("ok"),
        verdicts.pop("untrusted"),
    )
    assert failed == sum(verdicts.values()) and skipped == sum(c["verdicts"]["skip"].values())
    assert (rows, rewrites) == (
        len(c["reach"]["rows"]),
        len(c["reach"]["rewrites"]),
    ) and 0 < seconds <= c["seconds"]


def test_checked_program_has_a_page(tmp_path):
    done = run(
        "check",
        "bench/programs/softmax_scale.py",
        "--inputs=16",
        "--out",
        tmp_path / "out",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "softmax_scale.py" in write_report(tmp_path / "out")


def test_bench_has_a_page(bench):
    write_report(bench.parent)
    assert "vm/o2 against eager" in (bench.parent / "report" / "summary.md").read_text()


def test_bench_reports_what_the_compiler_did_and_what_a_call_costs(bench):
    data = json.loads(bench.read_text())
    peaks = data["context"]["peaks"]
    assert 0 < peaks["flops"]["one"] <= peaks["flops"]["all"] and len(peaks["copies"]) >= 1
    for b in data["benchmarks"]:
        assert [e["kind"] for process in b["events"] for e in process if e["call"] is None] == [
            "passes run"
        ] * 2
        assert {"script", "passes"} <= set(b["phases"]) and len(b["before_rounds"]) == 2
        assert b["work"]["bytes"] > 0 and b["work"]["flops"] > 0 and b["memory"]["peak_bytes"] > 0
    page = write_report(bench.parent)
    assert "Roofline" in page and "What compiling is made of" in page and "peak, KiB" in page


def test_events_of_a_profiling_engine(tmp_path):
    """A call is profiled, the next is compiled for, and after that nothing is."""
    done = run(
        "bench",
        "--filter=^ratio_iou/N:16$",
        "--plan=jit/o2,fuse(loopnest,interp)",
        "--processes=1",
        "--iterations=20",
        "--no-check",
        "--out",
        tmp_path / "bench.json",
    )
    assert done.returncode == 0, done.stderr
    assert "allocations, peak" in done.stdout
    ((process,),) = [
        b["events"] for b in json.loads((tmp_path / "bench.json").read_text())["benchmarks"]
    ]
    by_call = {}
    for e in process:
        by_call.setdefault(e["call"], []).append(e["kind"])
        assert e["round"] == (None if e["call"] < 2 else 0)
    assert by_call == {
        0: ["call profiled", "version compiled", "passes run"],
        1: ["plan added", "group specialised", "group lowered", "kernel compiled"],
        2: ["cache hit"],
    }
    write_report(tmp_path)
    trace = json.loads((tmp_path / "report" / "trace.json").read_text())["traceEvents"]
    assert [e["name"] for e in trace if e.get("cat") == "jit" and e["ph"] == "i"] == [
        "call profiled",
        "plan added",
        "cache hit",
    ]


def test_rules_that_did_not_fire_are_the_rest(campaign):
    reach = json.loads((campaign / "campaign.json").read_text())["reach"]
    rules = {rule["name"] for rule in json.loads(run("list", "rules", "--json").stdout)}
    fired = {name.removeprefix("peephole/") for name in reach["rewrites"]} & rules
    assert fired and set(reach["rules_missing"]) == rules - fired


def test_one_field_more_is_refused(campaign, tmp_path):
    data = json.loads((campaign / "campaign.json").read_text())
    data["reach"]["colour"] = 1
    (tmp_path / "campaign.json").write_text(json.dumps(data))
    assert f"{tmp_path}/campaign.json: reach: unknown field colour" in refusal(tmp_path)


def test_export(bench, tmp_path):
    to = tmp_path / "new" / "bench.csv"
    done = run("report", bench.parent, "--export", "csv", "--to", to)
    assert done.returncode == 0 and done.stdout == f"{to}\n", done.stderr
    assert len(to.read_text().splitlines()) == 1 + 2 * 20 * len(
        json.loads(bench.read_text())["benchmarks"]
    )
    assert "legal: bmf, asv" in refusal(bench.parent, "--export", "xls", "--to", to)
    assert "--export FORMAT and --to FILE go together" in refusal(bench.parent, "--export", "csv")
    assert "bench.json does not exist" in refusal(tmp_path, "--export", "csv", "--to", to)
