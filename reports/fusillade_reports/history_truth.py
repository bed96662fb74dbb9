"""What the history says of series whose truth is known: how often it finds a planted change, and
how often it cries without one.

A trial is a history of RUNS commits, a value each, in which one timing (or none) changes its level
at a known commit. All of it is judged as `history show` judges (one family of tests). Noise of a
run is simulated, of five kinds, or that of a history given: the logs of its timings about their
levels, in stretches as they were measured, so that what is close in time stays together.
"""

import numpy as np

from . import changepoints, history, since_when

RUNS = 40
PLANTED = (0.02, 0.05, 0.10)
DELAYS = (3, 5, 8, 12, 20)
PAGE = 20  # timings


def _outliers(random, count):
    return random.normal(0, 0.01, count) + (random.random(count) < 0.1) * random.exponential(
        0.3, count
    )


def _correlated_noise(random, count):
    out = random.normal(0, 0.02, count + 50)
    for i in range(1, len(out)):
        out[i] = 0.5 * out[i - 1] + out[i] * np.sqrt(0.75)
    return out[50:]


NOISES = {
    "runs scatter by 1 %": lambda random, count: random.normal(0, 0.01, count),
    "runs scatter by 3 %": lambda random, count: random.normal(0, 0.03, count),
    "1 %, one in ten slower by 30 %": _outliers,
    "two levels, 10 % apart": lambda random, count: (
        np.log(random.choice([1.0, 1.1], count)) + random.normal(0, 0.005, count)
    ),
    "2 %, half of it from the run before": _correlated_noise,
}


def measured_noise(series):
    """Noise of a history, or None where it holds too little."""
    pools = [
        np.log([p.estimate for p in s.points])
        for s in series
        if s.metric == "steady" and len(s.points) >= RUNS // 2
    ]
    if not pools:
        return None

    def draw(random, count):
        pool = pools[random.integers(len(pools))]
        out = np.concatenate(
            [np.roll(pool, -random.integers(len(pool))) for _ in range(-(-count // len(pool)))]
        )[:count]
        return out - out.mean()

    return draw


def series_of(logs, number=0):
    """A series of these logs, a commit each."""
    points = [
        history.Point(
            history.Run(i, history.Commit(f"{i:040x}", 3600 * i, i, ""), "", "m", "c", 1, "b", "t"),
            1000 * float(np.exp(x)),
            None,
            None,
            0.0,
            None,
        )
        for i, x in enumerate(logs)
    ]
    return history.Series(f"p{number}", "vm/o2", False, "steady", points)


def _step(logs, share, at):
    return logs + np.log1p(share) * (np.arange(len(logs)) >= at)


def _changes_of(logs):
    return since_when.judge([series_of(logs)]).changes


def _blame(changes, at):
    """Whether one is for the worse and may be of the commit `at`, and how many others there are."""
    mine = [
        c
        for c in changes
        if c.kind == since_when.SLOWER and f"{at:040x}" in [x.hash for x in c.commits]
    ]
    return bool(mine), len(changes) - len(mine) > 0


def detection(draw, trials, seed=1):
    """(alarms on flat series, found by share, others accused, too, commits that the change may be
    of), as shares."""
    random = np.random.default_rng(seed)
    alarms, found, accused, width = [], [], [], []
    for _ in range(trials):
        logs = draw(random, RUNS)
        alarms.append(bool(_changes_of(logs)))
        changes_by_share = [_changes_of(_step(logs, share, RUNS // 2)) for share in PLANTED]
        seen = [_blame(changes, RUNS // 2) for changes in changes_by_share]
        found.append([s[0] for s in seen])
        accused.append([s[1] for s in seen])
        width += [len(c.commits) for c in changes_by_share[1] if c.kind == since_when.SLOWER]
    return (
        float(np.mean(alarms)),
        [float(x) for x in np.mean(found, axis=0)],
        float(np.mean(accused)),
        float(np.mean(width or [0])),
    )


def delay(draw, trials, share=0.05, seed=2):
    """By number of runs since the change: how often it is found."""
    random = np.random.default_rng(seed)
    seen = [
        [
            _blame(_changes_of(_step(draw(random, RUNS), share, RUNS - behind)), RUNS - behind)[0]
            for behind in DELAYS
        ]
        for _ in range(trials)
    ]
    return [float(x) for x in np.mean(seen, axis=0)]


def drift(draw, trials, share=0.10, seed=3):
    """Of series that rise steadily: how many are reported as a drift, how many blame a commit."""
    random = np.random.default_rng(seed)
    kinds_by_trial = [
        {c.kind for c in _changes_of(draw(random, RUNS) + np.log1p(share) * np.arange(RUNS) / RUNS)}
        for _ in range(trials)
    ]
    return (
        float(np.mean([since_when.DRIFT in kinds for kinds in kinds_by_trial])),
        float(
            np.mean(
                [bool(kinds & {since_when.SLOWER, since_when.FASTER}) for kinds in kinds_by_trial]
            )
        ),
    )


def pages(draw, trials, seed=4):
    """Of histories of PAGE timings without a change: how many report any."""
    random = np.random.default_rng(seed)
    return float(
        np.mean(
            [
                bool(
                    since_when.judge(
                        [series_of(draw(random, RUNS), i) for i in range(PAGE)]
                    ).changes
                )
                for _ in range(trials)
            ]
        )
    )


def text(trials, kept=None):
    noises = dict(NOISES)
    own = measured_noise(kept) if kept else None
    if own:
        noises["measured"] = own
    head = [
        "noise",
        "A/A alarms",
        *(f"found: {100 * s:.0f} %" for s in PLANTED),
        "others accused",
        "commits named",
        *(f"5 %, {d} runs ago" for d in DELAYS),
        "10 % of drift: reported, a commit blamed",
        f"A/A alarms of {PAGE} timings",
    ]
    out = [
        (
            f"{trials} histories each of {RUNS} commits, a run each; a step at commit {RUNS // 2}; "
            "found: reported slower, and the commit among those named; changes below "
            f"{100 * since_when.LEAST_CHANGE:.0f} % are not reported, nor is one of fewer than "
            f"{changepoints.LEAST} runs"
        ),
        "",
        "| " + " | ".join(head) + " |",
        "|---|" + "---:|" * (len(head) - 1),
    ]
    for name, draw in noises.items():
        alarms, found, accused, width = detection(draw, trials)
        drifts, blamed = drift(draw, trials)
        shares = [*found, accused], delay(draw, trials), pages(draw, max(1, trials // 2))
        out.append(
            "| "
            + " | ".join(
                [
                    name,
                    f"{100 * alarms:.1f} %",
                    *(f"{100 * x:.0f} %" for x in shares[0][:-1]),
                    f"{100 * accused:.1f} %",
                    f"{width:.1f}",
                    *(f"{100 * x:.0f} %" for x in shares[1]),
                    f"{100 * drifts:.0f} %, {100 * blamed:.0f} %",
                    f"{100 * shares[2]:.1f} %",
                ]
            )
            + " |"
        )
    return "\n".join(out) + "\n"
