#!/usr/bin/env python3
"""Fits the polynomials of llvm_functions.cpp:  engine/kernel/llvm_functions.py

Each is the minimax polynomial, in relative error, of a function on the interval that its range
reduction leaves. Remez's exchange finds it in 40 digits: solve for coefficients whose error at as
many points as there are unknowns is +e, -e, +e, ..., move the points to where the error is
greatest, repeat. Then coefficients become floats, the weightiest first, and those left are fitted
again with it fixed, so that they take up what rounding it cost. Needs mpmath.
"""

import argparse

import mpmath
from mpmath import mpf

mpmath.mp.dps = 40
PIECES = 16
LN2_HALF = mpmath.log(2) / 2 * (1 + mpf(2) ** -10)  # a quotient is rounded before it becomes whole
GRID = 601  # odd: 0 is none of its points


def extremes(error, low, high, count):
    """The points of greatest error, one of each run of one sign."""
    xs = [low + (high - low) * (1 - mpmath.cos(mpmath.pi * i / GRID)) / 2 for i in range(GRID + 1)]
    runs = []
    for x in xs:
        e = error(x)
        if e == 0:
            continue
        if not runs or (e > 0) != (runs[-1][1] > 0):
            runs.append((x, e))
        elif abs(e) > abs(runs[-1][1]):
            runs[-1] = (x, e)
    while len(runs) > count:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    return [x for x, _ in runs]


def remez(target, basis, low, high):
    """Coefficients of the basis, and the greatest |target - sum|; both are weighted already."""
    count = len(basis) + 1
    # never 0
    points = [
        low + (high - low) * (0.99 - mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * count))) / 2
        for i in range(count)
    ]
    for _ in range(12):
        system = mpmath.matrix(
            [[b(x) for b in basis] + [mpf((-1) ** i)] for i, x in enumerate(points)]
        )
        solved = mpmath.lu_solve(system, mpmath.matrix([target(x) for x in points]))
        coefficients = list(solved)[:-1]

        def error(x, coefficients=coefficients):
            return target(x) - sum(c * b(x) for c, b in zip(coefficients, basis))

        found = extremes(error, low, high, count)
        if len(found) < count:
            break
        points = found
        if max(abs(error(x)) for x in points) < abs(solved[count - 1]) * (1 + mpf(10) ** -6):
            break
    return coefficients, max(abs(error(x)) for x in points)


def as_float(x):
    """The nearest float."""
    _, exponent = mpmath.frexp(x)
    unit = mpf(2) ** (exponent - 24)
    return mpmath.nint(x / unit) * unit


def fit(target, powers, weight, low, high):
    """sum of c[i] * x^powers[i] for target(x), both times weight(x): c as floats, and how far off
    at most."""
    low, high = mpf(low), mpf(high)
    basis = [lambda x, p=p: x**p * weight(x) for p in powers]
    known = []
    while len(known) < len(powers):
        rest = basis[len(known) :]

        def weighted_target(x):
            return target(x) * weight(x) - sum(c * b(x) for c, b in zip(known, basis))

        known.append(as_float(remez(weighted_target, rest, low, high)[0][0]))
    xs = [low + (high - low) * (i + mpf(1) / 3) / GRID for i in range(GRID)]
    far = max(abs(target(x) * weight(x) - sum(c * b(x) for c, b in zip(known, basis))) for x in xs)
    return known, far


def off(far):
    return f"at most {mpmath.nstr(far * 2**24, 3)} 2^-24 off"


def hex_text(c):
    return ", ".join(float(x).hex().replace("0000000p", "p") for x in c)


def fit_expm1():
    c, far = fit(
        lambda r: mpmath.expm1(r) - r,
        [2, 3, 4, 5, 6],
        lambda r: 1 / abs(mpmath.expm1(r)),
        -LN2_HALF,
        LN2_HALF,
    )
    print(f"expm1: {off(far)}: {hex_text(c)}")


def fit_exp():
    """Its even part and its odd one have a coefficient each."""
    half = LN2_HALF / PIECES
    even, far = fit(lambda r: mpmath.cosh(r) - 1, [2], lambda r: 1, 0, half)
    odd, farther = fit(lambda r: mpmath.sinh(r) - r, [3], lambda r: 1, 0, half)
    print(f"exp: {off(far + farther)}: {hex_text(even + odd)}")
    print("powers of two:", hex_text(as_float(mpf(2) ** (mpf(j) / PIECES)) for j in range(PIECES)))


def pieces(shift):
    """Between numbers x >= 0 at which the four lowest bits but 21 of x + shift change: these bits,
    from, to."""
    u, out = mpf(shift), []
    while len(out) < PIECES:
        exponent = mpmath.floor(mpmath.log(u, 2))
        width = mpf(2) ** (exponent - 2)
        following = (mpmath.floor(u / width) + 1) * width
        out.append(
            (int(4 * (exponent + 127) + u / width - 4) % PIECES, u - shift, following - shift)
        )
        u = following
    return out


def close_to_float(low, high):
    """A float next to the middle whose tanh is nearly one: the float that
    replaces it is off by little then."""
    step = (high - low) / 4096
    for i in range(1, 1000):
        x = (low + high) / 2 + (-1) ** i * (i // 2) * step
        value = mpmath.tanh(x)
        if abs(as_float(value) / value - 1) < mpf(2) ** -30:
            return x
    raise ValueError("no such number")


def fit_around(middle, low, high, count):
    """(tanh(middle + t) - tanh(middle)) / t, right at Chebyshev's points: no more than a third
    worse than the best here."""
    points = [
        (low + high) / 2
        - middle
        + (high - low) / 2 * mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * count))
        for i in range(count)
    ]
    system = mpmath.matrix([[t**p for p in range(count)] for t in points])
    wanted = mpmath.matrix([(mpmath.tanh(middle + t) - mpmath.tanh(middle)) / t for t in points])
    return [as_float(c) for c in mpmath.lu_solve(system, wanted)]


def fit_tanh():
    """Of what is left of x without a number in its interval; of all of x in the first."""
    for piece, low, high in pieces(mpf("0.625")):
        if low == 0:  # x itself, and what is less
            middle, c = mpf(0), [mpf(0), mpf(1)]
            c += fit(
                lambda x: mpmath.tanh(x) - x,
                [2, 3, 4, 5],
                lambda x: 1 / mpmath.tanh(x),
                mpf(2) ** -30,
                high,
            )[0]
        else:
            middle = close_to_float(low, high)
            c = [as_float(mpmath.tanh(middle))] + fit_around(middle, low, high, 5)
        xs = [low + (high - low) * (i + mpf(1) / 3) / GRID for i in range(GRID)]
        far = max(
            abs(sum(k * (x - middle) ** p for p, k in enumerate(c)) / mpmath.tanh(x) - 1)
            for x in xs
        )
        print(f"tanh {piece}, around {hex_text([middle])}: {off(far)}: {hex_text(c)}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    fit_expm1()
    fit_exp()
    fit_tanh()


if __name__ == "__main__":
    main()
