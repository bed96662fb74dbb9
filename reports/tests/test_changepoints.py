"""Changes that were planted are found where they are, what is none is not reported, and no commit
is blamed for what a machine did.

Rates are those of small runs with a fixed seed of what `fusillade truth` prints
(docs/reference/benchmarks.md has more of them).
"""

import numpy as np
import pytest
from fusillade_reports import changepoints, history, history_truth, model, since_when

NOISES = history_truth.NOISES


def noise(seed, count=40, spread=0.01):
    return np.random.default_rng(seed).normal(0, spread, count)


def series(
    logs, metric="steady", codes=None, environments=None, commits=None, name="p", floor=0.01
):
    points = []
    for i, x in enumerate(logs):
        commit = history.Commit(f"{commits[i] if commits else i:040x}", 3600 * i, i, f"subject {i}")
        run = history.Run(
            i,
            commit,
            f"day {i}",
            environments[i] if environments else "m",
            "cpu",
            2,
            "Zen",
            "Clang",
        )
        points.append(
            history.Point(
                run, 1000 * float(np.exp(x)), None, None, floor, codes[i] if codes else None
            )
        )
    return history.Series(name, "vm/o2", False, metric, points)


def changes_of(*given):
    return since_when.judge(list(given)).changes


def step(share, at, count=40):
    return np.log1p(share) * (np.arange(count) >= at)


def test_a_step_is_found_where_it_is():
    (change,) = changes_of(series(noise(1) + step(0.05, 25)))
    assert (change.kind, change.at, change.commit.subject) == ("slower", 25, "subject 25")
    assert (
        change.ratio == pytest.approx(1.05, rel=0.01)
        and change.before == pytest.approx(1000, rel=0.01)
        and change.p < 1e-4
    )
    (change,) = changes_of(series(noise(2) - step(0.05, 25)))
    assert (change.kind, change.at) == ("faster", 25)


def test_several_steps_are_found():
    changes = changes_of(series(noise(2, 60) + step(0.06, 20, 60) - step(0.06, 40, 60)))
    assert sorted((c.at, c.kind) for c in changes) == [(20, "slower"), (40, "faster")]
    changes = changes_of(series(noise(3, 60) + step(0.06, 20, 60) + step(0.10, 45, 60)))
    assert sorted((c.at, c.kind) for c in changes) == [(20, "slower"), (45, "slower")]


def test_equal_series_give_equal_answers():
    values = 100 * np.exp(noise(4) + step(0.03, 20))
    assert changepoints.find(values) == changepoints.find(list(values))


@pytest.mark.parametrize("name", list(NOISES)[:4])
def test_what_does_not_change_raises_no_alarm(name):
    """120 series, nominal 0.5 %: four come once in three hundred such tests, and the seed is
    fixed."""
    random = np.random.default_rng(11)
    assert sum(bool(changes_of(series(NOISES[name](random, 40)))) for _ in range(120)) <= 3
    assert history_truth.pages(NOISES[name], 10) == 0


def test_what_follows_the_run_before_raises_few():
    random = np.random.default_rng(12)
    draw = NOISES["2 %, half of it from the run before"]
    assert sum(bool(changes_of(series(draw(random, 40)))) for _ in range(100)) <= 8


def test_timings_of_the_same_runs_show_together_how_values_follow_each_other():
    random = np.random.default_rng(13)
    follows, alone = (
        NOISES[name] for name in ("2 %, half of it from the run before", "runs scatter by 1 %")
    )
    for _ in range(5):
        assert 0.4 < changepoints.shared_following([follows(random, 40) for _ in range(20)]) < 0.75
    assert changepoints.shared_following([alone(random, 40) for _ in range(20)]) == 0
    assert (
        changepoints.shared_following([alone(random, 40) + step(0.05, 20) for _ in range(20)]) < 0.4
    )
    # each shows it by itself
    assert changepoints.shared_following([follows(random, 40) for _ in range(3)]) == 0
    assert (
        changepoints.shared_following([])
        == changepoints.shared_following([np.zeros(40), np.zeros(3)])
        == 0
    )
    assert sum(history_truth.pages(follows, 1, seed=seed) for seed in range(12)) <= 1


def test_what_follows_is_taken_off_and_levels_stay():
    values = np.concatenate([np.zeros(10), np.ones(10)])
    innovations = changepoints._innovations(values, 10, 0.5)
    assert (
        innovations[:10] == pytest.approx(0)
        and innovations[11:] == pytest.approx(1)
        and innovations[10] == 2
    )


def test_how_much_is_found():
    found = {name: history_truth.detection(draw, 25) for name, draw in NOISES.items()}
    for name, least in (
        ("runs scatter by 1 %", (0.7, 0.95, 1.0)),
        ("runs scatter by 3 %", (0, 0.5, 0.9)),
        ("1 %, one in ten slower by 30 %", (0, 0.4, 0.7)),
    ):
        assert all(share >= bound for share, bound in zip(found[name][1], least)), found[name]
    assert found["runs scatter by 1 %"][3] < 2
    late = history_truth.delay(NOISES["runs scatter by 1 %"], 25)
    assert late[0] < late[2] and late[2] >= 0.9


def test_outliers_and_few_runs_are_no_change():
    logs = noise(5)
    logs[[7, 39]] += 0.5
    assert changes_of(series(logs)) == []
    assert (
        changes_of(series([0.0, 0.0, 0.0, 1.0, 1.0])) == []
        and changes_of(series([0.0])) == []
        and changes_of(series([0.0] * 30)) == []
    )


