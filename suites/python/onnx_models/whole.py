"""whole.py FOLDER [NAME...]: exports whole models of suites/external/pytorch/zoo.py by torch.onnx,
with inputs and what ONNX Runtime gives, as write.py does for operators."""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import onnxruntime
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "external/pytorch"))
import zoo

NAMES = (
    "resnet18",
    "mobilenet_v3_small",
    "vit, 32 by 32",
    "nn.LSTM, two layers, both ways",
    "nn.GRU, two layers, both ways",
    "nn.TransformerEncoder tagger",
)
FIXED = "nn.LSTM nn.GRU nn.Transformer".split()  # their first dimension is no batch
OPSET = 17


def export(name, folder, number, open_batch):
    make, inputs = zoo.MODELS[name]
    torch.manual_seed(number)
    model, args = make().eval(), inputs()
    names = [f"x{k}" for k in range(len(args))]
    path = folder / f"{number}.onnx"
    torch.onnx.export(
        model,
        args,
        path,
        dynamo=False,
        opset_version=OPSET,
        input_names=names,
        dynamic_axes={n: {0: "batch"} for n in names} if open_batch else None,
    )
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    values = [np.asarray(a) for a in args]
    if open_batch:
        values = [np.concatenate([v, v[:1]]) for v in values]
    results = session.run(None, dict(zip(names, values)))
    for kind, arrays in (("x", values), ("y", results)):
        for k, array in enumerate(arrays):
            np.save(folder / f"{number}.{kind}{k}.npy", array)
    return {
        "op": name + (", open batch" if open_batch else ""),
        "inputs": len(values),
        "outputs": len(results),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)
    zoo.load()
    said = []
    for name in given.names or NAMES:
        for open_batch in (False, True):
            if open_batch and any(name.startswith(start) for start in FIXED):
                continue
            with torch.no_grad():
                said.append(export(name, given.folder, len(said), open_batch))
    (given.folder / "cases.json").write_text(json.dumps(said))


if __name__ == "__main__":
    main()
