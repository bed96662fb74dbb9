"""How long until it happens, where some were given up before it did: Kaplan and Meier's estimate.

A bug that was not found within its budget is not without a time: it took longer than that. So it
counts as at risk until then, and as nothing after. The curve is the share that is left at each
time, its bounds are Greenwood's variance on the scale log(-log S) (they stay between 0 and 1), the
median is the first time at which at most half are left, and its interval holds the times at which
the bounds pass a half (Brookmeyer and Crowley).
"""

from dataclasses import dataclass

import numpy as np

NORMAL = 1.959963984540054  # quantile of 97.5 %


@dataclass
class Curve:
    """Steps: from times[i] on the share `left[i]`; before the first time all."""

    count: int
    events: int
    times: np.ndarray
    left: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @staticmethod
    def _first_below(times, shares):
        below = np.flatnonzero(shares <= 0.5)
        return float(times[below[0]]) if len(below) else None

    @property
    def median(self):
        """(median, lower, upper); None where it was not reached."""
        return tuple(self._first_below(self.times, x) for x in (self.left, self.lower, self.upper))

    @property
    def end(self):
        """(share left, lower, upper) behind the last event."""
        return (
            (1.0, 1.0, 1.0)
            if not len(self.times)
            else (float(self.left[-1]), float(self.lower[-1]), float(self.upper[-1]))
        )


def kaplan_meier(times, happened):
    """times: of the event, or until which it had not come; happened: which of the two."""
    times, happened = np.asarray(times, float), np.asarray(happened, bool)
    at = np.unique(times[happened])
    risk = np.array([(times >= t).sum() for t in at], float)
    events = np.array([(happened & (times == t)).sum() for t in at], float)
    left = np.cumprod(1 - events / risk)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.cumsum(events / (risk * (risk - events)))) / np.abs(np.log(left))
        lower, upper = left ** np.exp(NORMAL * spread), left ** np.exp(-NORMAL * spread)
    if (
        len(at) and left[-1] == 0
    ):  # nothing is left, of which there is no variance: the bound before is kept
        lower[-1], upper[-1] = 0.0, upper[-2] if len(at) > 1 else 1.0
    return Curve(len(times), int(happened.sum()), at, left, lower, upper)
