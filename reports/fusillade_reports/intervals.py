"""How sure is a ratio of two times: a hierarchical bootstrap over processes, then the calls within
each.

The process is the unit: calls of one process share its memory layout and say little of the next
process. So processes are drawn with replacement, then calls within those drawn; a draw of the
effect is the mean, over its processes, of the log of the ratio of medians. Two plans of one program
were measured in the same processes, calls interleaved, and stay paired; the processes of two runs
are independent (then Welch's degrees of freedom). Where the old code runs twice (A/A), how far it
is from itself is part of the noise. A bootstrap of two levels counts the noise of
calls twice, and one over few processes is too narrow: so its draws keep their shape and are spread
about the estimate to the variance of the mean over processes (never below what the calls alone
give), times Student's t over the normal's quantile. One process has no interval.
"""

import math
import statistics
from dataclasses import dataclass

import numpy as np

from . import student

DRAWS = 4000
LEVEL = 0.95
NORMAL = statistics.NormalDist().inv_cdf(0.5 + LEVEL / 2)


@dataclass
class Few:
    """Student's t, and what p is at least whatever its error."""

    error: float
    degrees: float
    least: float = 0.0


@dataclass
class Ratio:
    estimate: float
    lower: float | None  # None: one process, which says nothing of the next
    upper: float | None
    processes: int
    draws: np.ndarray | None = None  # of the log, for means over programs
    p: float | None = None  # two-sided, that the true ratio is 1
    few: "Few | None" = None  # what p is based on where processes are too few to permute
    error: float | None = None  # standard, of the log

    @property
    def status(self):
        """Of a speed-up: what the interval allows to say."""
        if self.lower is None:
            return "insufficient"
        return "faster" if self.lower > 1 else "slower" if self.upper < 1 else "same"


def _log_medians(series, picked, random):
    """Logs of medians of resampled series, one per entry of `picked` (indices of series).

    The order statistics of a resample are those of uniform numbers (Beta), so no resample is
    made."""
    out = np.empty(picked.shape)
    for p, values in enumerate(series):
        at = picked == p
        ordered, count = np.sort(np.asarray(values, float)), len(values)
        low = (count + 1) // 2
        u = random.beta(low, count - low + 1, at.sum())
        middle = ordered[np.minimum((u * count).astype(int), count - 1)]
        if count % 2 == 0:
            v = u + (1 - u) * random.beta(1, count - low, at.sum())
            middle = (middle + ordered[np.minimum((v * count).astype(int), count - 1)]) / 2
        out[at] = np.log(middle)
    return out


def _error(drawn, between, processes):
    """Standard error of the estimate; `between`: the variance of the mean, from processes'
    medians."""
    of_calls = drawn.var() - between * (processes - 1) / processes
    return float(np.sqrt(max(between, of_calls)))


def probability(centre, error, degrees):
    """Two-sided, by Student's t, that a centre so far from 0 comes by chance."""
    if error == 0:
        return 1.0 if centre == 0 else 0.0
    return float(2 * student.below(degrees, -abs(centre) / error))


def welch(variances, counts):
    """Degrees of freedom of a difference of means with these variances of the means."""
    total = sum(variances)
    if total == 0:
        return min(counts) - 1
    return total**2 / sum(v**2 / (n - 1) for v, n in zip(variances, counts))


PERMUTATIONS = 10000
SUSPECT = 0.01


def too_few(parts, paired):
    """Whether there are too few permutations of these processes to decide."""
    ways = 2 ** len(parts[0]) if paired else math.comb(sum(map(len, parts)), len(parts[0]))
    return ways < PERMUTATIONS


def guarded_ps(ratios):
    """The p-values, where there are few processes and other timings: none is taken to scatter less
    than three of four of these do.

    Student's t is too sure of levels that have two values: five processes that all happen to lie at
    one of them seem not to scatter. What the other timings of the same processes show of the noise
    says that they do."""
    few = [r.few.error for r in ratios if r.few]
    least = float(np.quantile(few, 0.25)) if few else 0.0

    def p(r):
        if not r.few:
            return r.p
        error = max(r.few.error, least)
        return max(r.few.least, probability(math.log(r.estimate), error, r.few.degrees))

    return [p(r) for r in ratios]


def permutation_p(parts, paired, random):
    """Two-sided, by permutations of the processes' medians: in pairs which of the two is which,
    else who is of which run.

    0 where none of them differs as much."""
    if paired:
        signs = random.choice([-1.0, 1.0], size=(PERMUTATIONS, len(parts[0])))
        seen, drawn = abs(parts[0].mean()), np.abs((signs * parts[0]).mean(1))
    else:
        count, whole = len(parts[0]), np.concatenate(parts)
        mixed = random.permuted(np.broadcast_to(whole, (PERMUTATIONS, len(whole))), axis=1)
        seen, drawn = (
            abs(parts[0].mean() - parts[1].mean()),
            np.abs(mixed[:, :count].mean(1) - mixed[:, count:].mean(1)),
        )
    return float((drawn >= seen * (1 - 1e-9)).mean())


