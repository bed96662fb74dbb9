# pytorch#195969: isinstance of a union of protocols is False.
# https://github.com/pytorch/pytorch/issues/195969
# Eager mode gives x + 1, the compiled function x - 1. The report returns the answer by itself.
from typing import Protocol, runtime_checkable


@runtime_checkable
class HasPorts(Protocol):
    ports: tuple[int, ...]


@runtime_checkable
class HasFoo(Protocol):
    def foo(self) -> int: ...


class Obj:
    ports = (1, 2)

    def foo(self) -> int:
        return 1


o = Obj()


def f(x):
    return x + 1 if isinstance(o, HasPorts | HasFoo) else x - 1
