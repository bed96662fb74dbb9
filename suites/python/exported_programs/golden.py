"""Writes small programs of torch.export with the inputs that they were exported with, NAME.pt2:
suites/golden/exported is such a folder. What these give is said in suites/unit/exported_test.cpp.
The texts have no stack traces, which would name files of this machine.
"""

import argparse
import json
import zipfile
from pathlib import Path

import torch
from seeds import without_traces
from torch.export import Dim, export, save

X = torch.tensor([[1, 2, -1], [0.5, -0.5, 0]])
DATE = (1980, 1, 1, 0, 0, 0)


class Branch(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,))


class Dynamic(torch.nn.Module):
    def forward(self, x, y):
        return torch.cat([x, y], 1).reshape(y.shape[0] * 2, -1)


class Loop(torch.nn.Module):
    def forward(self, x, i):
        more, step = (lambda x, i: i < 3), (lambda x, i: (x * 2, i + 1))
        return torch._higher_order_ops.while_loop(more, step, (x, i))


class Mutation(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        with torch.no_grad():
            self.fc.weight.copy_(torch.arange(6.0).reshape(2, 3) / 4)
            self.fc.bias.copy_(torch.arange(2.0) / 4 - 1)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls.add_(1)
        return self.fc(x).softmax(-1), self.calls * 2


class Scan(torch.nn.Module):
    def forward(self, state, xs):
        def step(state, x):
            state = state * 0.5 + x
            return state, state * 2

        return torch._higher_order_ops.scan(step, state, xs)


class Map(torch.nn.Module):
    def forward(self, xs, y):
        return torch._higher_order_ops.map(lambda x, y: x * y, xs, y)


def write(path, entries):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            if name.endswith(".json"):
                data = json.dumps(without_traces(json.loads(data))).encode()
            archive.writestr(zipfile.ZipInfo(name, DATE), data)


def write_program(program, path):
    save(program, path)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    write(path, entries)


def write_as_before(program, path):
    """As PyTorch 2.6 and 2.7 laid it out."""
    from torch._export.serde.serialize import serialize

    saved = serialize(program)
    entries = {
        "serialized_exported_program.json": saved.exported_program,
        "serialized_state_dict.pt": saved.state_dict,
        "serialized_constants.pt": saved.constants,
        "serialized_example_inputs.pt": saved.example_inputs,
        "version": b"8.2",
    }
    write(path, entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rows = {0: Dim("n", min=2, max=8)}
    mutation = export(Mutation(), (X,))
    programs = {
        "branch": export(Branch(), (X,)),
        "dynamic": export(Dynamic(), (X, X + 1), dynamic_shapes=(rows, rows)),
        "functional": mutation.run_decompositions(),
        "loop": export(Loop(), (X, torch.tensor(0))),
        "map": export(Map(), (X, X[0].clone())),
        "mutation": mutation,
        "scan": export(Scan(), (X[1].clone(), X)),
    }
    for name, program in programs.items():
        write_program(program, folder / f"{name}.pt2")
    write_as_before(mutation, folder / "former.pt2")


if __name__ == "__main__":
    main()
