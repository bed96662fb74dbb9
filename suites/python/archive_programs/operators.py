"""Operators and functions of numbers, strings and containers, also those that TorchScript lacks.

Every function of one int `n` is saved, loaded and called by test_archive_language.py.
"""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple


class Tone(Enum):
    LOW = "low"
    MID = "mid"
    HIGH = "high"


class Share(Enum):
    HALF = 0.5
    MORE = 1.5


class Pair(NamedTuple):
    first: Optional[int]
    second: Optional[str] = None


class Keeper:
    def __init__(self, n: int):
        self.n = n

    @staticmethod
    def after(n: int) -> int:
        return n + 1


@dataclass
class Point:
    x: int
    name: str = "p"


LIMIT = 4


def plus(
    n: int, k: int = LIMIT, pair: Tuple[int, float] = (1, 2.5), turn: float = math.tau
) -> float:
    return n + k + pair[1] + turn


added = plus


def points(n: int) -> List[bool]:
    return [Point(n) == Point(3), Point(n) != Point(n, "q"), Point(n, "q") == Point(4, "q")]


def nothing_yet(n: int) -> List[int]:
    a: List[Optional[int]] = [None]
    a.append(n)
    b: Dict[str, Optional[int]] = {"a": None}
    b["b"] = n
    c: List[List[Optional[int]]] = [[None], [1]]
    c[0].append(n)
    return [len(a), len(b), len(c[0])]


def orders(n: int) -> List[bool]:
    return [
        (1, n) <= (1, 4),
        (n, 2) < (n, 2, 3),
        (n, "b") < (3, "a"),
        (3, 1.5) > (n, 9.5),
        (1, 2, 3) <= (1, 2),
        (1, n) >= (1, n),
    ]


def aliases(n: int) -> float:
    return added(n)


def tones(n: int) -> List[str]:
    tone = Tone.LOW if n < 1 else Tone.MID if n < 4 else Tone.HIGH
    return [tone.value, tone.name, Tone.HIGH.value]


def shares(n: int) -> float:
    share = Share.HALF if n > 3 else Share.MORE
    return share.value + Share.HALF.value


def absent(n: int) -> int:
    none = Pair(None, None)
    pair = Pair(n)
    if pair.second is None and none.first is None:
        return n + 1
    return 0


def static_method(n: int) -> int:
    return Keeper.after(Keeper(n).n)


def arith(n: int) -> List[int]:
    return [
        n + 3,
        n - 5,
        n * 7,
        n // 2,
        n // -2,
        n % 3,
        n % -3,
        n & 6,
        n | 9,
        n ^ 5,
        ~n,
        n << 2,
        n >> 1,
        -n,
        +n,
        abs(n - 4),
    ]


def powers(n: int) -> List[int]:
    return [n**2, 2**10, n**0, (-3) ** 3, (-1) ** 7, 0**3, pow(n, 3), 3**n]


def mixed(n: int) -> List[float]:
    return [
        n / 2,
        n * 0.5,
        1.5 + n,
        n - 0.25,
        7.5 // 2,
        n // 2.0,
        n % 2.5,
        -7.5 % 2,
        2.0**n,
        (n + 1) ** 0.5,
        2.5**2,
        float(n) ** 2.0,
        7 / 4,
        1.0 / (n + 1),
        (n + 1) / 0.5,
    ]


def bits_b(n: int) -> List[bool]:
    t = n > 3
    return [t & True, t | False, t ^ True, not t, t and n < 9, t or n == 0, t == True, t != False]


def compares(n: int) -> List[bool]:
    return [
        n < 4,
        n <= 4,
        n > 4,
        n >= 4,
        n == 4,
        n != 4,
        n < 4.5,
        n <= 4.0,
        4.5 > n,
        4.0 == n,
        n != 4.0,
        0.5 < 1.5,
        0.5 >= 1.5,
        "a" < "b",
        "a" == "b",
        "a" != "b",
        "b" >= "a",
        "b" > "a",
        "a" <= "b",
    ]


def maths(n: int) -> List[float]:
    x = n * 0.125
    return [
        math.sqrt(x),
        math.exp(x),
        math.expm1(x),
        math.log(x + 1),
        math.log10(x + 1),
        math.log1p(x),
        math.sin(x),
        math.cos(x),
        math.tan(x),
        math.tanh(x),
        math.acos(x / 4),
        math.asin(x / 4),
        math.atan(x),
        math.sinh(x),
        math.cosh(x),
        math.asinh(x),
        math.acosh(x + 1),
        math.atanh(x / 4),
        math.erf(x),
        math.erfc(x),
        math.gamma(x + 1),
        math.lgamma(x + 1),
        math.fabs(-x),
        math.degrees(x),
        math.radians(x),
    ]


