"""Ways in which a program can hold a device; each function is saved, read, saved again and run."""

from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor, nn


HERE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Place(NamedTuple):
    device: torch.device
    size: int


def to_device(n: int) -> Tensor:
    return torch.ones(n).to(torch.device("cpu"))


def to_keywords(n: int) -> Tensor:
    return torch.ones(n).to(device=torch.device("cpu"), dtype=torch.float64)


def to_text(n: int) -> Tensor:
    return torch.ones(n).to("cpu").to("cpu", torch.float64)


def to_name(n: int) -> Tensor:
    d = torch.device("cpu")
    return torch.ones(n, device=d).to(d) + torch.zeros(n, device=d)


def to_place_of(n: int) -> Tensor:
    x = torch.ones(n)
    d = x.device
    return torch.zeros(n, device=d).to(x.device) + torch.arange(n, device=d)


def made_at_text(n: int) -> Tensor:
    return (
        torch.zeros(n, device="cpu")
        + torch.full([n], 2.0, device="cpu")
        + torch.tensor([1.0], device="cpu")
    )


def made_at_device(n: int) -> Tensor:
    return torch.ones(n, device=torch.device("cpu")) + torch.arange(n, device=torch.device("cpu"))


def made_at_index(n: int) -> Tensor:
    d = torch.device("cpu:0")
    return torch.zeros(n, dtype=torch.long, device="cpu:0") + torch.arange(n, device=d).to(d)


def made_at_none(n: int) -> Tensor:
    d: Optional[torch.device] = None
    return torch.ones(n, device=None) + torch.ones(n, device=d)


def random_at(n: int) -> int:
    d = torch.device("cpu")
    x = torch.rand(n, device=d)
    y = torch.randn(n, 2, device=x.device)
    p = torch.randperm(n, device=d)
    return x.size(0) + y.size(0) + p.size(0) + torch.randint(0, 3, [n], device=d).size(0)


def made_like(n: int) -> Tensor:
    x = torch.ones(n)
    return (
        torch.zeros_like(x, device=torch.device("cpu"))
        + x.new_ones([n], device=x.device)
        + torch.eye(n, device="cpu").sum()
    )


def equal(n: int) -> List[bool]:
    x = torch.ones(n)
    d = torch.device("cpu")
    return [
        x.device == d,
        x.device == torch.device("cpu"),
        d != x.device,
        torch.device("cpu") == torch.device("cpu"),
    ]


def equal_index(n: int) -> List[bool]:
    x = torch.zeros(n, device="cpu:0")
    d = torch.device("cpu:0")
    return [
        x.device == d,
        x.device != d,
        d == torch.device("cpu:0"),
        d == torch.device("cpu"),
        d == torch.device("cpu:1"),
    ]


def fields(n: int) -> Tuple[str, Optional[int], str, Optional[int], str]:
    d = torch.device("cpu")
    e = torch.device("cpu:0")
    return d.type, d.index, e.type, e.index, torch.ones(n).device.type


def index_if_any(n: int) -> int:
    d = torch.device("cpu:3") if n > 3 else torch.device("cpu")
    i = d.index
    return n if i is None else i


def shown(n: int) -> str:
    d = torch.device("cpu:0")
    return str(d) + str(torch.ones(n).device) + f"{d} {torch.device('cpu')}"


def other(n: int) -> Tuple[bool, str, Optional[int]]:
    d = torch.device("cuda:1")
    return torch.ones(n).device == d, d.type, d.index


def of_type(n: int) -> bool:
    return torch.ones(n).device.type == "cuda"


def give(n: int) -> torch.device:
    return torch.device("cpu")


def give_index(n: int) -> torch.device:
    return torch.device("cpu:0")


def give_of(n: int) -> torch.device:
    return torch.ones(n).device


def give_some(n: int) -> Optional[torch.device]:
    return torch.device("cpu") if n > 3 else None


def give_pair(n: int) -> Tuple[torch.device, str]:
    return torch.device("cpu"), "cpu"


def give_list(n: int) -> List[torch.device]:
    return [torch.device("cpu"), torch.device("cpu:0"), torch.ones(n).device]


def give_none_list(n: int) -> List[Optional[torch.device]]:
    return [torch.device("cpu"), None]


def give_dict(n: int) -> Dict[str, torch.device]:
    return {"cpu": torch.device("cpu"), "a": torch.ones(n).device}


def give_named(n: int) -> Place:
    return Place(torch.device("cpu"), n)


def in_list(n: int) -> int:
    places = [torch.device("cpu"), torch.device("cpu:0")]
    count = 0
    for d in places:
        if d == torch.device("cpu"):
            count += n
    return count + torch.ones(n, device=places[0]).size(0)


def in_tuple(n: int) -> Tensor:
    pair = (torch.device("cpu"), "cpu", n)
    return torch.ones(pair[2], device=pair[0]).to(pair[1])


def in_named(n: int) -> Tensor:
    p = Place(torch.device("cpu"), n)
    return torch.ones(p.size, device=p.device)


def helped(n: int, d: torch.device) -> Tensor:
    return torch.ones(n, device=d)


def helped_maybe(n: int, d: Optional[torch.device] = None) -> Tensor:
    if d is None:
        d = torch.device("cpu")
    return torch.ones(n, device=d)


def helped_text(n: int, name: str) -> Tensor:
    return torch.ones(n, device=name).to(torch.device(name))


def calls(n: int) -> Tensor:
    return (
        helped(n, torch.device("cpu"))
        + helped_maybe(n)
        + helped_maybe(n, torch.device("cpu:0"))
        + helped_text(n, "cpu")
    )


def chosen(n: int) -> Tensor:
    d = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.ones(n, device=d)


def branches(n: int) -> Tensor:
    if n > 3:
        d = torch.device("cpu")
    else:
        d = torch.ones(n).device
    return torch.ones(n, device=d)


def loops(n: int) -> Tensor:
    d = torch.device("cpu:0")
    x = torch.zeros(1)
    for i in range(n):
        x = x + torch.ones(1, device=d).to(d)
        d = torch.device("cpu")
    return x


def moved(n: int) -> Tensor:
    x = torch.ones(n)
    e = torch.arange(n)
    if x.is_cuda:
        e = e.cuda()
    if n > 100:
        x = x.cuda()
    return (x + e).cpu()


def of_file(n: int) -> Tuple[Tensor, bool, str, torch.device]:
    x = torch.ones(n, device=HERE).to(HERE)
    return x, x.device == HERE, HERE.type + str(HERE), HERE


def by_default(n: int) -> Tensor:
    return kept(n) + kept(n, torch.device("cpu:0"))


def kept(n: int, device: torch.device = torch.device("cpu")) -> Tensor:
    return torch.ones(n, device=device)


def asked(n: int) -> List[bool]:
    return [torch.cuda.is_available(), torch.ones(n).is_cuda]
