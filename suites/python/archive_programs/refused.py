"""What this engine saves for itself and PyTorch 1.13.1 refuses: the command warns, with the place.

Each line that is warned of ends in a comment that is part of the warning.
"""

from enum import Enum
from typing import List, Optional, Union

import torch
from torch import Tensor


class Colour(Enum):
    RED = 1
    BLUE = 2


def exponents(n: int) -> str:
    return "%.3e" % (n * 0.5)  # '%.3e' of a float


def grouped(n: int) -> str:
    return f"{n:,d}"  # '{:,d}' of a int


def formats(text: str, n: int) -> str:
    return text.format(n)  # a format that is not a constant


def alternative(n: int) -> str:
    return "%#x" % n  # '%#x' of a int


def mixed(n: int) -> Tensor:
    numbers = [1.5, n]
    return torch.tensor(numbers)  # a tensor of a list of ints and floats


def too_many(n: int) -> str:
    return "%d %d" % (n, n, n)  # a format with too many values


def too_many_for_none(n: int) -> str:
    return "none" % n  # a format with too many values


def a_tuple_for_a_number(n: int) -> str:
    pair = (n,)
    return "%d" % (pair,)  # '%d' of a Tuple[int]


def shown(text: str) -> str:
    return "%r" % text  # '%r' of a str


def shown_or_none(text: Optional[str]) -> str:
    return repr(text)  # '{!r}' of a Optional[str]


def filled_in(text: Union[int, str]) -> str:
    return "%r" % (text,)  # '%r' of a Union[int, str]


def members(colours: List[Colour]) -> bool:
    return Colour.RED in colours  # the archive compares items of a


def split_some(text: str) -> List[str]:
    return text.rsplit(None, 2)  # rsplit() at blanks, a number of times
