"""Kaplan and Meier's estimate against published figures, at its ends, and against the truth."""

import numpy as np
import pytest
from fusillade_reports import survival

# Remission of leukaemia under 6-MP, weeks (Freireich and others, 1963); the bounds are those of R's
# survfit, conf.type = "log-log".
WEEKS = [6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35]
CAME = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]


def test_published_figures():
    c = survival.kaplan_meier(WEEKS, CAME)
    assert list(c.times) == [6, 7, 10, 13, 16, 22, 23] and (c.count, c.events) == (21, 9)
    assert np.allclose(c.left, [0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448], atol=5e-4)
    assert np.allclose(c.lower[:2], [0.620, 0.563], atol=5e-4) and np.allclose(
        c.upper[:2], [0.952, 0.923], atol=5e-4
    )
    assert c.median == (23.0, 13.0, None)


def test_without_censoring_it_is_the_share():
    c = survival.kaplan_meier([1, 2, 2, 4], [1, 1, 1, 1])
    assert list(c.left) == [0.75, 0.25, 0.0] and c.median[0] == 2.0 and c.end[0] == 0.0
    # nothing is left, of which there is no variance
    assert c.upper[-1] == c.upper[-2] and c.lower[-1] == 0.0


def test_ends():
    nothing = survival.kaplan_meier([60.0] * 3, [0, 0, 0])
    assert (
        len(nothing.times) == 0
        and nothing.median == (None, None, None)
        and nothing.end == (1.0, 1.0, 1.0)
    )
    one = survival.kaplan_meier([2.0], [1])
    assert one.median[0] == 2.0 and one.end == (0.0, 0.0, 1.0)
    half = survival.kaplan_meier([2.0, 60.0], [1, 0])
    assert half.median[0] == 2.0 and half.end[0] == 0.5


def test_who_was_given_up_early_was_at_risk_until_then():
    """The naive share counts those given up as never found: 2 of 4 at 3; here the one given up at 1
    says nothing of 3."""
    c = survival.kaplan_meier([1, 2, 3, 4], [0, 1, 1, 0])
    assert list(c.left) == pytest.approx([2 / 3, 1 / 3])


def test_the_interval_holds_the_truth():
    """Exponential times, two thirds of them seen: the bounds at the true median hold a half, the
    median's interval the median."""
    random = np.random.default_rng(1)
    covered, covered_median, trials = 0, 0, 600
    for _ in range(trials):
        times, given_up = random.exponential(10, 60), random.exponential(20, 60)
        c = survival.kaplan_meier(np.minimum(times, given_up), times <= given_up)
        at = np.searchsorted(c.times, 10 * np.log(2), side="right") - 1
        covered += c.lower[at] <= 0.5 <= c.upper[at]
        _, low, high = c.median
        covered_median += low <= 10 * np.log(2) <= (np.inf if high is None else high)
    assert 0.93 < covered / trials < 0.98 and 0.93 < covered_median / trials < 0.985
