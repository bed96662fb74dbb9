# Functions of math that are no single op.
import math


def pow(x: float, y: float) -> float:
    if x == 0.0 and y < 0.0:
        if math.isfinite(y):
            raise ValueError("math domain error")
        return math.inf
    if x < 0.0 and math.isfinite(y) and y != math.floor(y):
        if math.isfinite(x):
            raise ValueError("math domain error")
        return (-x) ** y
    return x**y
