"""Numbers: operators, built-in functions, math; extremes and errors."""
import math


def t1(a: int, b: int):
    return a // (b + 1), a % (b + 1), -a // 2, -a % 3, a % -3, 7 // -2, a / 2, a * 1.5, a - b, \
        2 ** b, a ** 2, 2.0 ** a, a ** 0.5 if a >= 0 else 0.0


def t2(a: int, b: int):
    return a // b


def t3(a: int, b: int):
    return a % b


def t4(a: int, b: int):
    return a / b


def t5(a: int, b: int):
    return 5.5 // (a + 0.5), 5.5 % (a + 0.5), -5.5 // 2.0, -5.5 % 2.0, 5.5 % -2.0, 1e300 * 1e10, \
        -0.0 % 2.0, divmod(-7.5, 2)


def t6(a: int, b: int):
    return 1.5 % (b * 1.0)


def t7(a: int, b: int):
    return a << b, a >> b, a & b, a | b, a ^ b, ~a, -a, +a, 1 << 62, 1 >> 100


def t8(a: int, b: int):
    return 1 << a


def t9(a: int, b: int):
    return 8 >> a


def t10(a: int, b: int):
    x = -9223372036854775807 - 1
    return x // (b + 1), x % (b + 1), x >> 63, x >> 64, abs(x + 1), x % -1, (x + 1) // -1


def t11(a: int, b: int):
    return abs(a), abs(-1.5), max(a, b), min(a, b), max(a, b, 3), min(1.5, a * 1.0), round(2.5), \
        round(3.5), round(-2.5), round(2.675, 2), \
        round(a), pow(2, b), divmod(a, b + 1), sum([a, b]), sum([1.5, 2.5], 1.0), int(2.9), \
        int(-2.9), float(a), bool(a), int(a > 1), bool(0.0)


def t12(a: int, b: int):
    return math.sqrt(a)


def t13(a: int, b: int):
    return math.log(b), math.log2(b), math.log10(b)


def t14(a: int, b: int):
    return math.floor(a + 0.5), math.ceil(a - 0.5), math.floor(-0.5), math.fabs(-a), \
        math.copysign(2.0, a), math.fmod(-7, 3), \
        math.gcd(12, a), math.isnan(math.nan), math.isinf(a * math.inf if a else 1.0), \
        math.isfinite(1.0), math.pow(2, a), math.pi, math.e


def t15(a: int, b: int):
    return math.factorial(a), math.ldexp(1.5, a), math.frexp(a * 0.75), math.modf(a + 0.25), \
        math.degrees(math.pi), math.radians(180)


def t16(a: int, b: int):
    return math.exp(1.0), math.sin(1.0), math.cos(a), math.tan(0.5), math.asin(0.5), \
        math.atan2(a, b), \
        math.sinh(1.0), math.tanh(a), math.erf(0.5), math.gamma(5), math.expm1(1e-10), \
        math.log1p(1e-10), math.log(8, 2)


def t17(a: int, b: int):
    return math.exp(1000.0 * a)


def t18(a: int, b: int):
    return math.asin(a)


def t19(a: int, b: int):
    return math.floor(math.inf * (a + 1))


def t20(a: int, b: int):
    return int(1e18 * a)


def t21(a: int, b: int):
    return True + True, True * 3, a + True, True == 1, 1.0 == 1, True & False, True | False, \
        True ^ True, a & True, -True, ~True, \
        int(True), 3 > True, max(True, 2)


def t22(a: int, b: int):
    return 0.0 ** a


def t23(a: int, b: int):
    return a ** b, (a + 0.5) ** b, (-8.0) ** 2, 10 ** 18, (-1) ** 1000001, 0 ** b


def t24(a: int, b: int):
    x = 10
    x //= b + 1
    y = -7
    y %= 3
    z = 2
    z **= 3
    w = 5
    w <<= b
    w |= 1
    w ^= 2
    w &= 31
    w >>= 1
    v = 1.5
    v *= a
    v /= 2
    v -= 1
    return x, y, z, w, v


def t25(a: int, b: int):
    return 1e16, 1.0, 0.1 + 0.2, 1e-7, 123456.789, 1e15, -1e100, 5e-324, float("nan"), float("-inf")


def t26(a: int, b: int):
    return math.fmod(a, b), math.remainder(7, 4)


def t27(a: int, b: int):
    n = a * 1250 + 5 * b
    return round(n, -b - 1), round(n, b), round(-n, -2), round(4500000000000000000, -18), \
        round(n * 1.25, -b), round(n + 0.125, 2)


def t28(a: int, b: int):
    return math.pow(a, 0.5 * b), math.pow(-math.inf, a + 0.5), math.pow(0.0, -math.inf)


def t29(a: int, b: int):
    return math.pow(b, a)


def t30(a: int, b: int):
    return -1 << (60 + b + a % 2), f"{a=} {b = :>3} {a*b=!r}"
