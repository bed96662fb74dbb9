"""Regressions that were planted, under noise: how many compare finds, and how often it cries
without one.

A trial is a comparison of TIMINGS timings, old and new drawn from the same noise, then one timing
of the new made slower by a known share. All of it is judged as compare judges (Holm's p-values, the
threshold, no floor). Noise is simulated (processes differ, calls scatter, one call in twenty is
disturbed; or processes have two levels), or that of a bench.json: processes of one timing, drawn
anew with their calls.
"""

import math

import numpy as np

from . import compare, intervals

TIMINGS = 10
PLANTED = (0.02, 0.05, 0.10)
THRESHOLD = 0.01
DRAWS = 200


def _synthetic(between, within, modes=(1.0,)):
    def draw(random, processes):
        out = []
        for _ in range(processes):
            level = math.log(random.choice(modes)) + random.normal(0, between)
            disturbed = (random.random(30) < 0.05) * random.exponential(0.5, 30)
            out.append(100 * np.exp(level + random.normal(0, within, 30) + disturbed))
        return out

    return draw


def _resample(timings):
    """Processes of one timing, another for each call, with replacement."""
    pools = [[np.asarray(s, float) for s in t.steady_samples] for t in timings]

    def draw(random, processes, index):
        pool = pools[index % len(pools)]
        return [pool[i] for i in random.integers(len(pool), size=processes)]

    return draw


def noises(bench=None):
    """(name, draw(random, processes, index)) of each kind of noise."""
    kinds = [
        ("processes 1 %, calls 2 %", _synthetic(0.01, 0.02)),
        ("processes 3 %, calls 5 %", _synthetic(0.03, 0.05)),
        ("bimodal, 10 % apart", _synthetic(0.005, 0.02, (1.0, 1.1))),
    ]
    out = [
        (name, lambda random, processes, index, draw=draw: draw(random, processes))
        for name, draw in kinds
    ]
    if bench:
        kept = [t for t in bench.timings if len(t.samples) >= 5 and t.steady_state]
        if kept:
            out.append((f"measured, {len(kept)} timings", _resample(kept)))
    return out


def verdicts(ratios, options):
    rows = [
        {
            "ratio": r.estimate,
            "lower": r.lower,
            "upper": r.upper,
            "floor": 0.0,
            "threshold": options.threshold,
            "threshold_of": "given",
        }
        for r in ratios
    ]
    for row, p in zip(rows, compare.holm(intervals.guarded_ps(ratios))):
        row["p_adjusted"] = p
    return [compare._judge(row, options)[0] for row in rows]


def trial(random, draw, processes, options):
    """(whether equals raised an alarm, of each planted share whether it was found, whether others
    were accused)."""
    seed = int(random.integers(2**31))
    old, new = ([draw(random, processes, index) for index in range(TIMINGS)] for _ in range(2))

    def ratio(index, share=0.0):
        slowed = [(1 + share) * s for s in new[index]]
        return intervals.ratio(slowed, old[index], seed=seed + index, draws=DRAWS, paired=False)

    equal = [ratio(index) for index in range(TIMINGS)]
    changed = (compare.FASTER, compare.SLOWER)
    alarm = any(v in changed for v in verdicts(equal, options))
    found, accused = [], []
    for share in PLANTED:
        said = verdicts([ratio(0, share)] + equal[1:], options)
        found.append(said[0] == compare.SLOWER)
        accused.append(any(v in changed for v in said[1:]))
    return alarm, found, accused


def table(bench=None, trials=100, seed=1, processes=(5, 10, 20)):
    """A row for each noise and number of processes: (noise, processes, alarms, found by share,
    others accused), as shares."""
    options = compare.Options(threshold=THRESHOLD)
    out = []
    for name, draw in noises(bench):
        for count in processes:
            random = np.random.default_rng(seed)
            outcomes = [trial(random, draw, count, options) for _ in range(trials)]
            out.append(
                (
                    name,
                    count,
                    float(np.mean([t[0] for t in outcomes])),
                    [float(x) for x in np.mean([t[1] for t in outcomes], axis=0)],
                    float(np.mean([t[2] for t in outcomes])),
                )
            )
    return out


def text(rows, trials):
    head = [
        "noise",
        "processes",
        "A/A alarms",
        *(f"found: {100 * s:.0f} %" for s in PLANTED),
        "others accused",
    ]
    out = [
        (
            f"{trials} comparisons each of {TIMINGS} timings, threshold {100 * THRESHOLD:.0f} %; "
            f"an alarm: any of the {TIMINGS} is called faster or slower"
        ),
        "",
        "| " + " | ".join(head) + " |",
        "|---|" + "---:|" * (len(head) - 1),
    ]
    for name, count, alarms, found, accused in rows:
        out.append(
            "| "
            + " | ".join(
                [
                    name,
                    str(count),
                    f"{100 * alarms:.1f} %",
                    *(f"{100 * f:.0f} %" for f in found),
                    f"{100 * accused:.1f} %",
                ]
            )
            + " |"
        )
    return "\n".join(out) + "\n"
