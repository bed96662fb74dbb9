"""Ratios against synthetic truth: how often the interval holds the ratio that was planted, and what
may be said of it."""

import numpy as np
import pytest
import samples
from fusillade_reports import intervals, model

RUNS = 300


def series(random, level, shared, between, within, rounds):
    """One series per process: processes differ, calls scatter, one call in twenty is disturbed."""
    out = []
    for s in shared:
        disturbed = (random.random(rounds) < 0.05) * random.exponential(0.5, rounds)
        out.append(
            np.exp(
                np.log(level)
                + s
                + random.normal(0, between)
                + random.normal(0, within, rounds)
                + disturbed
            )
        )
    return out


@pytest.mark.parametrize(
    "processes,between,within", [(3, 0.05, 0.05), (5, 0.05, 0.05), (5, 0.01, 0.2), (10, 0.05, 0.05)]
)
@pytest.mark.parametrize("true", [1.0, 1.3])
def test_interval_of_95_percent_holds_the_truth(processes, between, within, true):
    """At least 92 % of RUNS hold it: 95 % less about two and a half standard deviations of the
    count."""
    random = np.random.default_rng(19)
    covered, wide = 0, []
    for run in range(RUNS):
        shared = random.normal(0, 0.1, processes)
        r = intervals.ratio(
            series(random, 100 * true, shared, between, within, 30),
            series(random, 100, shared, between, within, 30),
            seed=run,
            draws=1000,
        )
        covered += r.lower <= true <= r.upper
        wide.append(np.log(r.upper / r.lower))
    assert covered / RUNS >= 0.92
    # Not covered by being useless: at most twice as wide as Student's t is for the noise put in.
    t = {3: 4.303, 5: 2.776, 10: 2.262}[processes]
    medians = 1.2533 * within / np.sqrt(30)
    assert np.median(wide) < 2 * 2 * t * np.sqrt(2 * (between**2 + medians**2) / processes)


def processes_of_three(random, count, level=1.0, skew=0.4):
    """New, old and old again: a process has its own level, and what is measured once in it scatters
    by its own size, as a compile of a few microseconds does."""
    shared = random.normal(0, 0.1, count)
    sides = np.exp(shared + random.normal(0, skew, (3, count)))
    sides[0] *= level
    return [[[x] for x in side] for side in sides]


@pytest.mark.parametrize("count", [3, 4, 8, 10])
def test_equals_beside_the_old_code_twice_are_rarely_apart(count):
    """p is at most 0.01 in one of a hundred; 12 of 600 would be four standard deviations more."""
    random = np.random.default_rng(5)
    ps = [
        intervals.ratio_with_again(*processes_of_three(random, count), draws=10).p
        for _ in range(600)
    ]
    assert sum(p <= 0.01 for p in ps) <= 12


def test_twice_as_slow_beside_the_old_code_twice_is_found():
    random = np.random.default_rng(6)
    ps = [
        intervals.ratio_with_again(*processes_of_three(random, 8, 2.0, 0.1), draws=10).p
        for _ in range(50)
    ]
    assert max(ps) <= 0.005


def test_how_far_the_old_code_is_from_itself_is_noise():
    """Each side has its own level in all four processes, as it was started first or last: the new
    one's stands out among them by chance."""
    old, again, new = ([[x * s] for x in (1.0, 1.01, 0.99, 1.0)] for s in (1.0, 1.7, 2.0))
    r = intervals.ratio_with_again(new, old, again)
    assert r.p > 0.03 and r.lower < 1.3
    assert intervals.ratio(new, old, paired=True).p < 1e-6  # without it


def test_levels_of_two_values_are_not_trusted_to_student():
    """20 processes a side at one of two levels: 15 and 5 of them high have a chance of 0.0022;
    Student's t says 0.001."""
    sides = [[[1.1 if i < high else 1.0] * 5 for i in range(20)] for high in (15, 5)]
    assert intervals.ratio(*sides, paired=False).p == pytest.approx(0.0032, abs=0.0012)


def test_few_processes_at_one_level_each_are_judged_by_the_others():
    """Five and five that seem not to scatter, among timings whose processes do: no change; among
    quiet ones it is."""

    def timing(old, new):
        return intervals.ratio(
            *([[x, x * 1.001] for x in side] for side in (new, old)), paired=False
        )

    distant = timing([1.0, 1.001, 1.002, 1.001, 1.0], [1.1, 1.101, 1.102, 1.101, 1.1])
    wild = [
        timing([1.0, 1.1, 1.0, 1.1, 1.0 + i / 1000], [1.1, 1.0, 1.1, 1.0, 1.0]) for i in range(6)
    ]
    quiet = [
        timing([1.0, 1.002, 1.0, 1.001, 1.0 + i / 1000], [1.0, 1.001, 1.0, 1.002, 1.0])
        for i in range(6)
    ]
    assert distant.few and distant.p < 1e-6
    assert intervals.guarded_ps([distant, *wild])[0] > 0.01
    assert intervals.guarded_ps([distant, *quiet])[0] < 1e-6
    assert intervals.guarded_ps([distant])[0] == pytest.approx(distant.p)
    many = timing([1.0 + i / 1000 for i in range(10)], [1.1 + i / 1000 for i in range(10)])
    assert many.few is None and intervals.guarded_ps([many, *wild])[0] == many.p


