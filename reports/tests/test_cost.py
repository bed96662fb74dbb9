"""Memory, work, stages: what the page, the tables and compare say of them, and that they say
nothing of files without."""

import math

import pytest
import samples
from fusillade_reports import compare as comparing
from fusillade_reports import exports, model, roofline, stages
from test_compare import compare_entries, entry, quiet
from test_page import write_page


def load_bench(folder, bench):
    samples.write(folder, bench=bench)
    return model.load_bench(str(folder / "bench.json"))


def test_a_point_of_the_roofline(tmp_path):
    bench = load_bench(tmp_path, samples.with_jit())
    point = roofline.points(bench)[0]
    assert (point.program, point.plan, point.intensity) == ("a/N:16", "jit/o2", 0.5)
    assert math.isclose(point.rate, 4096 / 1e-6) and math.isclose(point.bandwidth, 8192 / 1e-6)
    assert len(roofline.points(bench)) == 3  # eager of a/N:16 reports no work


@pytest.mark.parametrize(
    "moved,flops,footprint,least,by",
    [
        (8192, 4096, 16384, 8192 / 2e11, "bytes"),
        (8192, 1, 16385, 8192 / 1e11, "bytes"),
        (1 << 30, 1, 1 << 30, (1 << 30) / 1.2e10, "bytes"),
        (8192, 10**6, 16384, 10**6 / 1.6e11, "operations"),
    ],
)
def test_what_bounds_a_call(moved, flops, footprint, least, by):
    said = roofline.least_time(
        roofline.Point("p", "e", moved, flops, footprint, 1e-6), samples.PEAKS
    )
    assert math.isclose(said[0], least) and said[1] == by


def test_roofline_is_drawn_with_its_table(tmp_path):
    html = write_page(tmp_path, bench=samples.with_jit())
    assert [
        s
        for s in html.all("svg")
        if s["aria-label"].startswith("Roofline: ") and "3 timings" in s["aria-label"]
    ]
    assert (
        "drawn through 200 GB/s for 16 KiB, dashed 100 GB/s for 512 KiB, dashed and dotted 12 GB/s "
        "for 64 MiB" in html.text
    )
    assert (
        "8.0 KiB 4,096 0.5 8.19 4.1 0.041 4.1 % bytes" in html.text
        and "a roofline" not in html.text
    )


def test_no_peaks_no_figure_but_the_table(tmp_path):
    bench = samples.with_jit()
    bench["context"]["peaks"] = None
    html = write_page(tmp_path, bench=bench)
    assert (
        not [s for s in html.all("svg") if s["aria-label"].startswith("Roofline")]
        and "8.0 KiB 4,096 0.5 8.19 4.1" in html.text
    )


def test_nothing_computed_has_no_place_in_the_figure(tmp_path):
    bench = samples.bench(
        samples.with_events(samples.entry("copy", "eager", 100.0))
        | {"work": {"bytes": 64, "flops": 0, "footprint": 64}}
    )
    bench["context"]["peaks"] = samples.PEAKS
    html = write_page(tmp_path, bench=bench)
    assert (
        not [s for s in html.all("svg") if s["aria-label"].startswith("Roofline")]
        and "0.1 KiB" in html.text
    )


def test_stages_are_parts_of_a_whole(tmp_path):
    t = load_bench(tmp_path, samples.with_jit()).timings[1]
    assert stages.parts(t) == {
        "script": 6e5,
        "passes": 7e5,
        "lowering": 1e3,
        "codegen": 3e3,
        "linking": 1e3,
        "rest": 1e6 + 1e4 - 7.05e5,
    }
    t.stages["passes"].estimate = 9e6  # of calls after the first
    assert stages.parts(t)["rest"] == 0


def test_stages_have_bars_and_a_table(tmp_path):
    html = write_page(tmp_path, bench=samples.with_jit())
    bars = [
        s["aria-label"]
        for s in html.all("svg")
        if s["aria-label"].startswith("What compiling under")
    ]
    assert bars == [
        "What compiling under eager is made of, 1 programs; the table below has the numbers",
        "What compiling under jit/o2 is made of, 2 programs; the table below has the numbers",
    ]
    assert "a/N:16 jit/o2 0.60 0.70 0.00 0.00 0.00 1.00 0.01 1.02 1.00 1" in html.text
    assert "a/N:16 eager 1.00 0.01 4.00" in html.text  # reports none


def test_memory_stands_in_tables_and_exports(tmp_path):
    html = write_page(tmp_path, bench=samples.with_jit())
    assert "peak, KiB" in html.text and "64.0 12 flat" in html.text
    assert "| 64.0 | 12 | flat |" in (tmp_path / "report" / "summary.md").read_text()
    lines = exports.FORMATS["csv"](model.load_bench(str(tmp_path / "bench.json"))).split("\n")
    assert (
        lines[0].endswith(",outputs,allocations,peak_bytes")
        and lines[1].endswith(",ok,,")
        and lines[-2].endswith(",ok,12,65536")
    )


def test_files_without_say_nothing(tmp_path):
    html = write_page(tmp_path, bench=samples.two_plans())
    assert (
        "peak, KiB" not in html.text
        and "What compiling is made of" not in html.text
        and "Roofline" not in html.text
    )
    assert "a roofline" in html.text


def rows_of_memory(folder, old, new, gate="memory"):
    """Two runs of one timing with such memory: (exit code, {metric: (verdict, why)})."""
    sides = []
    for seed, memory in (("a", old), ("b", new)):
        b = quiet(samples.bench(entry("p", 100.0, seed)))
        if memory != "absent":
            b["benchmarks"][0]["memory"] = memory and {
                "allocations": memory[0],
                "peak_bytes": memory[1],
            }
        sides.append(b)
    found = compare_entries(folder, *sides, gate=gate)
    model.load(
        str(samples.write(folder / "said", compare=lambda _: found) / "compare.json"), "compare"
    )
    return found["exit_code"], {
        r["metric"]: (r["verdict"], r["reason"])
        for r in found["rows"]
        if r["metric"] not in ("steady", "compile")
    }


@pytest.mark.parametrize(
    "old,new,code,said",
    [
        ((3, 1000), (3, 1000), 0, {}),
        ((3, 1000), (3, 1010), 2, {"memory": ("slower", "more than 0.5 %")}),
        ((3, 1010), (3, 1000), 0, {"memory": ("faster", "more than 0.5 %")}),
        ((3, 1000), (3, 1004), 0, {"memory": ("same", "within 0.5 %")}),
        ((0, 1000), (1, 1000), 2, {"allocations": ("slower", "none before")}),
        (
            (2, 1000),
            (0, 0),
            0,
            {"memory": ("faster", "none any more"), "allocations": ("faster", "none any more")},
        ),
        (
            (2, 1000),
            None,
            2,
            dict.fromkeys(["memory", "allocations"], ("missing", "counted before, and not after")),
        ),
        ("absent", (2, 1000), 3, {}),
        (None, None, 3, {}),
    ],
)
def test_memory_is_compared_as_a_count(tmp_path, old, new, code, said):
    assert rows_of_memory(tmp_path, old, new) == (code, said)


def test_memory_fails_no_other_gate(tmp_path):
    assert rows_of_memory(tmp_path, (0, 10), (9, 900), gate="none")[0] == 0
    assert "memory" in comparing.GATES