def maths_int(n: int) -> List[float]:
    return [
        math.sqrt(n),
        math.exp(n),
        math.log(n + 1),
        math.log10(n + 1),
        math.log2(n + 1),
        math.sin(n),
        math.atan(n),
        math.erf(n),
        math.gamma(n + 1),
        math.fabs(n),
        math.degrees(n),
    ]


def maths_two(n: int) -> List[float]:
    x = n * 0.125
    return [
        math.atan2(x, 2.0),
        math.atan2(n, 2),
        math.copysign(x, -1.0),
        math.copysign(n, -2),
        math.fmod(x, 0.3),
        math.fmod(n, 3),
        math.log(x + 1, 2.5),
        math.log(n + 1, 3),
        math.pow(x, 2.0),
        math.pow(n, 2),
        math.ldexp(x, 3),
        math.log2(x + 1),
        math.remainder(x, 0.3),
        math.remainder(n, 3),
    ]


def maths_whole(n: int) -> List[int]:
    x = n * 0.625 - 1
    return [
        math.floor(x),
        math.ceil(x),
        math.gcd(n, 6),
        math.factorial(n),
        math.floor(n),
        math.ceil(n),
        int(x),
        int(n),
        int(True),
        int("12"),
        round(n),
    ]


def maths_tests(n: int) -> List[bool]:
    x = n * 0.5
    return [
        math.isnan(x),
        math.isinf(x),
        math.isfinite(x),
        math.isnan(float("nan")),
        math.isinf(float("-inf")),
        bool(n),
        bool(x),
        bool("a"),
        bool(""),
    ]


def several(
    n: int,
) -> Tuple[Tuple[float, float], Tuple[float, int], Tuple[int, int], Tuple[float, float]]:
    x = n * 0.625 - 1
    return math.modf(x), math.frexp(x), divmod(n, -3), divmod(x, 0.25)


def divmods(n: int) -> Tuple[Tuple[float, float], Tuple[float, float]]:
    return divmod(n, 0.75), divmod(n * 0.75, 2)


def casts(n: int) -> List[float]:
    return [float(n), float(True), float("1.5"), float(n > 3), float(n * 0.5)]


def rounds(n: int) -> List[float]:
    x = n * 1.005 + 0.675
    return [
        round(x, 2),
        round(-x, 1),
        round(x, 0),
        round(x * 1e10, 3),
        round(x * 1e-10, 12),
        round(x * 1e17, 2),
        round(2.675, 2),
        round(0.5, 0),
        round(1.5, 0),
        round(1e-300, 303),
        round(x, 17),
    ]


def mins(n: int) -> List[int]:
    return [
        min(n, 4),
        max(n, 4),
        min([n, 2, 7]),
        max([n, 2, 7]),
        min(n, 3, 5),
        max(n, 3, 5),
        sum([n, 2]),
        len([n]),
        abs(-n),
    ]


def mins_f(n: int) -> List[float]:
    x = n * 0.5
    return [
        min(x, 1.5),
        max(x, 1.5),
        0.0 + min(n, 1.5),
        0.0 + max(1.5, n),
        min([x, 0.5]),
        max([x, 0.5]),
        abs(-x),
        sum([x, 0.5]),
    ]


def mins_s(n: int) -> List[str]:
    s = str(n)
    return [min([s, "3", "12"]), max([s, "3", "12"])]


def inplace(n: int) -> List[int]:
    a = n
    a += 3
    a *= 2
    a -= 1
    a //= 3
    a %= 7
    a <<= 2
    a |= 1
    a ^= 3
    a &= 14
    a >>= 1
    b = n
    b **= 2
    return [a, b]


def strings(n: int) -> List[str]:
    s = "ab" * n
    return [
        s,
        n * "xy",
        "=" * -1,
        s[::-1],
        s[1:4],
        s[::2],
        s.upper(),
        s + "c",
        s.replace("a", "zz"),
        "-".join(["a", s]),
        s.center(9),
        s.ljust(9),
        s.rjust(9, "*"),
        s.zfill(9),
        " a ".strip(),
        "aXb".lower(),
        "ab cd".title(),
        "ab".capitalize(),
        chr(97 + n),
        hex(n),
        oct(n),
        bin(n),
        str(n),
        str(n > 3),
        "a-b-c".rsplit("-", 1)[0],
        " a  b ".rsplit()[-1],
        "a  b".split()[1],
        "x".expandtabs(),
    ]


def string_tests(n: int) -> List[bool]:
    s = str(n) + "abc"
    return [
        "a" in s,
        "z" in s,
        "" in s,
        "z" not in s,
        s.startswith("4"),
        s.endswith("c"),
        s.isdigit(),
        "5".isdigit(),
        s.isalpha(),
        s.isupper(),
        s.islower(),
        s.isalnum(),
        s.isspace(),
        "aB".istitle(),
        s.isidentifier(),
    ]


