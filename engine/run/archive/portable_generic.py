"""Functions of portable.py for lists and dicts of any type: portable.cpp puts types for T, K and V.

Types that a text cannot name, classes and enums, have none of these.
"""

from typing import Dict, List, Optional, Tuple


def items_equal(a: List[T], b: List[T]) -> bool:
    if len(a) != len(b):
        return False
    for i in range(len(a)):
        if a[i] != b[i]:
            return False
    return True


def items_differ(a: List[T], b: List[T]) -> bool:
    return not items_equal(a, b)


def holds(items: List[T], wanted: T) -> bool:
    for item in items:
        if item == wanted:
            return True
    return False


def count_of(items: List[T], wanted: T) -> int:
    out = 0
    for item in items:
        if item == wanted:
            out += 1
    return out


def index_of(items: List[T], wanted: T) -> int:
    for i in range(len(items)):
        if items[i] == wanted:
            return i
    raise ValueError("the item is not in the list")


def remove_from(items: List[T], wanted: T) -> None:
    items.pop(index_of(items, wanted))


def list_before(a: List[T], b: List[T]) -> bool:
    for i in range(min(len(a), len(b))):
        if a[i] != b[i]:
            return a[i] < b[i]
    return len(a) < len(b)


def list_behind(a: List[T], b: List[T]) -> bool:
    return list_before(b, a)


def list_not_behind(a: List[T], b: List[T]) -> bool:
    return not list_before(b, a)


def list_not_before(a: List[T], b: List[T]) -> bool:
    return not list_before(a, b)


def least_item(items: List[T]) -> T:
    if len(items) == 0:
        raise ValueError("min() arg is an empty sequence")
    best = items[0]
    for item in items:
        if item < best:
            best = item
    return best


def greatest_item(items: List[T]) -> T:
    if len(items) == 0:
        raise ValueError("max() arg is an empty sequence")
    best = items[0]
    for item in items:
        if best < item:
            best = item
    return best


def dicts_equal(a: Dict[K, V], b: Dict[K, V]) -> bool:
    if len(a) != len(b):
        return False
    for key in a.keys():
        if key not in b:
            return False
        if a[key] != b[key]:
            return False
    return True


def dicts_differ(a: Dict[K, V], b: Dict[K, V]) -> bool:
    return not dicts_equal(a, b)
