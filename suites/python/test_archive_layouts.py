"""Memory formats, and sizes changed in place: archives of PyTorch's, and scripts, lie in memory as
PyTorch says."""

import re
import subprocess

import pytest
from under_test import BINARY, PYTHON, torch_needed

pytestmark = torch_needed

MADE = """
import sys, torch
from typing import List

class Formats(torch.nn.Module):
    def forward(self, x):
        y = x.to(memory_format=torch.channels_last)
        z = y.contiguous(memory_format=torch.channels_last) + 1
        w = torch.zeros_like(x, memory_format=torch.channels_last)
        v = torch.empty([2, 3, 4, 5], memory_format=torch.channels_last)
        return z.clone() + w, y.clone(memory_format=torch.contiguous_format), \
            z.to(torch.float64, memory_format=torch.preserve_format), v.fill_(1), x.relu()

class Shown(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        for y in self.inner(x):
            print(y.shape, y.stride(), y.is_contiguous(),
                  y.is_contiguous(memory_format=torch.channels_last))
        return x

class Sizes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.arange(6.0).reshape(2, 3))
    def show(self, x):
        print(x.shape, x.stride(), x.storage_offset(), int(x.sum()))
    def forward(self, x):
        held: List[torch.Tensor] = [x]
        same, view, row = x.contiguous(), x.view(-1), x[0]
        before = x.size(0) * 10 + x.dim()
        x.t_()
        for y in [x, same, view, row, held[0], x + x]:
            self.show(y)
        print(before, x.size(0) * 10 + x.dim())
        for i in range(3):
            held[0].unsqueeze_(-1)
            if i == 1:
                x.transpose_(0, 1)
        self.show(x)
        same.squeeze_()
        self.show(x)
        a = torch.zeros([4, 1, 3])
        both = [a, a]
        a.squeeze_(1)
        self.show(both[1])
        self.show(a.resize_([2, 3]))
        self.show(a.swapaxes_(0, 1).as_strided_([2, 2], [1, 2], 1))
        self.w.t_()
        self.show(self.w.triu_())
        self.show(torch.cat([x, x.t_()]) if x.size(0) == x.size(1) else x)
        return x

class Turned(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        z = y
        y.t_()
        return z * 2, y.unsqueeze_(0).sum(1)

image, matrix = torch.rand(2, 3, 4, 5), torch.arange(6.0).reshape(2, 3)
inner = torch.jit.script(Formats().eval()) if sys.argv[1] != "traced" \
    else torch.jit.trace(Formats().eval(), image)
nets = {"sizes": lambda: Sizes(), "turned": lambda: Shown(torch.jit.trace(Turned(), matrix))}
net = nets.get(sys.argv[1], lambda: Shown(inner))()
net = torch.jit.script(net.eval())
if sys.argv[1] == "frozen":
    net = torch.jit.freeze(net)
net.save(sys.argv[2])
torch.jit.load(sys.argv[2])(matrix if sys.argv[1] in ("sizes", "turned") else image)
"""


@pytest.mark.parametrize("form", ["scripted", "traced", "frozen", "sizes", "turned"])
def test_archives_lie_as_in_pytorch(tmp_path, form):
    (tmp_path / "made.py").write_text(MADE)
    path = tmp_path / "net.pt"
    wanted = subprocess.run(
        [PYTHON, tmp_path / "made.py", form, path],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    assert wanted.count("[") > 3
    where = tmp_path / "in.npy"
    sizes = "2,3" if form in ("sizes", "turned") else "2,3,4,5"
    subprocess.run(
        [
            PYTHON,
            "-c",
            (
                f"import numpy, sys; s = ({sizes}); numpy.save(sys.argv[1], "
                "numpy.arange(numpy.prod(s), dtype='f4').reshape(s))"
            ),
            where,
        ],
        check=True,
        timeout=60,
    )
    for plan in ("eager", "vm", "vm/o2", "vm/o2,fuse(loopnest,llvm)", "jit/o2"):
        done = subprocess.run(
            [BINARY, "run", path, "--plan", plan, "--in", where],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        shown = "".join(
            line + "\n" for line in done.stdout.splitlines() if not re.match(r"out\d", line)
        )
        assert shown == wanted, plan
