"""Pairs on several machines whose truth is known: how often `compare --machines` finds a change,
and how often it cries without one.

A set is of TIMINGS timings on some machines, old and new in processes by turns, whose ratios
scatter by 1.5 %. Each machine has an
effect of its own on each timing, some on all of its timings together: these are of no commit. Equal
sets raise an alarm where any timing is called faster or slower; then one timing is made slower by a
known share. A machine that is off has ten times such an effect. An interval covers where it holds
the true mean over machines.
"""

import math
from dataclasses import dataclass

import numpy as np

from . import compare, intervals, off, truth

TIMINGS = 10
PLANTED = (0.02, 0.05, 0.10)
COUNTS = (2, 3, 4, 8)
PROCESSES = 6
SCATTER = 0.015  # of the ratios of processes, in logs
DRAWS = 200
THRESHOLD = 0.01
# of a machine's effect, in logs: on one timing, on all of its timings
NOISES = {
    "alike": (0.0, 0.0),
    "0.5 % each": (0.005, 0.0),
    "3 % each": (0.03, 0.0),
    "1 % each, 2 % common": (0.01, 0.02),
    "two kinds, 3 % apart": (0.0, 0.0),
    "one is off": (0.005, 0.0),
}


@dataclass
class Row:
    noise: str
    count: int
    alarms: float  # sets without a change of which any timing is reported
    found: dict  # by share
    accused: float  # sets with one of 5 % in which another timing is reported
    covered: float  # intervals that hold the truth
    named: float  # sets in which a machine is called off


def _effects(random, noise, count):
    """Of each machine and timing, in logs; their mean over the machines that there might be is
    0."""
    each, common = NOISES[noise]
    out = random.normal(0, each, (count, TIMINGS)) + random.normal(0, common, (count, 1))
    if noise.startswith("two kinds"):
        out += random.choice([-0.015, 0.015], (count, 1))
    if noise == "one is off":
        out[0] += random.choice([-1, 1]) * 0.05
    return out


def _ratio(random, effect):
    """Of one machine: each of its processes gives a ratio."""
    logs = random.normal(effect, SCATTER, PROCESSES)
    draws = random.choice(logs, (DRAWS, PROCESSES)).mean(1)
    error = float(logs.std(ddof=1)) / math.sqrt(PROCESSES)
    return intervals.Ratio(math.exp(logs.mean()), None, None, PROCESSES, draws, error=error)


def _slow_down(ratio, share):
    """The same ratio where the new code takes that much longer."""
    more = 1 + share
    return intervals.Ratio(
        ratio.estimate * more, None, None, ratio.processes, ratio.draws + math.log(more),
        error=ratio.error,
    )  # fmt: skip


def _trial(random, noise, count, options):
    effects = _effects(random, noise, count)
    parts = [[_ratio(random, effects[k, i]) for k in range(count)] for i in range(TIMINGS)]

    def whole(index, share=0.0):
        each = [_slow_down(r, share) for r in parts[index]] if share else parts[index]
        return intervals.over_machines(each, seed=index, draws=DRAWS)

    equal = [whole(index) for index in range(TIMINGS)]
    changed = (compare.FASTER, compare.SLOWER)
    alarm = any(v in changed for v in truth.verdicts(equal, options))
    found, accused = [], False
    for share in PLANTED:
        said = truth.verdicts([whole(0, share)] + equal[1:], options)
        found.append(said[0] == compare.SLOWER)
        accused |= share == 0.05 and any(v in changed for v in said[1:])
    covered = float(np.mean([r.lower <= 1 <= r.upper for r in equal]))
    logs = np.log([[r.estimate for r in timing] for timing in parts])
    deviations = np.median(logs - logs.mean(axis=1)[:, None], axis=0)
    named = any(x is not None for x in off.far(list(deviations), math.log1p(options.threshold)))
    return alarm, found, accused, covered, named


def table(trials=100, seed=1, counts=COUNTS, noises=tuple(NOISES)):
    options = compare.Options(threshold=THRESHOLD)
    for noise in noises:
        for count in counts:
            random = np.random.default_rng(seed)
            outcomes = [_trial(random, noise, count, options) for _ in range(trials)]
            alarms, found, accused, covered, named = zip(*outcomes)
            shares = (float(x) for x in np.mean(found, axis=0))
            yield Row(
                noise,
                count,
                float(np.mean(alarms)),
                dict(zip(PLANTED, shares)),
                float(np.mean(accused)),
                float(np.mean(covered)),
                float(np.mean(named)),
            )


def text(rows, trials):
    head = ["machines", "number", "A/A alarms"]
    head += [f"found: {100 * s:.0f} %" for s in PLANTED]
    head += ["others accused", "covered", "any called off"]
    out = [
        (
            f"{trials} pairs each of {TIMINGS} timings, {PROCESSES} processes a machine, threshold "
            f"{100 * THRESHOLD:.0f} %; covered: 95 % intervals that hold the mean over machines"
        ),
        "",
        "| " + " | ".join(head) + " |",
        "|---|" + "---:|" * (len(head) - 1),
    ]
    for r in rows:
        shares = [f"{100 * x:.0f} %" for x in r.found.values()]
        cells = [r.noise, str(r.count), f"{100 * r.alarms:.1f} %", *shares]
        cells += [f"{100 * x:.1f} %" for x in (r.accused, r.covered, r.named)]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n"