def test_a_drift_blames_no_commit():
    (change,) = changes_of(series(noise(6) + 0.10 * np.arange(40) / 40))
    assert (
        change.kind == "drift"
        and change.ratio == pytest.approx(1.08, abs=0.03)
        and "at no one commit" in change.why
    )


def test_below_a_per_cent_nothing_is_reported():
    assert changes_of(series(noise(7, 80, 0.001) + step(0.008, 40, 80))) == []
    assert len(changes_of(series(noise(7, 80, 0.001) + step(0.012, 40, 80)))) == 1


def test_below_the_floor_nothing_is_reported():
    assert changes_of(series(noise(7) + step(0.05, 20), floor=0.06)) == []
    assert len(changes_of(series(noise(7) + step(0.07, 20), floor=0.06))) == 1
    assert len(changes_of(series(np.log([1.0, 1.02]), metric="instructions", floor=0.06))) == 1


def test_the_same_code_is_no_commits_change():
    """Steps between runs of the same code are the machine's: of one commit, or of several that
    changed nothing that ran."""
    (change,) = changes_of(series(noise(8) + step(0.05, 20), codes=["f00d"] * 40))
    assert (change.kind, change.why) == ("machine", "the code is the same on both sides")
    (change,) = changes_of(series(noise(8) + step(0.05, 20), commits=[0] * 40))
    assert change.kind == "machine"
    codes = ["a"] * 20 + ["b"] * 20
    (change,) = changes_of(series(noise(8) + step(0.05, 20), codes=codes))
    assert (change.kind, change.at) == ("slower", 20)


def test_where_several_commits_may_be_it_all_are_named():
    logs = noise(9, 40, 0.03) + step(0.08, 20)
    (change,) = changes_of(series(logs))
    assert len(change.commits) > 1 and f"{20:040x}" in [c.hash for c in change.commits]
    assert f"one of {len(change.commits)} commits" in since_when.cells(change)[-1]
    last = change.commits[-1]
    (change,) = changes_of(
        series(logs, codes=["a" if i < int(last.hash, 16) else "b" for i in range(40)])
    )
    assert change.commits == [last]  # the one commit among them that changed what runs


@pytest.mark.parametrize("places", [range(20, 40), range(1, 40, 2)])
def test_another_machine_is_no_regression(places):
    """Whether it stays or runs by turns with the first; a commit's change is found all
    the same."""
    environments = ["new" if i in places else "old" for i in range(40)]
    innovations = np.array([0.3 if e == "new" else 0.0 for e in environments])
    j = since_when.judge([series(noise(10) + innovations, environments=environments)])
    assert j.changes == [] and [(run.commit.subject, what) for run, what in j.environments] == [
        (f"subject {places[0]}", "machine old to new")
    ]
    changes = changes_of(
        series(noise(10) + innovations + step(0.06, 30), environments=environments)
    )
    assert [c.kind for c in changes] == ["slower"] * (1 if places[0] == 20 else 2) and all(
        28 <= c.at <= 32 for c in changes
    )
    assert changes[0].why.endswith(f"seen on {environments[changes[0].at]} alone")


def test_counts_are_taken_as_they_are():
    counts = series(np.log([1.0] * 5 + [1.02] * 3), metric="instructions")
    (change,) = changes_of(counts)
    assert (change.kind, change.at, change.p) == (
        "slower",
        5,
        None,
    ) and "counted" in since_when.cells(change)
    creeping = series(np.log([1.0, 1.002, 1.004, 1.006, 1.008]), metric="compile instructions")
    assert [c.at for c in changes_of(creeping)] == [3]
    assert changes_of(series(np.log([1.0, 1.002, 1.004, 1.0]), metric="instructions")) == []
    identical = series(np.log([1.0, 1.02]), metric="instructions", codes=["a", "a"])
    assert changes_of(identical)[0].kind == "machine"


def test_all_timings_are_one_family():
    """A change that one timing alone would show is chance among a hundred."""
    logs = noise(34, 40, 0.03) + step(0.035, 20)
    alone = changes_of(series(logs))
    assert len(alone) == 1 and alone[0].p > 1e-4
    others = [series(noise(100 + i, 8, 0.03), name=f"q{i}") for i in range(99)]
    assert changes_of(series(logs), *others) == []
    assert since_when.adjust([0.01, 0.001, 0.03], 10) == pytest.approx([0.05, 0.01, 0.1])
    assert since_when.adjust([], 3) == []


def test_noise_of_a_history_is_used():
    draw = history_truth.measured_noise(
        [series(noise(1, 30) + 5), series(noise(2, 30), metric="compile"), series(noise(3, 5))]
    )
    drawn = draw(np.random.default_rng(1), 40)
    assert len(drawn) == 40 and 0.007 < drawn.std() < 0.013 and abs(drawn.mean()) < 1e-12
    assert history_truth.measured_noise([series(noise(3, 5))]) is None


def test_the_words():
    j = since_when.judge(
        [series(noise(1) + step(0.05, 25), name="a|b"), series(noise(30), name="q")]
    )
    said = [line.text for line in since_when.lines(j)]
    assert said[0].startswith("History: 1 change for the worse: a|b, vm/o2, steady +")
    assert (
        said[1]
        == "History: 40 runs of 40 commits, 2 timings: slower 1; 2 tests of times, one family "
        "at 0.01."
    )
    with pytest.raises(model.Broken, match="no regular expression"):
        since_when.Chosen(plan="[").of(j.series)
    assert [s.program for s in since_when.Chosen(program="^q$", metric="steady").of(j.series)] == [
        "q"
    ]
