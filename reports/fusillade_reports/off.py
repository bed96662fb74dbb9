"""Which of several machines is off: far from the others in one of three numbers.

Each machine is compared with the median of the others, in units of how far the nearest three
quarters of the others (at least four) differ. How many units are too many depends on the number
of machines: so many that, of as many normal numbers, in one set of fifty any is off (by
simulation with a fixed seed). Of three machines only a gross difference counts, of two none:
which of two is off nobody knows. A difference must also be large enough to matter.
"""

import functools
import math

import numpy as np

LEVEL = 0.02
SETS = 20000  # of normal numbers
MOST = 24  # machines that are simulated; more have the limit of so many
LEAST_TIMES = 0.10  # of times as they are, in logs
LEAST_NOISE = math.log(2)  # of the logs of A/A
QUIET = 0.005  # A/A below that is no noise that matters


def _units(values):
    """Of each column of `values` (a machine; rows: sets) how far it is from the others."""
    count = values.shape[1]
    nearest = max(min(count - 1, 4), math.ceil(0.75 * (count - 1)))
    out = np.empty_like(values)
    for k in range(count):
        others = np.delete(values, k, axis=1)
        distances = np.abs(others - np.median(others, axis=1)[:, None])
        kept = np.take_along_axis(others, np.argsort(distances, axis=1)[:, :nearest], axis=1)
        scale = np.maximum(kept.std(axis=1, ddof=1), 1e-12)
        out[:, k] = (values[:, k] - np.median(others, axis=1)) / scale
    return out


@functools.cache
def limit(count):
    """The units from which on one of so many machines is off."""
    random = np.random.default_rng(1)
    drawn = _units(random.normal(size=(SETS, min(count, MOST))))
    return float(np.quantile(np.abs(drawn).max(axis=1), 1 - LEVEL))


def far(values, least):
    """Of each value how far it is from the median of the others where it is off, else None. A value
    that is None takes no part."""
    there = [i for i, x in enumerate(values) if x is not None]
    out = [None] * len(values)
    if len(there) < 3:
        return out
    known = np.array([[values[i] for i in there]], float)
    for index, units in zip(there, _units(known)[0]):
        distance = values[index] - float(np.median([values[i] for i in there if i != index]))
        if abs(units) > limit(len(there)) and abs(distance) > least:
            out[index] = distance
    return out


def _percent(log):
    return f"{100 * abs(math.expm1(log)):.2g} %"


def reasons(ratios, noises, times, threshold):
    """Of each machine the list of {what, told}. Of each machine: `ratios`, how far its ratios are
    from those of all, `noises`, A/A, and `times`, how far the times of its old code are from those
    of all; the first and the last in logs, None where they are not known."""
    out = [[] for _ in ratios]
    sides = (
        ("ratio", ratios, math.log1p(threshold), "its ratios are {} {} those of the others"),
        ("times", times, LEAST_TIMES, "its times are {} {} those of the others"),
    )
    for what, values, least, words in sides:
        for machine, distance in zip(out, far(values, least)):
            if distance is not None:
                side = "above" if distance > 0 else "below"
                machine.append({"what": what, "told": words.format(_percent(distance), side)})
    logs = [None if x is None else math.log(max(x, QUIET)) for x in noises]
    for machine, distance, noise in zip(out, far(logs, LEAST_NOISE), noises):
        if distance is not None and distance > 0:
            words = f"its A/A is {_percent(math.log1p(noise))}, {math.exp(distance):.1f} times "
            machine.append({"what": "noise", "told": words + "that of the others"})
    return out
