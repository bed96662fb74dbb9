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
