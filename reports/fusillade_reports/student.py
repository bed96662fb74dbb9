"""Student's t: its distribution and its quantiles, to nine digits, for any positive number of
degrees of freedom.

The distribution is a regularised incomplete beta function, which a continued fraction gives
(Lentz's way); the quantile is found by halving.
"""

import functools
import math

TINY = 1e-300
ENOUGH = 1e-15  # of the last factor of the fraction
MOST = 100000  # steps of it; it needs about the root of the degrees


def _fraction(a, b, x):
    """The continued fraction of the incomplete beta function."""
    d = 1 / _off_zero(1 - (a + b) * x / (a + 1))
    c, out = 1.0, d
    for m in range(1, MOST):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _off_zero(1 + step * d)
            c = _off_zero(1 + step / c)
            out *= c * d
        if abs(c * d - 1) < ENOUGH:
            break
    return out


def _off_zero(x):
    return x if abs(x) > TINY else TINY


def _beta(a, b, x, rest):
    """The regularised incomplete beta function at x; `rest`: 1 - x, exact where x is close to 1."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    logs = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logs + a * math.log(x) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, rest) / b


def below(degrees, t):
    """The probability of less than t."""
    square = t * t
    if math.isinf(square):
        return 0.0 if t < 0 else 1.0
    tail = _beta(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square)) / 2
    return tail if t < 0 else 1 - tail


@functools.cache
def quantile(degrees, share):
    """The t that this share lies below; of 0 < share < 1."""
    if share < 0.5:
        return -quantile(degrees, 1 - share)
    low, high = 0.0, 1.0
    while below(degrees, high) < share:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return middle
        if below(degrees, middle) < share:
            low = middle
        else:
            high = middle