def ratio(above, below, seed=0, draws=DRAWS, paired=None):
    """Of two lists of series (one series per process), steady samples alone: time above over time
    below.

    paired: series of one place ran together; not known, where there are equally many."""
    random = np.random.default_rng(seed)
    tops = np.array([np.log(np.median(s)) for s in above])
    bottoms = np.array([np.log(np.median(s)) for s in below])
    centre = tops.mean() - bottoms.mean()
    fewest = min(len(above), len(below))
    if fewest < 2:
        return Ratio(float(np.exp(centre)), None, None, fewest)
    paired = len(above) == len(below) if paired is None else paired
    picked = random.integers(len(above), size=(draws, len(above)))
    other = picked if paired else random.integers(len(below), size=(draws, len(below)))
    parts = [tops - bottoms] if paired else [tops, bottoms]
    variances = [x.var(ddof=1) / len(x) for x in parts]
    degrees = welch(variances, [len(x) for x in parts])
    drawn = _log_medians(above, picked, random).mean(1) - _log_medians(below, other, random).mean(1)
    error = _error(drawn, sum(variances), fewest)
    if drawn.var() > 0:
        wider = student.quantile(degrees, 0.5 + LEVEL / 2) / NORMAL
        drawn = centre + (drawn - centre) * error / drawn.std() * wider
    p, few = probability(centre, error, degrees), None
    if too_few(parts, paired):
        few = Few(error, degrees)
    elif p < SUSPECT:
        p = max(p, permutation_p(parts, paired, random))
    return _of_draws(centre, drawn, fewest, p, few, error)


def _contrast(three):
    """How far the first of three is above the mean of the others, its standard error and degrees of
    freedom. Rows: the new code, the old code, the old code again; columns: processes."""
    new, old, again = three
    count = len(new)
    contrasts = new - (old + again) / 2
    # Both contrasts have the variance of one entry. What the old code differs from itself by, in
    # the mean too, is noise: two equal programs may differ by as much.
    squares = ((again - old) ** 2).sum() / 2 + ((contrasts - contrasts.mean()) ** 2).sum() / 1.5
    degrees = 2 * count - 1
    return contrasts.mean(), math.sqrt(1.5 * squares / degrees / count), degrees


def _drawn_labels(three, random):
    """Two-sided, by which of the three of a process is the new one: all ways, or drawn ones.

    0 where in no other way it differs as much."""
    count = three.shape[1]
    every = 3**count <= PERMUTATIONS
    if every:
        picked = np.indices((3,) * count).reshape(count, -1).T
    else:
        picked = random.integers(3, size=(PERMUTATIONS, count))
    contrasts = 1.5 * three[picked, np.arange(count)] - three.sum(0) / 2
    seen = abs((1.5 * three[0] - three.sum(0) / 2).mean())
    further = int((np.abs(contrasts.mean(1)) >= seen * (1 - 1e-9)).sum()) - every
    return further / len(picked)


def ratio_with_again(above, below, again, seed=0, draws=DRAWS):
    """Of the new code over the old, where process i of each list, the old code's twice, ran
    together in an order that was drawn: then any of the three could be the new one, if it is no
    other.

    p is the larger one of two, of times and of their logs: what scatters by its own size is skewed
    in one of them, and a change is one in both."""
    random = np.random.default_rng(seed)
    sides = (above, below, again)
    logs = np.array([[np.log(np.median(s)) for s in side] for side in sides])
    centre, error, degrees = _contrast(logs)
    count = len(above)
    if count < 2:
        return Ratio(float(np.exp(centre)), None, None, count)
    picked = random.integers(count, size=(draws, count))
    drawn = [_log_medians(side, picked, random).mean(1) for side in sides]
    drawn = drawn[0] - (drawn[1] + drawn[2]) / 2
    if drawn.var() > 0:
        error = max(error, _error(drawn, error**2, count))
        wider = student.quantile(degrees, 0.5 + LEVEL / 2) / NORMAL
        drawn = centre + (drawn - centre) * error / drawn.std() * wider
    least = probability(*_contrast(np.exp(logs)))
    if probability(centre, error, degrees) < SUSPECT:
        least = max(least, _drawn_labels(logs, random))
    p = max(least, probability(centre, error, degrees))
    few = Few(error, degrees, least) if 3**count < PERMUTATIONS else None
    return _of_draws(centre, drawn, count, p, few, error)


def _of_draws(centre, drawn, processes, p=None, few=None, error=None):
    lower, upper = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    lower, upper = min(lower, centre), max(upper, centre)
    ends = (float(np.exp(x)) for x in (centre, lower, upper))
    return Ratio(*ends, processes, drawn, p, few, error)


