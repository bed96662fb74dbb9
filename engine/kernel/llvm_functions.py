#!/usr/bin/env python3
"""Fits the polynomials of llvm_functions.cpp:  engine/kernel/llvm_functions.py

Each is the minimax polynomial, in relative error, of a function on the interval that its range reduction leaves. Remez's
exchange finds it in 40 digits: solve for coefficients whose error at as many points as there are unknowns is +e, -e, +e,
..., move the points to where the error is greatest, repeat. Then coefficients become floats, the weightiest first, and
those left are fitted again beside it, so that they take up what rounding it cost. Needs mpmath.
"""

import mpmath
from mpmath import mpf

mpmath.mp.dps = 40
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
    points = [low + (high - low) * (0.99 - mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * count))) / 2 for i in range(count)]  # never 0
    for _ in range(12):
        system = mpmath.matrix([[b(x) for b in basis] + [mpf((-1) ** i)] for i, x in enumerate(points)])
        solved = mpmath.lu_solve(system, mpmath.matrix([target(x) for x in points]))
        coefficients = list(solved)[:-1]

        def error(x):
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


def fit(name, target, powers, weight, low, high):
    """sum of c[i] * x^powers[i] for target(x), both times weight(x)."""
    low, high = mpf(low), mpf(high)
    basis = [lambda x, p=p: x**p * weight(x) for p in powers]
    known = []
    while len(known) < len(powers):
        rest = basis[len(known):]

        def wanted(x):
            return target(x) * weight(x) - sum(c * b(x) for c, b in zip(known, basis))

        coefficients, far = remez(wanted, rest, low, high)
        if not known:
            print(f"{name} on [{mpmath.nstr(low, 6)}, {mpmath.nstr(high, 6)}]: at most {mpmath.nstr(far, 3)} off")
        known.append(as_float(coefficients[0]))
    xs = [low + (high - low) * (i + mpf(1) / 3) / GRID for i in range(GRID)]
    far = max(abs(target(x) * weight(x) - sum(c * b(x) for c, b in zip(known, basis))) for x in xs)
    print(f"  as floats {mpmath.nstr(far, 3)}: " + ", ".join(float(c).hex() for c in known))


def main():
    half = mpmath.log(2) / 2 * (1 + mpf(2) ** -10)  # a quotient is rounded before it is made whole
    powers = [2, 3, 4, 5, 6]  # of e^r - 1, beside r
    fit("expm1", lambda r: mpmath.expm1(r) - r, powers, lambda r: 1 / abs(mpmath.expm1(r)), -half, half)

    # e / (e + 2) where e is e^r - 1 and r above 0, or 2 e^r - 1, or something larger.
    def of_tanh(r):
        if r > 0:
            return 2 / (mpmath.expm1(r) * (mpmath.exp(r) + 1))
        return 4 / ((2 * mpmath.exp(r) - 1) * (2 * mpmath.exp(r) + 1))

    fit("tanh", lambda r: mpmath.expm1(r) - r, powers, of_tanh, -half, half)


if __name__ == "__main__":
    main()
