"""Where a series of values changes its level: E-divisive, with significance tests by permutation.

    values   100 101  99 100 | 105 104 106 105        one value a run, in the order of commits
    found                    ^ position 4: five per cent, p, and the positions it may be at

A segment is split where the energy distance between the parts before and behind is greatest (the
part behind may end before the segment does), and its parts are split again, as long as permutations
of the segment reach that distance seldom: a loose level, since one change hides another. Then each
split is asked again by a strict level, in the stretch between its neighbours; the weakest that
fails goes, and its neighbours are asked again. What is left must also hold in the whole series,
for stretches were chosen by their looks. Random numbers have a fixed seed: equal series, equal
answers.

A strict p is the share of permutations in which levels differ as much at any position (so that the
choice of the position is counted), and where there is none, Student's t times the positions; of
several changes, times their number. Permutations take values as exchangeable while nothing changes.
Those that follow the value before them are not: what follows is taken off, where other series of
the same runs show how much that is; where a series alone shows it, its values count for fewer, by
their correlation, and Student's t must say so, too. Nor is what drifts: a rise that a line fits
better than steps is reported as a drift, of no one commit. Values far out count no more than those
at 1.5 interquartile ranges.
"""

from dataclasses import dataclass

import numpy as np

from . import intervals

LOOSE, STRICT = 0.05, 0.005
LEAST = 3  # values on either side
FEW, MANY = 199, 9999  # permutations
ENOUGH = 20  # permutations that differ as much: the share is known well enough
MOST_NUMBERS = 4_000_000  # in memory at once
WINDOW = 50  # values on either side of a split that the strict test looks at
# over the root of their number: correlation from which on values are not taken as independent
CORRELATED = 0.8
SHARED, BIAS = (
    1.75,
    1.6,
    # of the correlation by differences: standard error, over the root of the number of values; see
    # there
)
TOGETHER = 4  # so many series show it
MOST_CORRELATED = 0.9
LOCATED = 7.35  # of the likelihood ratio of positions: 95 % (Hansen, Econometrica 68, 2000)


@dataclass
class Change:
    at: int  # the first value of the new level
    ratio: float  # new level over old
    p: float
    first: int  # of the positions that it may be at, with 95 %
    last: int
    before: float  # levels
    after: float
    drift: bool = False  # no step: from `first` to `last`


def _distances(orders):
    """Greatest energy distance of each row's split, and the split: (best, position)."""
    count = orders.shape[1]
    sums = np.zeros((len(orders), count + 1, count + 1))
    np.abs(orders[:, :, None] - orders[:, None, :], out=sums[:, 1:, 1:])
    np.cumsum(sums, axis=1, out=sums)
    np.cumsum(sums, axis=2, out=sums)
    split, end = np.meshgrid(
        np.arange(LEAST, count - LEAST + 1), np.arange(2 * LEAST, count + 1), indexing="ij"
    )
    kept = end - split >= LEAST
    split, end = split[kept], end[kept]
    left, right = split.astype(float), (end - split).astype(float)
    within_left, whole, across = sums[:, split, split], sums[:, end, end], sums[:, split, end]
    between = across - within_left
    within_right = whole - 2 * across + within_left
    energy = (
        left
        * right
        / (left + right)
        * (
            2 * between / (left * right)
            - within_left / (left * (left - 1))
            - within_right / (right * (right - 1))
        )
    )
    best = energy.argmax(axis=1)
    return energy[np.arange(len(orders)), best], split[best]


def _intervals(count):
    """Stretches of all lengths, each half of the last one's shift: (start, end), the whole one
    first."""
    out, length = [], float(count)
    while length >= 2 * LEAST:
        whole = int(np.ceil(length))
        steps = max(1, int(np.ceil(2 * (count - whole) / whole)) + 1)
        out += [(int(s), int(s) + whole) for s in np.linspace(0, count - whole, steps)]
        length /= np.sqrt(2)
    return list(dict.fromkeys(out))


def _splits(count, anywhere):
    """(start, split, end) of all levels that are compared: in the whole, or in all stretches of
    it."""
    stretches = _intervals(count) if anywhere else [(0, count)]
    return np.array([(s, at, e) for s, e in stretches for at in range(s + LEAST, e - LEAST + 1)]).T


