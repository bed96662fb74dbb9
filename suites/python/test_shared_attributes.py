"""A list or dict that several attributes hold is one object, as in Python; TorchScript copies."""

import subprocess

import pytest
from under_test import BINARY

SCRIPT = """
from typing import Dict, List

import torch
from torch import Tensor, nn


class Inner(nn.Module):
    def __init__(self, items: List[int]):
        super().__init__()
        self.items: List[int] = items

    def forward(self, x: Tensor):
        self.items.append(7)
        return x * len(self.items)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a: List[int] = [1, 2]
        self.b = self.a
        self.c: Dict[str, int] = {"x": 1}
        self.d = self.c
        self.e: List[int] = []
        self.f = self.e
        self.other: List[int] = [1, 2]
        self.inner = Inner(self.a)

    def forward(self, x: Tensor):
        before = len(self.b)
        first = self.b[0]
        self.a.append(3)
        self.a[0] = 5
        self.d["y"] = 2
        self.f.append(1)
        y = self.inner(x)
        assert before == 2 and first == 1 and self.b == [5, 2, 3, 7]
        assert len(self.c) == 2 and self.e == [1] and self.other == [1, 2]
        assert self.b is self.a and self.other is not self.a
        return y
"""


def fusillade(*words):
    ran = subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(SCRIPT)
    return path


@pytest.mark.parametrize("plan", ["eager", "vm", "vm/o2", "vm/o2,fuse(loopnest,llvm)"])
def test_a_write_by_one_name_is_seen_by_the_other(script, plan):
    fusillade("run", script, "--module", "Net()", "--rand", "f32[3]", "--plan", plan)


def test_an_archive_keeps_it_and_so_does_freezing(script, tmp_path):
    saved, frozen = tmp_path / "net.pt", tmp_path / "frozen.pt"
    fusillade("save", script, "--module", "Net()", "--out", saved)
    fusillade("run", saved, "--rand", "f32[3]")
    fusillade("freeze", saved, "--eval", "--out", frozen)
    fusillade("run", frozen, "--rand", "f32[3]")


def test_an_empty_list_that_no_attribute_annotates_is_refused(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(SCRIPT.replace("self.e: List[int] = []", "self.e = []"))
    words = [BINARY, "run", str(path), "--module", "Net()", "--rand", "f32[3]"]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert ran.returncode == 1 and "an empty list or dict needs an annotation" in ran.stderr


def test_a_list_of_another_type_than_annotated_is_usable_by_its_other_name(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(
        "from typing import List\n\nimport torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.a: List[str] = [1, 2]\n        self.b = self.a\n\n"
        "    def forward(self, x):\n        return x * len(self.b)\n"
    )
    fusillade("run", path, "--module", "Net()", "--rand", "f32[3]")
