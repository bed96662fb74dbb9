"""A campaign over time: what is drawn of it, and of what did not happen nothing; where processes'
calls lie; forest plots' axes."""

import json
import math

import pytest
import samples
from fusillade_reports import distributions, figures, forest, health, metrics, model, spark
from test_page import write_page


def totals(count, seconds=1.0):
    return [
        model.Sample(
            i * seconds, 100 * i, 0, 90 * i, i, 2 * i, 7 * i, min(1000, 10 * i), min(50, i)
        )
        for i in range(count)
    ]


@pytest.mark.parametrize("count", [2, 3, 99, 101, 5000])
def test_stretches_are_few_and_leave_nothing_out(count):
    pairs = health.stretches(totals(count))
    assert 1 <= len(pairs) <= health.MOST_STRETCHES + 1
    assert (
        pairs[0][0].seconds == 0
        and pairs[-1][1].seconds == count - 1
        and all(a[1] is b[0] for a, b in zip(pairs, pairs[1:]))
    )
    assert sum(b.judged - a.judged for a, b in pairs) == 100 * (count - 1)


def test_no_stretch_of_no_time():
    assert health.stretches([]) == health.stretches(totals(1)) == []
    same = totals(3, seconds=0.0)
    assert health.stretches(same) == []
    assert len(health.stretches(totals(2) + [model.Sample(1.0, 100, 0, 90, 1, 2, 7, 10, 1)])) == 1


def captions(folder, **changes):
    samples.write(folder, samples.campaign(**changes))
    return [caption for caption, _ in health.campaign_health(model.load_campaign(str(folder)))]


def test_what_is_drawn_of_a_campaign(tmp_path):
    texts = captions(tmp_path, findings=[samples.finding(1), samples.finding(2, verdict="crash")])
    assert [t.split(":")[0].split(";")[0] for t in texts] == [
        "Programs per second and job",
        "Yield over time",
        "Judgements by verdict and reason, log",
        "Reached over time",
        "Causes by when they were first seen",
    ]
    assert (
        "(98.5 % of all)" in texts[1]
        and texts[3] == "Reached over time: 2 operators of 4 (dotted), 1 rewrites"
    )
    assert (
        captions(tmp_path, findings=[samples.finding(1)])[-1]
        == "Causes by when they were first seen, all mismatch"
    )
    nothing = samples.CAMPAIGN["verdicts"].items()
    assert (
        len(
            captions(
                tmp_path,
                samples=[],
                verdicts={k: {} if isinstance(v, dict) else 0 for k, v in nothing},
            )
        )
        == 1
    )
    # one sample says nothing over time
    assert len(captions(tmp_path, samples=[[0.5, 1, 0, 0, 0, 0, 0, 0, 0]])) == 2


def test_campaigns_of_before_are_refused_in_words(tmp_path):
    c = samples.campaign(schema=2, samples=[[0.0, 0, 0]])
    (tmp_path / "campaign.json").write_text(json.dumps(c))
    with pytest.raises(model.Broken, match="schema: 2 is not 3"):
        model.load_campaign(str(tmp_path))


def test_calls_of_evenly_spread_ranks_are_drawn():
    kept = distributions._ranks([float(x) for x in range(1000)][::-1])
    assert len(kept) == distributions.MOST_TICKS and kept[0] == 0 and kept[-1] == 999
    gaps = {round(b - a) for a, b in zip(kept, kept[1:])}
    assert gaps <= {25, 26} and list(distributions._ranks([3.0, 1.0, 2.0])) == [1, 2, 3]


def bench_of(folder, *entries):
    samples.write(folder, bench=samples.bench(*entries))
    return model.load_bench(str(folder / "bench.json"))


def test_programs_whose_processes_agree_least_have_panels(tmp_path):
    b = bench_of(
        tmp_path,
        *(
            samples.entry(f"p{i}", "eager", 1000.0, i, scatter=0.5 if i == 29 else 0.001)
            for i in range(30)
        ),
    )
    values = distributions.values(b)
    names = [program for program, _, _ in values["distributions"]]
    assert (
        len(names) == distributions.MOST_PANELS
        and "p29" in names
        and names == sorted(names, key=b.programs.index)
    )
    assert (
        values["distributions_note"]
        == "6 more programs, whose processes agree better, have no panel."
    )


def test_two_levels_of_processes_are_reported(tmp_path):
    one = samples.entry("a", "eager", 1000.0, scatter=0)
    one["samples_ns"][3] = [2 * x for x in one["samples_ns"][3]]
    ((_, texts, drawn),) = distributions.values(bench_of(tmp_path, one))["distributions"]
    assert (
        texts.startswith("medians of processes differ by 10")
        and texts.endswith(" %")
        and "under 1 plans" not in drawn.alt
    )
    ((_, texts, _),) = distributions.values(
        bench_of(tmp_path, samples.entry("a", "eager", 1000.0, processes=1))
    )["distributions"]
    assert texts == ""  # one process differs from none


def test_many_processes_are_cut_and_that_is_said(tmp_path):
    values = distributions.values(
        bench_of(tmp_path, samples.entry("a", "eager", 1000.0, processes=30))
    )
    assert values["distributions_note"] == "The first 20 processes of each plan."
    assert len(values["distributions"][0][2].svg) < 100_000


def row(program, ratio, lower, upper, said="unstable", metric="steady", plan="vm", threshold=0.02):
    return {
        "program": program,
        "plan": plan,
        "metric": metric,
        "ratio": ratio,
        "lower": lower,
        "upper": upper,
        "verdict": said,
        "threshold": threshold,
    }


