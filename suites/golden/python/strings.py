"""Strings: operators, methods, conversions, f-strings."""


def t1(a: int, b: int):
    s = "Hello, World"
    return s.upper(), s.lower(), s.swapcase(), s.title(), s.capitalize(), len(s), s[a], s[b:], \
        s[-3:], s[::-1], s[1:8:2]


def t2(a: int, b: int):
    s = "  a b  c "
    return s.strip(), s.lstrip(), s.rstrip(), s.split(), s.split(" "), s.split(None, b), \
        s.rsplit(None, b), s.strip(" a")


def t3(a: int, b: int):
    s = "abcabc"
    return (s.find("c"), s.find("c", 3), s.find("c", 0, -1), s.rfind("c"), s.rfind("c", 0, -1),
            s.count("b"), s.count(""),
            s.replace("b", "XX"), s.replace("b", "-", 1), s.replace("", "."), s.startswith("ab"),
            s.endswith("bc"),
            s.startswith("bc", 1), s.find("z"), "bc" in s, "x" not in s, s.find("", a))


def t4(a: int, b: int):
    return "abc".index("abc"[a:b])


def t5(a: int, b: int):
    s = str(a)
    return s.isdigit(), s.isalpha(), s.isalnum(), s.zfill(4), "ab".center(7), "ab".center(6, "*"), \
        "x".ljust(3, "-"), \
        "x".rjust(3), "a\tb".expandtabs(4), "Ab Cd".istitle(), "AB1".isupper(), "ab".islower(), \
        " \t".isspace(), "".isalpha()


def t6(a: int, b: int):
    return "a-b-c".partition("-"), "a-b-c".rpartition("-"), "abc".partition("x"), \
        "abc".rpartition("x")


def t7(a: int, b: int):
    return "a\nb\r\nc\n".splitlines(), "a\nb".splitlines(True), ",".join(["x", "y", str(b)]), \
        "".join([]) + "z"


def t8(a: int, b: int):
    x = 1.5
    return f"{a}+{b}={a + b} {{x}} {x} {'q'}" "!", "{} {}".format(a, x), "{1} {0}".format(a, b), \
        "%d %s %5.2f %x %%" % (a, b, x, 255)


def t9(a: int, b: int):
    return str(1.0), str(0.1), str(1e16), str(1e-5), str(123456789.125), str(True), str(None), \
        str([1.0, 2.5]), str(("a", 1)), \
        str((1,)), str({"k": [a]}), str("q"), str(-0.0), str(1e22), str(float("inf"))


def t10(a: int, b: int):
    return int("12") + a, int(" -7 "), float("2.5"), float("1e3"), ord("A"), chr(97 + b), \
        hex(255), oct(8), bin(5), hex(-a), bin(a)


def t11(a: int, b: int):
    return int("abc"[b:])


def t12(a: int, b: int):
    return float("1.5x"[a:])


def t13(a: int, b: int):
    s = "ab" * a + 3 * "c"
    s += "d" * b
    n = 0
    for c in s:
        if c == "c":
            n += 1
    return s, n, "a" < "b", "b" <= "a", "ab" == "a" + "b", "a" != "b", "abc" > "abd", "b" >= "b"


def t14(a: int, b: int):
    s = "héllo wörld"
    return len(s), s[1], s[::-1], s.find("w"), s.split("ö"), s.center(15, "é"), \
        s.replace("é", "e"), "\x41\u00e9\101\q"


def t15(a: int, b: int):
    return "abc"[a]


def t16(a: int, b: int):
    return chr(a - 1), ord("abc"[:b])


def t17(a: int, b: int):
    words = "the cat the dog".split()
    out = [w.capitalize() for w in words if w != "the"]
    return " ".join(out), max(len("x"), a), [c for c in "abc"], list("xyz"), "abc"[-1], \
        'it\'s "q"', str(['it\'s', 'a"b'])


def t18(a: int, b: int):
    if "abc"[3:]:
        return 1
    if "abc"[a:]:
        return 2
    return 3


def t19(a: int, b: int):
    return "a,b,,c".split(","), "a,b,,c".rsplit(",", 1), "a,b,,c".split(",", b), ",".split(","), \
        "xxyxx".strip("x")


def t20(a: int, b: int):
    return r"a\n", "a\
b", """x
y""", "tab\there", repr_free("z" * b)


def repr_free(s: str) -> str:
    return "<" + s + ">"
