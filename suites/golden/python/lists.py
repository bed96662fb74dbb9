"""Lists: operators, methods, functions, errors."""
from typing import List, Tuple


def t1(a: int, b: int):
    l = [3, 1, 2]
    l[0] = a
    l[-1] = b
    l.append(7)
    l.extend([8, 9])
    l.insert(1, 5)
    l.insert(-100, 6)
    l.insert(100, 4)
    return l, l.pop(), l.pop(0), l.pop(-2), l


def t2(a: int, b: int):
    l = list(range(6))
    return l[a], l[b:], l[:b], l[a:], l[:a], l[::2], l[::-1], l[4:1:-1], l[-3:-1], l[a:b:-1], \
        l[10:], l[::-2]


def t3(a: int, b: int):
    l = [1, 2]
    return l * a, b * l, l + [a], l == [1, a], l != [1, 2], a in l, b not in l, len(l), \
        [] == [a][1:]


def t4(a: int, b: int):
    l = [3, 1, 2, 3]
    l.remove(a)
    l.reverse()
    return l, l.count(3), l.index(2)


def t5(a: int, b: int):
    l = [3, 1, a, b]
    m = l
    n = l.copy()
    o = list(l)
    l.sort()
    n.sort(reverse=True)
    return l, m, n, o, sorted(o), sorted(o, reverse=True)


def t6(a: int, b: int):
    l = [1, 2, 3]
    m = l
    l += [a]
    l *= b
    m.append(0)
    del m[0]
    return l, m


def t7(a: int, b: int):
    l = [1, 2, 3]
    del l[a]
    return l


def t8(a: int, b: int):
    n = [[1], [2, 3]]
    n[0].append(a)
    n.append([b])
    m = n.copy()
    m[1].clear()
    return n, m, len(n), n == m, n[0] == [1, a], [1, a] in n


def t9(a: int, b: int):
    s = ["b", "a", "c"]
    s.sort()
    f = [2.5, -0.0, 1.0]
    f.append(float(a))
    f.sort()
    g = [True, False]
    return s, "a" in s, s.index("c"), f, max(f), min(f), sum(f), g, any(g), all(g), sum([1, 2]), \
        sum([True, True])


def t10(a: int, b: int):
    e: List[int] = []
    if a > 2:
        e.append(a)
    return max(e)


def t11(a: int, b: int):
    e: List[int] = []
    if a > 2:
        e.append(a)
    if e:
        return e.pop()
    return len(e)


def t12(a: int, b: int):
    l = [i for i in range(10)]
    x, y, *z = l
    *p, q = l[:3]
    l[a] += 5
    l[b] *= 2
    return x, y, z, p, q, l


def t13(a: int, b: int):
    x, y = [1, 2, 3][:a]
    return x + y


def t14(a: int, b: int):
    l = [(2, "b"), (1, "z"), (2, "a"), (a, "q")]
    l.sort()
    return l, max(a, b), min([a, b, 1]), (1, "z") in l


def t15(a: int, b: int):
    l = [1, 2, 3]
    l.insert(a, 9)
    return l, l.index(a)


def t16(a: int, b: int):
    l = [1, 2, 3, 4]
    return l[::b]


def t17(a: int, b: int):
    l = [[0] * 2] * 2
    l[0][1] = a
    return l


def t18(a: int, b: int):
    l = [1.5, 2.5]
    l[b] = 7.0
    return l, l.count(2.5), 1.5 in l, l.index(2.5)


def helper(l: List[int], n: int) -> List[int]:
    l.append(n)
    return l


def t19(a: int, b: int):
    l = [a]
    m = helper(l, b)
    m.append(100)
    return l, len(m)


def t20(a: int, b: int):
    l = [5, 6, 7]
    for i in range(len(l)):
        l[i] = l[i] * a
    for i, v in enumerate(l):
        l[i] = v + b
    while len(l) > 1:
        l.pop()
    return l