def test_each_metric_and_plan_has_a_forest():
    c = {
        "rows": [
            row("a", 1.1, 1.0, 1.2),
            row("a", 1.1, None, None, metric="instructions"),
            row("b", 1.2, 1.1, 1.3, "slower"),
            row("b", None, None, None, "new", plan="o2"),
            row("c", 0.9, 0.8, 1.0, plan="eager"),
        ]
    }
    assert [caption for caption, _ in forest.changes(c)] == [
        "steady, vm",
        "instructions, vm",
        "steady, eager",
    ]
    many = {"rows": [row(f"p{i}", 1 + i / 1000, 1.0, 1.2) for i in range(60)]}
    ((caption, drawn),) = forest.changes(many)
    assert (
        caption == "steady, vm, the 40 greatest of 60 changes"
        and "p59" in drawn.svg
        and ">p0<" not in drawn.svg
    )


def test_what_is_too_small_to_count_is_shaded_by_the_metric(monkeypatch):
    shaded = []
    monkeypatch.setattr(forest, "_draw", lambda axes, rows, least: shaded.append(least))
    forest.changes(
        {
            "rows": [
                row("a", 1.1, 1.0, 1.2),
                row("a", 1.01, None, None, metric="instructions", threshold=0.005),
            ]
        }
    )
    assert shaded == [0.02, 0.005]


def test_an_interval_that_knows_nothing_does_not_press_the_others():
    _, axes = figures.new(364, 400)
    rows = [row(f"p{i}", 1.05, 0.95, 1.1) for i in range(19)] + [row("wild", 1.1, 0.01, 300.0)]
    forest._draw(axes, rows, 0.02)
    low, high = axes.get_xlim()
    assert (
        0.5 < low < 0.95
        and 1.1 < high < 2
        and low < min(r["ratio"] for r in rows)
        and high > max(r["ratio"] for r in rows)
    )


def labels(low, high):
    figure, axes = figures.new(364, 100)
    axes.plot([low, high], [0, 0])
    figures.log_axis(axes)
    figure.canvas.draw()
    ends = axes.get_xlim()
    return [
        t.get_text()
        for t, at in zip(axes.get_xticklabels(), axes.get_xticks())
        if ends[0] <= at <= ends[1]
    ]


@pytest.mark.parametrize(
    "low,high",
    [(1, 1.01), (0.97, 1.04), (1, 4), (3, 30), (90, 900), (5, 1000), (1, 1e5), (1000, 1001)],
)
def test_a_log_axis_has_two_numbers_at_least(low, high):
    assert 2 <= len(labels(low, high)) <= 9, labels(low, high)


def test_amounts_have_no_powers_of_ten():
    assert (
        metrics.amount(12_345_678, "steady") == "12,346 \u00b5s"
        and metrics.amount(1234.5, "steady") == "1.234 \u00b5s"
    )
    assert (
        metrics.amount(None, "steady") == ""
        and metrics.amount(5e13, "instructions") == "50,000,000,000 k"
    )


def test_small_drawings_stay_in_their_frame():
    reach = spark.reach([(0.9, 1.1)] * 9 + [(0.001, 1000.0)])
    assert reach == pytest.approx(math.log(1 / 0.9))
    svg = spark.interval(5.0, 0.001, 1000.0, reach, "red")
    assert f'cx="{spark.WIDTH - 3.0}"' in svg and "M3.0 6.5H93.0" in svg
    assert spark.reach([]) == spark.LEAST_REACH and "path d" in spark.interval(
        1.0, None, None, reach, "red"
    )
    flat = spark.line([1.0, 1.0], "red")
    assert 'd="M3.0 6.5L93.0 6.5"' in flat and spark.line([2.0], "red").count("cx") == 1
    assert spark.line(list(range(1, 1000)), "red").count("L") == spark.MOST_POINTS - 1


def test_a_timing_over_commits_stands_in_what_changed(tmp_path):
    html = write_page(tmp_path, compare=samples.two_runs, over=samples.over_commits)
    assert "over commits" in html.text
    text = (tmp_path / "report" / "index.html").read_text()
    changed = text.split('id="changed"')[1].split("</section>")[0]
    # a and b, steady calls and compiles; of the one that is gone there is none
    assert changed.count('fill="none"') == 4
    write_page(tmp_path / "alone", compare=samples.two_runs)
    assert ">over commits<" not in (tmp_path / "alone" / "report" / "index.html").read_text()


CORPUS = {
    "cases": 40,
    "regression": 2,
    "passed_over": 1,
    "gone": 0,
    "judged_again": 30,
    "not_judged_again": 10,
    "features_before": 1200,
    "features": 1234,
    "kinds": [{"kind": "rule", "before": 1200, "after": 1234}],
    "kept": 5,
    "kept_bytes": 5000,
    "coverage": [[0.5, 1200], [1.5, 1234]],
}


@pytest.mark.parametrize("coverage", [CORPUS["coverage"], []])
def test_a_corpus_is_drawn_where_there_is_one(tmp_path, coverage):
    (texts,) = [
        c for c in captions(tmp_path, corpus=CORPUS | {"coverage": coverage}) if "Corpus" in c
    ]
    assert texts == (
        "Corpus over time: 1,234 features, 1,200 of them at the start (dotted); 5 cases kept, "
        "30 of 40 judged again"
    )
    assert not [c for c in captions(tmp_path) if "Corpus" in c]


@pytest.mark.parametrize(
    "changes", [{"more": 1}, {"features": -1}, {"coverage": [[1]]}, {"coverage": [[1, 2, 3]]}]
)
def test_a_corpus_is_read_strictly(tmp_path, changes):
    with pytest.raises(model.Broken):
        captions(tmp_path, corpus=CORPUS | changes)