def _draws_of(ratio, random, draws):
    """Draws of the log of one machine's ratio."""
    if ratio.draws is not None and len(ratio.draws) == draws:
        return ratio.draws
    return random.normal(math.log(ratio.estimate), ratio.error or 0.0, draws)


def of_one_machine(ratios):
    """Several runs of one machine as one: their mean, which is at least as uncertain as they are
    apart."""
    if len(ratios) == 1:
        return ratios[0]
    logs = np.log([r.estimate for r in ratios])
    within = sum((r.error or 0.0) ** 2 for r in ratios) / len(ratios) ** 2
    error = math.sqrt(max(within, logs.var(ddof=1) / len(ratios)))
    random = np.random.default_rng(len(ratios))
    draws = np.mean([_draws_of(r, random, DRAWS) for r in ratios], axis=0)
    half = NORMAL * error
    ends = (math.exp(logs.mean() + x) for x in (0.0, -half, half))
    return Ratio(*ends, sum(r.processes for r in ratios), draws, error=error)


def over_machines(ratios, seed=0, draws=DRAWS):
    """Of one ratio from each machine what holds of machines: the mean of their logs.

    The machine is the unit, whatever happens within it: Student's t over machines is no surer than
    it says where they scatter by different amounts (Ibragimov and Mueller). The bootstrap draws
    machines, then of each drawn one its processes and calls; few machines have few draws that are
    apart, so the interval is never narrower than that of t. The error is never less than what the
    processes alone give."""
    random = np.random.default_rng(seed)
    logs, count = np.log([r.estimate for r in ratios]), len(ratios)
    centre, degrees = float(logs.mean()), count - 1
    processes = min(r.processes for r in ratios)
    within = sum((r.error or 0.0) ** 2 for r in ratios) / count**2
    error = math.sqrt(max(within, logs.var(ddof=1) / count))
    each = np.stack([_draws_of(r, random, draws) for r in ratios])
    picked = random.integers(count, size=(draws, count))
    drawn = each[picked, random.integers(draws, size=(draws, count))].mean(1)
    wide = student.quantile(degrees, 0.5 + LEVEL / 2)
    if drawn.std() > 0:
        drawn = centre + (drawn - centre) * error / drawn.std() * wide / NORMAL
    p, few = probability(centre, error, degrees), None
    if too_few([logs], True):
        few = Few(error, degrees)
    elif p < SUSPECT:
        p = max(p, permutation_p([logs], True, random))
    out = _of_draws(centre, drawn, processes, p, few, error)
    out.lower = min(out.lower, math.exp(centre - wide * error))
    out.upper = max(out.upper, math.exp(centre + wide * error))
    return out


def geometric_mean(ratios):
    """Over programs, each measured in processes of its own, so that draws are independent."""
    centre = float(np.mean([np.log(r.estimate) for r in ratios]))
    fewest = min(r.processes for r in ratios)
    if any(r.draws is None for r in ratios):
        return Ratio(float(np.exp(centre)), None, None, fewest)
    return _of_draws(centre, np.mean([r.draws for r in ratios], axis=0), fewest)


@dataclass
class Speedup:
    program: str
    plan: str
    ratio: Ratio
    # faster, slower, same; no steady state, insufficient, wrong outputs: then the ratio decides
    # nothing
    status: str
    break_even: float | None  # calls after which compiling has paid; None: never


def break_even(base, timing):
    """Calls from which on compiling, the first call and the rest cost less than under the base;
    inf: never."""
    before = (timing.compile.estimate + timing.first_call.estimate) - (
        base.compile.estimate + base.first_call.estimate
    )
    gain = base.steady.estimate - timing.steady.estimate
    if before <= 0:
        return 1.0 if gain >= 0 else None
    return float(np.ceil(before / gain)) + 1 if gain > 0 else None


def speedups(bench):
    """Of each program under each plan beyond the first, against that program under the first plan
    of the file."""
    out = []
    for number, timing in enumerate(bench.timings):
        base = bench.of(timing.program, bench.base_of(timing.plan))
        if base is None or base is timing:
            continue
        found = ratio(base.steady_samples, timing.steady_samples, seed=number)
        status = found.status
        if not (base.trusted and timing.trusted):
            status = "wrong outputs"
        elif not (base.steady_state and timing.steady_state):
            status = "no steady state"
        out.append(Speedup(timing.program, timing.plan, found, status, break_even(base, timing)))
    return out


def noise(bench):
    """Relative standard deviations, medians over benchmarks: of calls within a process, of medians
    between processes."""
    within, between = [], []
    for timing in bench.timings:
        logs = [np.log(np.asarray(s, float)) for s in timing.steady_samples]
        within += [x.std(ddof=1) for x in logs if len(x) > 1]
        if len(logs) > 1:
            between.append(np.std([np.median(x) for x in logs], ddof=1))
    return (
        float(np.median(within)) if within else None,
        float(np.median(between)) if between else None,
    )