def string_numbers(n: int) -> List[int]:
    s = str(n) + "abcabc"
    return [
        len(s),
        s.find("b"),
        s.rfind("b"),
        s.count("b"),
        s.index("c"),
        ord("a"),
        s.find("zz"),
        s.find("b", 3),
    ]


def formats(n: int) -> List[str]:
    return [
        f"{n}",
        f"{n:5d}",
        f"{n:05d}",
        f"a{n}b{n + 1}{{}}",
        "%d" % n,
        "%5d|%-5d|%05d|%+d|% d" % (n, n, n, n, n),
        "%s and %s" % ("x", n),
        "%x %X %o" % (n + 30, n + 30, n),
        "%c%c" % ("a", 98),
        "100%% %i" % n,
        "{1} {0}".format(n, "b"),
        "{{{}}}".format(n),
        "%6s|%-6s|" % ("ab", "cd"),
        "%s" % (n > 3),
    ]


def format_specs(n: int) -> List[str]:
    s = str(n) + "ab"
    t = n > 3
    return [
        f"{n:>6}|{n:<6}|{n:^7}|{n:*^8}|{n:+d}|{n: d}|{n:=06d}|"
        f"{-n:06d}|{n:x}|{n + 30:X}|{n:b}|{n:o}|{97 + n:c}",
        f"{s:>8}|{s:<8}|{s:^8}|{s:8}|{s:-^9}|{s!s}|{n!r}",
        f"{t}|{t:5}|{t:d}",
        "{1:>4}|{0:<4}|".format(n, s),
        f"{n * 0.5 - 1:8.2f}|{n * 0.5:<8.1f}|{n * 0.5:^9.3f}|"
        f"{n * 0.5 - 2:+.0f}|{n:.1f}|{n * 0.5 - 1:08.2f}|{n * 0.5:*>8.2f}|",
    ]


def format_floats(n: int) -> List[str]:
    x = n * 1.37 - 2.1
    return [
        "%.2f" % x,
        f"{x:.1f}",
        f"{x:8.3f}|",
        "%f" % x,
        "%08.2f" % x,
        "%+.1f" % x,
        "%-9.2f|" % x,
        "%.0f" % (n + 0.5),
        "%.3f" % 1e22,
        "%.20f" % 1e-10,
        "%.2f" % float("nan"),
        "%.2f" % float("-inf"),
        "%5.1f" % float("inf"),
        "%.2f" % -0.001,
        "%.2f" % n,
        "%d" % x,
        f"{2.675:.2f}",
        f"{n * 1e15 + 0.5:.3f}",
    ]


def lists(n: int) -> List[bool]:
    a = [1, n]
    b = [1.5, n * 0.5]
    c = ["a", str(n)]
    d = [True, n > 3]
    return [
        4 in a,
        2.0 in b,
        "4" in c,
        True in d,
        a == [1, 4],
        b != [1.5, 2.0],
        c == ["a", "4"],
        d == [True, True],
        any([n > 3, False]),
        all([n > 3]),
        all(["a", ""]),
        any(["", str(n)]),
        any([n, 0]),
        all([n, 1]),
    ]


def nested_lists(n: int) -> List[bool]:
    a = [[1, n], [2]]
    t = [(n, "a"), (2, "b")]
    d = {"a": n}
    e = {"a": [n]}
    return [
        [1, 4] in a,
        a == [[1, 4], [2]],
        a != [[1, 4], [2]],
        t == [(4, "a"), (2, "b")],
        (4, "a") in t,
        d == {"a": 4},
        d != {"a": 4},
        e == {"a": [4]},
        [a] == [[[1, 4], [2]]],
    ]


def list_numbers(n: int) -> List[int]:
    a = [[1, n], [2], [1, 4]]
    b = [(n, "a"), (1, "b")]
    b.remove((1, "b"))
    c = [3, n, 4]
    c.sort()
    c.remove(n)
    c.reverse()
    return [
        a.count([1, 4]),
        a.index([2]),
        len(b),
        c[0],
        c.index(c[1]),
        c.count(4),
        sorted([n, 3, 9])[0],
        sorted([n, 3, 9], reverse=True)[0],
        ([n] * 3)[2],
        (2 * [n, 5])[3],
    ]


def optional(n: int) -> List[bool]:
    a: Optional[int] = n if n > 3 else None
    return [a is None, a is not None, isinstance(a, int)]


def chained(n: int) -> int:
    return (1 if 2 < n <= 5 else 0) + (n or 40) + (n and 7)


def rounded(n: int) -> Tuple[List[int], List[float], float]:
    k = n * 1250 + 5
    return (
        [round(k, -1), round(k, -3), round(-k, n)],
        [round(k * 1.25, -2), round(k / 7, n - 2), round(k / 7, 2)],
        math.pow(n, 1.5),
    )


def shown(n: int) -> str:
    return f"{n=} {n + 1 = :>4}"
