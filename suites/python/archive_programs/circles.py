"""Classes that need each other: PyTorch loads `three` and `four` only, and only those are saved
without a warning."""

from typing import List, Optional


class Node:
    def __init__(self, v: int, nxt: "Optional[Node]" = None):
        self.v = v
        self.nxt = nxt


def one(n: int) -> int:
    h = Node(n, Node(2))
    return h.v


class B:
    def __init__(self, v: int):
        self.v = v

    def use(self, a: "List[A]") -> int:
        return len(a)


class A:
    def __init__(self, v: int):
        self.b = B(v)


def two(n: int) -> int:
    a = A(n)
    return a.b.use([a])


class P:
    def __init__(self, v: int):
        self.v = v

    def same(self, other: "P") -> int:
        return self.v + other.v

    def copy(self) -> "P":
        return P(self.v)


def three(n: int) -> int:
    a = P(n)
    return a.same(a.copy())


class Left:
    def __init__(self, v: int):
        self.v = v

    def make(self) -> int:
        return Right(self.v).v


class Right:
    def __init__(self, v: int):
        self.v = v

    def make(self) -> int:
        return Left(self.v).v


def four(n: int) -> int:
    return Left(n).make() + Right(n).make()