def _level_difference(splits):
    """A statistic: by how much levels before and behind a position differ at most, over what chance
    would make of it."""
    start, split, end = splits
    left, right = split - start, end - split
    scale = np.sqrt(left * right / (left + right))

    def statistic(orders):
        out = np.empty(len(orders))
        step = max(1, MOST_NUMBERS // len(split))
        for i in range(0, len(orders), step):
            sums = np.pad(np.cumsum(orders[i : i + step], axis=1), ((0, 0), (1, 0)))
            middle = sums[:, split]
            out[i : i + step] = np.abs(
                ((sums[:, end] - middle) / right - (middle - sums[:, start]) / left) * scale
            ).max(axis=1)
        return out

    return statistic


def _share(values, statistic, permutations, random, enough):
    """The share of permutations whose statistic is as great as that of the values, themselves
    counted; about, from `enough` on."""
    seen = statistic(values[None])[0]
    done, reached, step = 0, 0, 19
    while done < permutations and reached < enough:
        some = min(step, permutations - done)
        orders = random.permuted(np.broadcast_to(values, (some, len(values))), axis=1)
        reached += int((statistic(orders) >= seen * (1 - 1e-9)).sum())
        done += some
        step *= 4
    return (reached + 1) / (done + 1)


def _bisect(values, start, end, random, out):
    if end - start < 2 * LEAST or np.ptp(values[start:end]) == 0:
        return
    clipped = _clip(values[start:end])
    if (
        _share(clipped, lambda orders: _distances(orders)[0], FEW, random, int(LOOSE * (FEW + 1)))
        > LOOSE
    ):
        return
    (at,) = _distances(clipped[None])[1]
    out.append(start + int(at))
    _bisect(values, start, start + int(at), random, out)
    _bisect(values, start + int(at), end, random, out)


def _correlation(rest):
    """Of values with those before them, after what was fitted: two means or a line make it too
    small by about that (Kendall)."""
    squares, count = rest @ rest, len(rest)
    return (rest[1:] @ rest[:-1] / squares + 2 / count) / (1 - 6 / count) if squares else 0.0


def _weight(values, edges):
    """What a difference of levels counts for: less than 1 where values follow those before them,
    after levels and a line are taken away."""
    count = len(values)
    if count < 4 * LEAST:
        return 1.0
    steps = np.concatenate([values[a:b] - values[a:b].mean() for a, b in zip(edges, edges[1:])])
    found = min(_correlation(steps), _correlation(_residuals_of_line(values)), MOST_CORRELATED)
    return float(np.sqrt((1 - found) / (1 + found))) if found > CORRELATED / np.sqrt(count) else 1.0


def _following(logs):
    """How much each value is of the one before it, from their differences, whose correlation is
    half of that, less a half: a step disturbs one of them, which is tamed. Simulated, it is too
    large by BIAS over the number."""
    steps = _clip(np.diff(logs))
    steps = steps - steps.mean()
    return (
        1 + 2 * (steps[1:] @ steps[:-1]) / (steps @ steps) - BIAS / len(logs)
        if steps @ steps
        else None
    )


def shared_following(series):
    """The same of series that were measured in the same runs, together (the median, for some may
    have steps); 0 where they are few, or where it may be chance, else a standard error more."""
    found = [
        (f, len(logs))
        for logs in series
        if len(logs) >= 4 * LEAST and (f := _following(np.asarray(logs))) is not None
    ]
    if len(found) < TOGETHER:
        return 0.0
    values, counts = zip(*found)
    shared, error = float(np.median(values)), SHARED / np.sqrt(sum(counts))
    return min(shared + error, MOST_CORRELATED) if shared > 3 * error else 0.0


def _innovations(values, first, following):
    """What of each value does not follow from the one before it, on the scale of the values: a
    level stays where it is."""
    if following == 0:
        return values
    level = values[:first].mean()
    start = level + (values[0] - level) * np.sqrt((1 + following) / (1 - following))
    return np.concatenate([[start], (values[1:] - following * values[:-1]) / (1 - following)])


def _student(left, right, weight):
    """Welch's p that two parts have one mean."""
    variances = [x.var(ddof=1) / len(x) for x in (left, right)]
    degrees = intervals.welch(variances, (len(left), len(right)))
    return intervals.probability(
        weight * (right.mean() - left.mean()), float(np.sqrt(sum(variances))), degrees
    )


def _test(values, edges, at, anywhere, random, shared):
    """The strict p of a change at `at`, which lies between two of the edges, among all positions of
    the values."""
    clipped = _clip(_innovations(values, edges[1], shared))
    weight = _weight(clipped, edges)
    splits = _splits(len(values), anywhere)
    share = _share(clipped, _level_difference(splits), MANY, random, ENOUGH)
    alone = weight == 1
    if alone and share > 1.5 / (MANY + 1):
        return share
    middle = edges.index(at)
    student = min(
        1.0,
        _student(clipped[edges[middle - 1] : at], clipped[at : edges[middle + 1]], weight)
        * splits.shape[1],
    )
    if share > 1.5 / (MANY + 1):
        return max(share, student)
    return min(share, student) if alone else student


def _strict(values, positions, random, strict, shared):
    """(position, p) of those that remain, each asked between its neighbours and then in the
    whole."""
    known = {}

    def ask(start, at, end):
        if (start, at, end) not in known:
            start, end = max(start, at - WINDOW), min(end, at + WINDOW)
            known[start, at, end] = _test(
                values[start:end], [0, at - start, end - start], at - start, False, random, shared
            )
        return known[start, at, end]

    positions = sorted(positions)
    while positions:
        edges = [0, *positions, len(values)]
        ps = [min(1.0, len(positions) * ask(*edges[i : i + 3])) for i in range(len(positions))]
        worst = int(np.argmax(ps))
        if ps[worst] <= strict:
            if len(positions) == 1 and len(values) <= WINDOW:
                return [(positions[0], ps[0])]
            whole = _test(values, edges, positions[int(np.argmin(ps))], True, random, shared)
            return [(at, max(p, whole)) for at, p in zip(positions, ps)] if whole <= strict else []
        del positions[worst]
    return []


def level(values):
    """The mean of the middle half: neither one outlier nor the mode that happens to be commoner
    decides it."""
    cut = len(values) // 4
    return float(np.sort(values)[cut : len(values) - cut].mean())


def _residuals_of_line(values):
    x = np.arange(len(values)) - (len(values) - 1) / 2
    return values - values.mean() - x * (x @ values) / (x @ x)


def _squares(values):
    return float(((values - values.mean()) ** 2).sum()) if len(values) else 0.0


def _clip(values):
    """Without what lies far out: values beyond 1.5 interquartile ranges are moved there."""
    low, high = np.quantile(values, [0.25, 0.75])
    return np.clip(values, low - 1.5 * (high - low), high + 1.5 * (high - low))


def _locate(values, start, at, end):
    """The step moved to where squares are least, and the first and last position not distinguished
    from it: 95 %."""
    stretch = np.concatenate([_clip(values[start:at]), _clip(values[at:end])])
    positions = np.arange(LEAST, end - start - LEAST + 1)
    squares = np.array([_squares(stretch[:i]) + _squares(stretch[i:]) for i in positions])
    best = squares.min()
    if best == 0:
        return at, at, at
    kept = positions[(end - start) * (squares - best) / best <= LOCATED]
    return start + int(positions[squares.argmin()]), start + int(kept[0]), start + int(kept[-1])


def _is_drift(values, start, positions, end):
    """Whether a line fits the stretch better than these steps, by Schwarz's criterion."""
    stretch = np.concatenate(
        [_clip(values[a:b]) for a, b in zip([start, *positions], [*positions, end])]
    )
    line = _squares(_residuals_of_line(stretch))
    steps = sum(
        _squares(stretch[a - start : b - start])
        for a, b in zip([start, *positions], [*positions, end])
    )
    if steps == 0:
        return False
    count = len(stretch)
    return bool(
        count * np.log(max(line, 1e-300) / count) + 2 * np.log(count)
        < count * np.log(steps / count) + (2 * len(positions) + 1) * np.log(count)
    )


def _runs(values, edges):
    """Changes that follow each other in one direction, as lists of indices into edges."""
    levels = [level(values[a:b]) for a, b in zip(edges, edges[1:])]
    out = []
    for i in range(1, len(levels)):
        same = out and (levels[i] > levels[i - 1]) == (levels[i - 1] > levels[i - 2])
        if same:
            out[-1].append(i)
        else:
            out.append([i])
    return out


def find(values, strict=STRICT, shared=0.0):
    """The changes of a series of positive values, first ones first; shared: what other series
    say of how values follow each other."""
    logs = np.log(np.asarray(values, float))
    random = np.random.default_rng(20261126)
    candidates = []
    _bisect(logs, 0, len(logs), random, candidates)
    kept = _strict(logs, candidates, random, strict, shared)
    edges = [0, *(at for at, _ in kept), len(logs)]
    out = []
    for run in _runs(logs, edges):
        start, end = edges[run[0] - 1], edges[run[-1] + 1]
        before, after = level(logs[start : edges[run[0]]]), level(logs[edges[run[-1]] : end])
        if _is_drift(logs, start, [edges[i] for i in run], end):
            p = min(kept[i - 1][1] for i in run)
            out.append(
                Change(
                    edges[run[0]],
                    float(np.exp(after - before)),
                    p,
                    start + 1,
                    end - 1,
                    float(np.exp(before)),
                    float(np.exp(after)),
                    True,
                )
            )
            continue
        for i in run:
            start, end = edges[i - 1], edges[i + 1]
            at, first, last = _locate(logs, start, edges[i], end)
            before, after = level(logs[start:at]), level(logs[at:end])
            out.append(
                Change(
                    at,
                    float(np.exp(after - before)),
                    kept[i - 1][1],
                    first,
                    last,
                    float(np.exp(before)),
                    float(np.exp(after)),
                )
            )
    return out


def count_changes(values, least):
    """Of values that no chance is in: each from which on the level since the last change is left by
    more than `least`."""
    out, at = [], 0
    for i in range(1, len(values)):
        ratio = values[i] / values[at]
        if abs(np.log(ratio)) > np.log1p(least):
            out.append(Change(i, ratio, 0.0, i, i, values[at], values[i]))
            at = i
    return out