def test_same_is_seldom_called_different():
    random = np.random.default_rng(7)
    alarms = 0
    for run in range(RUNS):
        shared = random.normal(0, 0.1, 5)
        a, b = (series(random, 100, shared, 0.02, 0.05, 30) for _ in range(2))
        alarms += intervals.ratio(a, b, seed=run, draws=1000).status != "same"
    assert alarms / RUNS <= 0.08


def test_unpaired_series_hold_the_truth():
    random = np.random.default_rng(3)
    covered = 0
    for run in range(RUNS):
        a = series(random, 200, random.normal(0, 0.05, 6), 0.02, 0.05, 21)
        b = series(random, 100, random.normal(0, 0.05, 4), 0.02, 0.05, 30)
        r = intervals.ratio(a, b, seed=run, draws=1000)
        covered += r.lower <= 2 <= r.upper
    assert covered / RUNS >= 0.92


def test_resampled_medians_are_those_of_resamples():
    random = np.random.default_rng(5)
    for count in (20, 21):
        values = np.exp(random.normal(0, 1, count))
        drawn = intervals._log_medians([values], np.zeros((20000, 1), int), random)[:, 0]
        plain = np.log(np.median(values[random.integers(count, size=(20000, count))], axis=1))
        assert np.quantile(drawn, [0.1, 0.5, 0.9]) == pytest.approx(
            np.quantile(plain, [0.1, 0.5, 0.9]), abs=0.12
        )
        assert drawn.std() == pytest.approx(plain.std(), rel=0.05)


def test_one_process_has_no_interval():
    r = intervals.ratio([[4.0, 4.1]], [[2.0, 2.1]])
    assert (
        r.lower is None and r.status == "insufficient" and r.estimate == pytest.approx(4.05 / 2.05)
    )


def test_constant_series_have_an_interval_of_no_width():
    r = intervals.ratio([[4.0] * 5] * 3, [[2.0] * 5] * 3)
    assert (r.lower, r.estimate, r.upper) == pytest.approx((2, 2, 2))


def test_the_same_input_gives_the_same_interval(tmp_path):
    samples.write(tmp_path, bench=samples.two_plans())
    b = model.load_bench(str(tmp_path / "bench.json"))
    first, second = intervals.speedups(b), intervals.speedups(b)
    assert [(s.ratio.lower, s.ratio.upper) for s in first] == [
        (s.ratio.lower, s.ratio.upper) for s in second
    ]


def load_timings(tmp_path, *entries):
    samples.write(tmp_path, bench=samples.bench(*entries))
    return model.load_bench(str(tmp_path / "bench.json"))


def test_speedup_is_base_over_plan(tmp_path):
    samples.write(tmp_path, bench=samples.two_plans())
    a, b = intervals.speedups(model.load_bench(str(tmp_path / "bench.json")))
    assert (a.program, a.plan, a.status) == ("a/N:16", "vm/o2", "faster")
    assert 3.8 < a.ratio.lower < a.ratio.estimate < a.ratio.upper < 4.2
    assert b.status == "same" and b.ratio.lower < 1 < b.ratio.upper
    mean = intervals.geometric_mean([a.ratio, b.ratio])
    assert mean.estimate == pytest.approx(np.sqrt(a.ratio.estimate * b.ratio.estimate))
    assert mean.lower < mean.estimate < mean.upper


@pytest.mark.parametrize(
    "change,status",
    [
        ({"verdict": "mismatch"}, "wrong outputs"),
        ({"kind": "no steady state"}, "no steady state"),
        ({"processes": 1}, "insufficient"),
    ],
)
def test_what_decides_nothing(tmp_path, change, status):
    b = load_timings(
        tmp_path,
        samples.entry("a", "eager", 400.0, **({"processes": 1} if "processes" in change else {})),
        samples.entry("a", "vm", 100.0, **change),
    )
    assert [s.status for s in intervals.speedups(b)] == [status]


def test_break_even():
    def timing(compile_ms, first_us, steady_us):
        parts = [
            model.Interval(x, x, x, 5) for x in (steady_us * 1e3, compile_ms * 1e6, first_us * 1e3)
        ]
        return model.Timing("n", "p", "e", *parts, "ok", [], [])

    base = timing(1, 10, 100)
    assert intervals.break_even(base, timing(2, 10, 90)) == 101  # 1 ms more, 10 us less a call
    assert intervals.break_even(base, timing(2, 10, 110)) is None
    assert intervals.break_even(base, timing(0.5, 10, 90)) == 1
    assert intervals.break_even(base, timing(0.5, 10, 110)) is None
