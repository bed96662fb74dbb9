"""load.py FOLDER: what PyTorch makes of each NAME.pt2 in it, on the inputs that lie in the archive:
tensors as NAME.0.npy, NAME.1.npy, ..., results.json with all that is no tensor, or the error."""

import argparse
import json
from pathlib import Path

import numpy as np
import torch


def outcome(path):
    program = torch.export.load(path)
    leaves = torch.utils._pytree.tree_leaves(program.module()(*program.example_inputs[0]))
    for i, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor):
            np.save(f"{path.with_suffix('')}.{i}.npy", leaf.detach().contiguous().numpy())
    return {
        "others": [leaf for leaf in leaves if not isinstance(leaf, torch.Tensor)],
        "targets": [str(n.target) for n in program.graph.nodes if n.op == "call_function"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    results = {}
    for path in sorted(folder.glob("*.pt2")):
        try:
            results[path.stem] = outcome(path)
        except Exception as e:
            results[path.stem] = {"error": f"{type(e).__name__}: {e}"[-2000:]}
    (folder / "results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
